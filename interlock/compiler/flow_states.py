"""What a flow may have done by some point: whether it has spoken, what it has called, and how it came there."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable

    from interlock.compiler.written import Path

MANY = 2
"""More calls than one; how many more makes no difference."""

MOST_NOTES = 12
"""Things told of one way; who has more to read begins with these."""


class Standing(NamedTuple):
    """`said`: something was said in this turn. `calls`: real calls of this turn; `lone` is the tool of the only one.

    `last` is the tool whose result a `respond` would take; `results` are the call steps that have a result.
    """

    said: bool = False
    calls: int = 0
    lone: str = ""
    last: str = ""
    results: frozenset[str] = frozenset()

    def called(self, tool: str, *, several: bool) -> Standing:
        """After a real call, or several."""
        calls = min(MANY, self.calls + (MANY if several else 1))
        return Standing(self.said, calls, tool if calls == 1 else "", tool, self.results)

    def succeeded(self, step: str) -> Standing:
        """After the call of a step gave a result."""
        return Standing(self.said, self.calls, self.lone, self.last, self.results | {step})

    def spoken(self) -> Standing:
        """After something was said."""
        return self if self.said else Standing(True, self.calls, self.lone, self.last, self.results)

    def later(self) -> Standing:
        """In the turn that goes on after a question: nothing is said or called in it yet."""
        return Standing(last=self.last, results=self.results)


Trail: TypeAlias = "tuple[tuple[Path, str], ...]"
"""What must have happened to come here: paths of keys, with words. Most are never told, and so none is looked up."""

Ways: TypeAlias = "dict[Standing, Trail]"
"""Every standing that is possible, each with one way to come to it."""


@dataclass(slots=True)
class Result:
    """How some steps may end: going on, or failing with an error of some kind."""

    on: Ways = field(default_factory=dict)
    raised: dict[str, Ways] = field(default_factory=dict)

    def fails(self, kinds: Iterable[str], ways: Ways, words: tuple[Path, str] | None = None) -> None:
        """Add failures of each of the kinds."""
        for kind in kinds:
            note = ((words[0], words[1].format(kind=kind)),) if words else ()
            merge(self.raised.setdefault(kind, {}), {way: further(trail, note) for way, trail in ways.items()})

    def also(self, other: Result) -> None:
        """Add another's failures."""
        for kind, ways in other.raised.items():
            merge(self.raised.setdefault(kind, {}), ways)

    def after(self, trail: Trail, then: Result) -> None:
        """Add what comes of going on, by that trail, with something that was walked by itself."""
        merge(self.on, {way: further(trail, more) for way, more in then.on.items()})
        for kind, ways in then.raised.items():
            merge(self.raised.setdefault(kind, {}), {way: further(trail, more) for way, more in ways.items()})


_HAS_RESULT = re.compile(r"\s*steps\.(\w+)\.result\s+is\s+(not\s+)?defined\s*")
"""The condition whose answer the walk knows: whether a call step has a result."""


def further(trail: Trail, more: Trail) -> Trail:
    """A trail that goes on."""
    return (*trail, *more)[:MOST_NOTES]


def results_asked(whens: Iterable[str | None]) -> frozenset[str]:
    """The call steps whose having a result any of these conditions asks for."""
    return frozenset(asked[1] for when in whens if when and (asked := _HAS_RESULT.fullmatch(when)))


def split(when: str | None, ways: Ways) -> tuple[Ways, Ways]:
    """The ways on which a condition may hold, and those on which it may not."""
    if when is None:
        return ways, {}
    asked = _HAS_RESULT.fullmatch(when)
    if asked is None:
        return ways, ways
    there = {way: trail for way, trail in ways.items() if asked[1] in way.results}
    lacking = {way: trail for way, trail in ways.items() if asked[1] not in way.results}
    return (lacking, there) if asked[2] else (there, lacking)


def merge(ways: Ways, more: Ways) -> None:
    """Add what is possible too; the first way to a standing is kept."""
    for standing, trail in more.items():
        ways.setdefault(standing, trail)


def noted(ways: Ways, place: Path, words: str) -> Ways:
    """The same ways with one more thing that must have happened."""
    return {standing: further(trail, ((place, words),)) for standing, trail in ways.items()}
