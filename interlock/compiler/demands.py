"""What a named condition or table needs where it is used: a read first, arguments of a call; and circles of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from interlock.compiler.findings import MOST
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


def computed_by(part: Part) -> tuple[Part, ...]:
    """The conditions and tables that a condition or table reads, each once."""
    memo = part.unit.memo
    key = ("computed", part.plural, part.name)
    if key not in memo:
        memo[key] = tuple(dict.fromkeys(inner for site in sites_of(part) for inner in used_by(site)))
    found: tuple[Part, ...] = memo[key]
    return found


def demand_of(part: Part) -> Demand:
    """What a condition or table needs, with all that it reads: worked out from the last that is read to the first."""
    way, entered = [(part, iter(computed_by(part)))], {part}
    while way and _known(part) is None:
        member, following = way[-1]
        inner = next((one for one in following if one not in entered and _known(one) is None), None)
        if inner is not None:
            entered.add(inner)
            way.append((inner, iter(computed_by(inner))))
            continue
        way.pop()
        member.unit.memo["demand", member.plural, member.name] = _demand(member)
    return _known(part) or Demand()


def _known(part: Part) -> Demand | None:
    found: Demand | None = part.unit.memo.get(("demand", part.plural, part.name))
    return found


def _demand(part: Part) -> Demand:
    """From what a part does itself, and the demands of those that it reads; none of a circle, which is a mistake."""
    reads = part if part.plural == "conditions" and part.model.call is not None else None
    args: dict[str, Part] = {}
    for site in sites_of(part):
        for root, *rest in read_paths(site):
            if root == "args" and rest:
                args.setdefault(rest[0], part)
    for inner in map(_known, computed_by(part)):
        if inner is not None:
            reads = reads or inner.reads
            for name in islice(inner.args, MOST):
                args.setdefault(name, inner.args[name])
    return Demand(reads, args)


def reachable(part: Part) -> list[Part]:
    """The part and all conditions and tables that it reads, however far."""
    found = {part: None}
    waiting = [part]
    for member in waiting:
        new = [inner for inner in computed_by(member) if inner not in found]
        found.update(dict.fromkeys(new))
        waiting += new
    return waiting


def circle(part: Part) -> list[Part]:
    """The shortest way from a condition or table back to itself; empty if there is none."""
    before: dict[Part, Part] = {}
    waiting = [part]
    for member in waiting:
        for inner in computed_by(member):
            if inner is part:
                return _way_to(member, before)
            if inner not in before:
                before[inner] = member
                waiting.append(inner)
    return []


def _way_to(part: Part, before: dict[Part, Part]) -> list[Part]:
    way = [part]
    while way[-1] in before:
        way.append(before[way[-1]])
    return way[::-1]


def units_computed(unit: Unit) -> Iterator[Part]:
    """The conditions and tables that a spec declares."""
    for plural in COMPUTED:
        yield from unit.parts(plural).values()
