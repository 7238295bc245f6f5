"""What a named condition or table needs where it is used: a read first, arguments of a call; and circles of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from interlock.compiler.mentions import read_paths
from interlock.compiler.sites import sites_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from interlock.compiler.site import Site
    from interlock.compiler.units import Part, Unit

COMPUTED = {"conditions": "conditions", "decisions": "decisions"}


@dataclass(frozen=True, slots=True)
class Demand:
    """`reads`: a condition that calls a tool, if any; `args`: arguments that are read, each with its reader."""

    reads: Part | None = None
    args: dict[str, Part] = field(default_factory=dict)


def used_by(site: Site) -> Iterator[Part]:
    """The conditions and tables that a site reads."""
    for root, *rest in read_paths(site):
        if root in COMPUTED and rest and (part := site.unit.find(COMPUTED[root], rest[0])):
            yield part


def computed_by(part: Part) -> Iterator[Part]:
    """The conditions and tables that a condition or table reads."""
    for site in sites_of(part):
        yield from used_by(site)


def demand_of(part: Part) -> Demand:
    """What a condition or table needs, with all that it reads."""
    memo = part.unit.memo
    key = ("demand", part.plural, part.name)
    if key not in memo:
        memo[key] = _demand(part)
    found: Demand = memo[key]
    return found


def _demand(part: Part) -> Demand:
    reads: Part | None = None
    args: dict[str, Part] = {}
    for member in reachable(part):
        if member.plural == "conditions" and member.model.call is not None:
            reads = reads or member
        for site in sites_of(member):
            for root, *rest in read_paths(site):
                if root == "args" and rest:
                    args.setdefault(rest[0], member)
    return Demand(reads, args)


def reachable(part: Part) -> list[Part]:
    """The part and all conditions and tables that it reads, however far."""
    found = [part]
    for member in found:
        found += [inner for inner in dict.fromkeys(computed_by(member)) if inner not in found]
    return found


def circle(part: Part) -> list[Part]:
    """The way from a condition or table back to itself; empty if there is none."""
    ways = [[part]]
    seen: set[Part] = set()
    for way in ways:
        for inner in computed_by(way[-1]):
            if inner is part:
                return way
            if inner not in seen:
                seen.add(inner)
                ways.append([*way, inner])
    return []


def units_computed(unit: Unit) -> Iterator[Part]:
    """The conditions and tables that a spec declares."""
    for plural in COMPUTED:
        yield from unit.parts(plural).values()
