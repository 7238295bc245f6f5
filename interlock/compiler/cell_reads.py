"""Which cells a call and the sites of a step read, themselves or by conditions and tables."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import islice
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

MOST_ASKED = 64
"""Tools that are looked into for one call: itself, and those that its checks call, which have checks of their own."""

OF_A_CALL = frozenset({"input", "requires", "ensures", "idempotency", "read_back"})
"""Keys of a tool whose expressions are computed for a call, before it fills its own cells."""


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
    """The cells that a call of a tool reads, and those that the calls of its checks read, worked out once."""
    if "cell reads" not in tool.unit.memo:
        tool.unit.memo["cell reads"] = {}
    memo: dict[str, tuple[CellRead, ...]] = tool.unit.memo["cell reads"]
    if tool.name not in memo:
        memo[tool.name] = tuple(_of_tools(tool))
    return memo[tool.name]


def _of_tools(tool: Part) -> Iterator[CellRead]:
    """The reads of a tool, and of those that its checks call."""
    found = {tool: None}
    waiting = [tool]
    for member in waiting:
        yield from (read for site in _sites_of_call(member) for read in of_site(site))
        new = dict.fromkeys(inner for inner in _asked(member) if inner not in found)
        found.update(new)
        waiting += islice(new, MOST_ASKED - len(waiting))


def _asked(tool: Part) -> Iterator[Part]:
    """The tools that its checks call, themselves or by conditions."""
    checks = [check for key in ("requires", "ensures") for check in getattr(tool.model, key) or ()]
    for name in [check.call for check in checks] + [tool.model.read_back and tool.model.read_back.call]:
        if name is not None and (inner := tool.unit.find("tools", name)) is not None:
            yield inner
    for condition in _conditions(tool):
        yield from _called_by(condition)
    for site in _own_sites_of_call(tool):
        yield from asked_by(site)


def asked_by(site: Site) -> Iterator[Part]:
    """The tools that the conditions call which a site reads."""
    if not goes_on_without(site):
        for part in used_by(site):
            yield from _called_by(part)


def _called_by(condition: Part) -> tuple[Part, ...]:
    """The tools that a condition or table calls, by others too, worked out once."""
    memo = ("called by", condition.plural, condition.name)
    if memo not in condition.unit.memo:
        parts = [part for part in reachable(condition) if part.plural == "conditions" and part.model.call is not None]
        tools = (part.unit.find("tools", part.model.call) for part in parts)
        condition.unit.memo[memo] = tuple(tool for tool in tools if tool is not None)
    found: tuple[Part, ...] = condition.unit.memo[memo]
    return found


def _sites_of_call(tool: Part) -> Iterator[Site]:
    yield from _own_sites_of_call(tool)
    for condition in _conditions(tool):
        yield from (site for part in reachable(condition) for site in sites_of(part))


def _own_sites_of_call(tool: Part) -> Iterator[Site]:
    depth = len(tool.path)
    return (site for site in sites_of(tool) if site.path[depth] in OF_A_CALL)


def _conditions(tool: Part) -> Iterator[Part]:
    """The conditions that its checks name."""
    for key in ("requires", "ensures"):
        for check in getattr(tool.model, key) or ():
            condition = tool.unit.find("conditions", check.condition) if check.condition else None
            if condition is not None:
                yield condition


def of_step(site: Site) -> Iterator[CellRead]:
    """The cells that a site of a step reads, itself or by the calls that its conditions make."""
    *_, before, key, last = ("", "", *site.path)
    after = (key, last) == ("repeat", "until") and isinstance(before, int)
    for read in of_site(site):
        yield replace(read, after=after)
    for tool in asked_by(site):
        yield from (replace(read, needed=False, after=after) for read in of_tool(tool))


def goes_on_without(site: Site) -> bool:
    """Whether a site has something to go on with where a value that it reads is missing."""
    return site.form != "path" and _UNDECIDED.search(site.text) is not None


def of_site(site: Site) -> Iterator[CellRead]:
    """The cells that a site reads; where it goes on without them, nothing is wrong."""
    if goes_on_without(site):
        return
    needed = site.form == "path" or copied_path(site.text) is not None
    for root, *rest in read_paths(site):
        if root == "cells" and len(rest) > 1:
            argument = _argument(site)
            optional = argument is not None and (argument.optional or argument.default is not None)
            max_age = (argument.max_age or "") if argument is not None else ""
            yield CellRead(rest[0], rest[1], site, needed and not optional, max_age=max_age)
    for part in used_by(site):
        for tool, key, inner in _behind(part):
            yield CellRead(tool, key, inner)


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
