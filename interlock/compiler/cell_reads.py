"""Which cells a call and the sites of a step read, themselves or by conditions and tables."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from interlock.compiler.apart import steps_by_path
from interlock.compiler.demands import reachable, used_by
from interlock.compiler.mentions import read_paths
from interlock.compiler.sites import sites_of
from interlock.compiler.written import copied_path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from interlock.compiler.site import Site
    from interlock.compiler.units import Part, Unit
    from interlock.compiler.written import Path
    from interlock.spec.fields import Argument

_UNDECIDED = re.compile(r"\b(or|defined|default|if)\b")
"""Words by which a text goes on without a cell."""

MIN_OF_A_CELL = 2
"""A cell's path has more parts: `cells`, its tool, its key."""

AFTER = frozenset({"ensures", "read_back", "repeat"})
"""Keys whose expressions are computed after the call."""


@dataclass(frozen=True, slots=True)
class CellRead:
    """`needed`: without the cell there is no value. `after`: it is read when the call has been made.

    `max_age`: how old it may be, as written.
    """

    tool: str
    key: str
    site: Site
    needed: bool = False
    after: bool = False
    max_age: str = ""


def of_tool(tool: Part) -> tuple[CellRead, ...]:
    """The cells that a call of a tool reads, worked out once."""
    if "cell reads" not in tool.unit.memo:
        tool.unit.memo["cell reads"] = {}
    memo: dict[str, tuple[CellRead, ...]] = tool.unit.memo["cell reads"]
    if tool.name not in memo:
        memo[tool.name] = tuple(read for site in _sites_of_call(tool) for read in of_site(site))
    return memo[tool.name]


def _sites_of_call(tool: Part) -> Iterator[Site]:
    depth = len(tool.path)
    for site in sites_of(tool):
        if site.path[depth] in ("input", "requires", "ensures", "idempotency", "read_back"):
            yield site
    for key in ("requires", "ensures"):
        for check in getattr(tool.model, key) or ():
            condition = tool.unit.find("conditions", check.condition) if check.condition else None
            yield from (site for part in (reachable(condition) if condition else ()) for site in sites_of(part))


def of_site(site: Site) -> Iterator[CellRead]:
    """The cells that a site reads; where it goes on without them, nothing is wrong."""
    if site.form != "path" and _UNDECIDED.search(site.text):
        return
    after = not AFTER.isdisjoint(map(str, site.path))
    needed = site.form == "path" or copied_path(site.text) is not None
    for root, *rest in read_paths(site):
        if root == "cells" and len(rest) > 1:
            argument = _argument(site)
            optional = argument is not None and (argument.optional or argument.default is not None)
            max_age = (argument.max_age or "") if argument is not None else ""
            yield CellRead(rest[0], rest[1], site, needed and not optional, after, max_age)
    for part in used_by(site):
        for tool, key, inner in _behind(part):
            yield CellRead(tool, key, inner, after=after)


def _behind(part: Part) -> tuple[tuple[str, str, Site], ...]:
    """The cells that a condition or table reads, by others too, worked out once."""
    memo = ("cells behind", part.plural, part.name)
    if memo not in part.unit.memo:
        sites = (site for member in reachable(part) for site in sites_of(member) if not _UNDECIDED.search(site.text))
        reads = ((path, site) for site in sites for path in read_paths(site))
        part.unit.memo[memo] = tuple(
            (path[1], path[2], site) for path, site in reads if path[0] == "cells" and len(path) > MIN_OF_A_CELL
        )
    found: tuple[tuple[str, str, Site], ...] = part.unit.memo[memo]
    return found


def _argument(site: Site) -> Argument | None:
    """The argument of a tool that the site gives a value."""
    tool = site.owner
    if tool is None or tool.plural != "tools" or site.path[len(tool.path)] != "input":
        return None
    arguments: dict[str, Argument] = tool.model.input or {}
    return arguments.get(str(site.path[len(tool.path) + 1]))


def sites_by_step(unit: Unit) -> dict[Path, list[Site]]:
    """The sites of a Procedure's steps by the innermost step that each stands in."""
    steps = steps_by_path(unit)
    found: dict[Path, list[Site]] = {}
    for site in sites_of(unit.steps) if unit.steps is not None else ():
        length = next((at for at in range(len(site.path), 0, -1) if site.path[:at] in steps), 0)
        found.setdefault(site.path[:length], []).append(site)
    return found
