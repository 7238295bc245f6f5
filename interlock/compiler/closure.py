"""What an Agent can reach: from its mounts, gates, routes and flows through everything that those name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, get_args

from interlock.compiler.intents import merged_parts
from interlock.compiler.mentions import in_lists, in_site, of_part
from interlock.compiler.sites import own_sites
from interlock.spec.models import MODEL_SERVERS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from interlock.compiler.mentions import Mention
    from interlock.compiler.units import Part, Unit
    from interlock.compiler.written import Path


def reached(unit: Unit) -> dict[str, dict[str, Part]]:
    """The parts that an Agent reaches, by plural and name, in the order in which they are met."""
    if "reached" not in unit.memo:
        unit.memo["reached"] = _reached(unit)
    found: dict[str, dict[str, Part]] = unit.memo["reached"]
    return found


def first_reached(unit: Unit) -> dict[Part, Path | None]:
    """The parts that an Agent or Procedure reaches, each with the place in the spec itself that first leads there."""
    if "first reached" not in unit.memo:
        unit.memo["first reached"] = _first_reached(unit)
    found: dict[Part, Path | None] = unit.memo["first reached"]
    return found


def _reached(unit: Unit) -> dict[str, dict[str, Part]]:
    found: dict[str, dict[str, Part]] = {}
    for part in first_reached(unit):
        found.setdefault(part.plural, {}).setdefault(part.name, part)
    return found


def _first_reached(unit: Unit) -> dict[Part, Path | None]:
    found: dict[Part, Path | None] = {}
    waiting = [(part, mention.path) for mention in _roots(unit) if (part := _target(unit, mention))]
    for part, path in waiting:
        if part in found:
            continue
        found[part] = path
        named = ((target, mention.path) for mention in of_part(part) if (target := _target(part.unit, mention)))
        waiting += [(target, there if part.unit is unit else path) for target, there in named]
        waiting += [(other, path) for other in (*_server(part), *merged_parts(unit, part))]
    return found


def _roots(unit: Unit) -> Iterator[Mention]:
    yield from in_lists(unit)
    for site in own_sites(unit):
        yield from in_site(site)


def _target(unit: Unit, mention: Mention) -> Part | None:
    return None if mention.weak else unit.find(mention.plural, mention.name)


Transport = Literal["http", "sql", "mcp", "python"]


def _server(part: Part) -> Iterator[Part]:
    """The server of a tool or model that names none: the only one there is."""
    if part.plural not in ("tools", "models") or part.model.server is not None:
        return
    if (server := server_of(part)) is not None:
        yield server


def server_of(part: Part) -> Part | None:
    """The server of a tool or model: the one that it names, or the only one that could be meant."""
    if part.model.server is not None:
        return part.unit.find("servers", part.model.server)
    return only_server(part.unit, *(MODEL_SERVERS if part.plural == "models" else (transport_of(part.model),)))


def transport_of(tool: Any) -> Transport:
    """How a tool is called: by the key that says it."""
    return next(name for name in get_args(Transport) if getattr(tool, name) is not None)


def only_server(unit: Unit, *kinds: str) -> Part | None:
    """The server that parts of a spec use without naming it: its own only one, or else the only one it can see."""
    candidates = servers_of(unit.parts("servers"), *kinds) or servers_of(unit.visible.get("servers", {}), *kinds)
    return candidates[0] if len(candidates) == 1 else None


def servers_of(parts: Mapping[str, Part], *kinds: str) -> list[Part]:
    """The servers with an address of one of the kinds; Python tools have none."""
    return [part for part in parts.values() if any(getattr(part.model, kind, None) is not None for kind in kinds)]
