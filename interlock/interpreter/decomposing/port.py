"""What a decomposer sees and what it may say. It is a pure function of the one to the other.

It can neither invent a value nor lose one: parts are made of the values that it is given, and all of them are used.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias


@dataclass(frozen=True, slots=True)
class Value:
    """A value of a slot, and where it stands in the message; nowhere if it was assumed, or said earlier."""

    value: Any
    start: int | None = None
    end: int | None = None


Part: TypeAlias = Mapping[str, Value]
"""One part of a question: a value of each slot."""


class Decomposer(Protocol):
    """From a message, and the values that its slots hold, to the parts of the question: equal ones give equal parts."""

    def __call__(self, text: str, slots: Mapping[str, tuple[Value, ...]]) -> Sequence[Part]:
        """The parts, in the order in which they are answered."""


def problem_of(parts: Any, slots: Mapping[str, tuple[Value, ...]]) -> str:
    """Why parts cannot be used, in words; empty if they can."""
    if not isinstance(parts, list | tuple) or not all(isinstance(part, Mapping) for part in parts):
        return "it gives no list of parts"
    if any(part.keys() != slots.keys() for part in parts):
        return "a part has a value of each slot, and of no other"
    if any(one not in slots[name] for part in parts for name, one in part.items()):
        return "a part has a value that was not said"
    used = {name: [part[name] for part in parts] for name in slots}
    if any(one not in used[name] for name, given in slots.items() for one in given):
        return "a value that was said is in no part"
    return ""
