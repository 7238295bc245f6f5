"""Which cells and variables a call and the sites of a step read, themselves or by conditions and tables."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias

from interlock.compiler.apart import steps_by_path
from interlock.compiler.demands import reachable, used_by
from interlock.compiler.mentions import read_paths
from interlock.compiler.sites import sites_of
from interlock.compiler.written import copied_path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from interlock.compiler.keyed_calls import Read
    from interlock.compiler.site import Site
    from interlock.compiler.units import Part, Unit
    from interlock.compiler.written import Path
    from interlock.spec.fields import Argument

_UNDECIDED = re.compile(r"\b(or|defined|default|if)\b")
"""Words by which a text goes on without a cell."""

_MAY_BE_NONE = re.compile(r"\bnone\b")
"""By it a text goes on without a variable, which is none before a step gives it a value."""

PARTS_OF = {"cells": 3, "vars": 2}
"""What is filled along a procedure, and how many parts of a path name it: root, tool and key, or root and variable."""

Filled: TypeAlias = "tuple[str, str]"
"""`("cells", tool)` or `("vars", name)`."""

MOST_ASKED = 64
"""Tools that are looked into for one call: itself, and those that its checks call, which have checks of their own."""

OF_A_CALL = frozenset({"input", "requires", "ensures", "idempotency", "read_back"})
"""Keys of a tool whose expressions are computed for a call, before it fills its own cells."""


@dataclass(frozen=True, slots=True)
class CellRead:
    """`path`: of a cell or variable. `needed`: without it there is no value. `after`: it is read after the call.

    `max_age`: how old it may be, as written.
    """

    path: Read
    site: Site
    needed: bool = False
    after: bool = False
    max_age: str = ""

    @property
    def filled(self) -> Filled:
        """What a step fills as a whole: all cells of a tool, or one variable."""
        return self.path[0], self.path[1]

    def __str__(self) -> str:
        return ".".join(self.path)


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
    for path in _filled(site):
        argument = _argument(site)
        optional = argument is not None and (argument.optional or argument.default is not None)
        goes_without = path[0] == "vars" and argument is None and (site.wanted is None or site.wanted.may_be_none)
        max_age = (argument.max_age or "") if argument is not None else ""
        yield CellRead(path, site, needed and not optional and not goes_without, max_age=max_age)
    for part in used_by(site):
        for path, inner in _behind(part):
            yield CellRead(path, inner)


def _filled(site: Site) -> Iterator[Read]:
    """The cells and variables that a site reads, by their paths."""
    for path in read_paths(site):
        parts = PARTS_OF.get(path[0])
        if parts is not None and len(path) >= parts and not (path[0] == "vars" and _MAY_BE_NONE.search(site.text)):
            yield path[:parts]


def _behind(part: Part) -> tuple[tuple[Read, Site], ...]:
    """The cells and variables that a condition or table reads, by others too, worked out once."""
    memo = ("filled behind", part.plural, part.name)
    if memo not in part.unit.memo:
        sites = (site for member in reachable(part) for site in sites_of(member) if not _UNDECIDED.search(site.text))
        part.unit.memo[memo] = tuple((path, site) for site in sites for path in _filled(site))
    found: tuple[tuple[Read, Site], ...] = part.unit.memo[memo]
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
