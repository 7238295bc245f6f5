"""Which slots the arguments of a call copy: by the tool itself, or by the `with` of its mount or step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from interlock.compiler.written import copied_path

if TYPE_CHECKING:
    from collections.abc import Mapping

    from interlock.compiler.units import Part, Unit


def copied_slots(agent: Unit, tool: Part, with_: Mapping[str, Any] | None = None) -> dict[str, str]:
    """Argument to slot, where a mounted tool is called with `with_`; those that are computed are not in it."""
    mount = agent.mount_of(tool.name)
    bound = {**((mount.model.with_ if mount is not None else None) or {}), **(with_ or {})}
    slots: dict[str, str] = {}
    for name, argument in (tool.model.input or {}).items():
        from_caller = argument.from_ == "caller"
        path = copied_path(bound.get(name)) if from_caller else tuple((argument.from_ or "").split("."))
        if path is not None and path[0] == "slots" and len(path) > 1:
            slots[name] = path[1]
    return slots
