"""Which slots the arguments of a call copy: by the tool itself, or by the `with` of its mount or step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from interlock.compiler.written import copied_path

if TYPE_CHECKING:
    from collections.abc import Mapping

    from interlock.compiler.units import Part, Unit


def bound_by(agent: Unit, tool: Part, given: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """What `caller` arguments of a tool are given: by its mount, and by the `with` of a step."""
    mount = agent.mount_of(tool.name)
    return {**((mount.model.with_ if mount is not None else None) or {}), **(given or {})}


def copied_slots(unit: Unit, tool: Part, bound: Mapping[str, Any]) -> dict[str, Part]:
    """The slots that arguments copy, by argument; `unit` is the spec that `bound` stands in."""
    own = {name: (tool.unit, (one.from_ or "").split(".")) for name, one in (tool.model.input or {}).items()}
    given = {name: (unit, [*path]) for name, value in bound.items() if (path := copied_path(value))}
    paths = {name: place for name, place in {**own, **given}.items() if place[1][0] == "slots" and len(place[1]) > 1}
    slots = {name: reader.find("slots", path[1]) for name, (reader, path) in paths.items()}
    return {name: slot for name, slot in slots.items() if slot is not None}
