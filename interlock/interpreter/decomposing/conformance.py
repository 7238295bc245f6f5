"""What a decomposer must do, as a function for the tests of those who write one."""

import copy
from collections.abc import Iterable, Iterator, Mapping

from interlock.interpreter.decomposing.port import Decomposer, Value, problem_of

Slots = Mapping[str, tuple[Value, ...]]


def check_decomposer(decomposer: Decomposer, messages: Iterable[tuple[str, Slots]] = ()) -> None:
    """Raises AssertionError unless all questions get parts that can be asked, and equal ones equal parts.

    `messages` are some in its own languages, each with the values of its slots.
    """
    for text, slots in [*_messages(), *messages]:
        given, twin = copy.deepcopy(dict(slots)), copy.deepcopy(dict(slots))
        first, second = decomposer(text, given), decomposer(text, twin)
        problem = problem_of(first, slots)
        assert not problem, f"{text!r}: {problem}"
        assert list(first) == list(second), f"{text!r}: equal messages, equal parts"
        assert given == slots, f"{text!r}: what it is given is not changed"


def _messages() -> Iterator[tuple[str, Slots]]:
    """Two slots with values beside each other, apart, assumed, and with nothing between them."""
    text = "red in 2024, blue in 2025"
    red, blue = Value("RED", 0, 3), Value("BLUE", 13, 17)
    yield text, {"colour": (red, blue), "year": (Value(2024, 7, 11), Value(2025, 21, 25))}
    yield "red and blue", {"colour": (red, Value("BLUE", 8, 12)), "year": (Value(2024), Value(2025))}
    yield "red 2024 2025", {"colour": (red,), "year": (Value(2024, 4, 8), Value(2025, 9, 13))}
    yield "", {"colour": (Value("RED"), Value("BLUE")), "year": (Value(2024), Value(2025)), "size": (Value(None),)}
