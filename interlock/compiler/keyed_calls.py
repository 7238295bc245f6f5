"""Calls whose idempotency key the author makes, and what each key is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from interlock.compiler.demands import COMPUTED, reachable
from interlock.compiler.mentions import read_paths
from interlock.compiler.sites import sites_of
from interlock.compiler.walk import all_steps
from interlock.compiler.written import strings
from interlock.expressions.paths import paths_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from interlock.compiler.units import Part, Unit
    from interlock.compiler.walk import Written

Read: TypeAlias = tuple[str, ...]
"""A path of the context."""


def keyed_calls(unit: Unit) -> list[Keyed]:
    """The calls of an Agent or Procedure whose keys the author makes."""
    calls = (step for step in all_steps(unit) if step.action == "call")
    return [Keyed(unit, step, tool) for step in calls for tool in _with_key(unit, step)]


def _with_key(unit: Unit, step: Written) -> Iterator[Part]:
    tool = unit.find("tools", step.model.call)
    if tool is not None and tool.model.idempotency is not None and tool.model.idempotency.key is not None:
        yield tool


def made_of(tool: Part, bound: Callable[[str], Iterable[Read]]) -> Iterator[Read]:
    """What a tool's key is made of, through arguments, conditions and tables; `bound` tells it of what callers bind."""
    for read in key_reads(tool):
        if read[0] == "args" and len(read) > 1 and read[1] in (tool.model.input or {}):
            yield from argument_reads(tool, read[1], bound)
        else:
            yield read


def argument_reads(tool: Part, name: str, bound: Callable[[str], Iterable[Read]]) -> Iterator[Read]:
    """What an argument of a tool is made of; `bound` tells it where callers bind it."""
    argument = tool.model.input[name]
    if argument.from_ is None:
        yield from reads_in(tool.unit, argument.value)
    elif argument.from_ == "caller":
        yield from bound(name)
    else:
        yield tuple(argument.from_.split("."))


def key_reads(tool: Part) -> tuple[Read, ...]:
    """The context paths of a tool's key, those of its conditions and tables among them, worked out once."""
    memo = ("key reads", tool.name)
    if memo not in tool.unit.memo:
        path = (*tool.path, "idempotency", "key")
        written = (read for site in sites_of(tool) if site.path == path for read in read_paths(site))
        tool.unit.memo[memo] = tuple(inner for read in written for inner in through_computed(tool.unit, read))
    found: tuple[Read, ...] = tool.unit.memo[memo]
    return found


@dataclass(frozen=True, slots=True)
class Keyed:
    """A call whose key the author makes."""

    unit: Unit
    step: Written
    tool: Part

    def reads(self) -> Iterator[Read]:
        """What the key is made of."""
        return made_of(self.tool, lambda name: reads_in(self.unit, self.given(name)))

    def bound(self) -> tuple[str, ...]:
        """The values bound to the arguments that the key reads, as written."""
        return tuple(repr(self.given(read[1])) for read in key_reads(self.tool) if read[0] == "args" and len(read) > 1)

    def given(self, name: str) -> Any:
        """What the step binds to an argument, or else the mount."""
        mount = self.unit.mount_of(self.tool.name)
        before = (mount.model.with_ or {}) if mount is not None else {}
        return {**before, **(self.step.model.with_ or {})}.get(name)


def reads_in(unit: Unit, value: Any) -> Iterator[Read]:
    """The context paths that a value is computed of, through conditions and tables too."""
    for _, text in strings(value, ()):
        for read in paths_of(text, template=True):
            yield from through_computed(unit, read)


def through_computed(unit: Unit, read: Read) -> tuple[Read, ...]:
    """What a condition or table that is read is computed of; itself, where that takes a call."""
    part = unit.find(COMPUTED[read[0]], read[1]) if read[0] in COMPUTED and len(read) > 1 else None
    if part is None:
        return (read,)
    memo = ("computed of", part.plural, part.name)
    if memo not in part.unit.memo:
        part.unit.memo[memo] = _computed_of(part, read)
    found: tuple[Read, ...] = part.unit.memo[memo]
    return found


def _computed_of(part: Part, read: Read) -> tuple[Read, ...]:
    members = reachable(part)
    if any(member.plural == "conditions" and member.model.call is not None for member in members):
        return (read,)
    paths = (path for member in members for site in sites_of(member) for path in read_paths(site))
    return tuple(dict.fromkeys(path for path in paths if path[0] not in COMPUTED))
