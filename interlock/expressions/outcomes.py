"""What an evaluation answers when there is no value: `NotMet` for conditions, `Missing` for values."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

Context: TypeAlias = Mapping[str, Any]
"""Root name to plain JSON value; `now` is an aware datetime. Roots may be lazy: a dict with `__missing__`."""

Reason: TypeAlias = Literal["missing", "ambiguous", "type", "too-large", "zero-division", "unreadable"]
"""`missing`: not there, or `none` where a value is needed; `ambiguous`: several values where one is needed;
`type`: of a kind the operation does not take; `too-large`: over a bound; `unreadable`: a text that is no number, date
or duration."""


@dataclass(frozen=True, slots=True)
class NotMet:
    """A condition that could not be decided and therefore is not met; false, and says why."""

    reason: Reason
    path: str

    def __bool__(self) -> bool:
        return False

    @property
    def is_fault(self) -> bool:
        """Whether it could not be evaluated, where otherwise a value is only not there, or not clear."""
        return self.reason not in ("missing", "ambiguous")


class Missing(Exception):  # noqa: N818 - it is an answer more than an error
    """There is no such value: `reason` says why, `path` which one.

    A lazy root (`conditions`, `decisions`) raises it too, so that what could not be decided there
    makes the asking condition not met as a whole, through any `not`.
    """

    def __init__(self, path: str, reason: Reason = "missing") -> None:
        super().__init__(path, reason)
        self.path = path
        self.reason: Reason = reason

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}" if self.path else self.reason


class Several(list[Any]):
    """How an ambiguous value stands in the context: its candidates.

    It is met by `when: slots.x`; whether it is equal to anything cannot be said, and it must never become an argument.
    """

    __hash__ = None

    def __eq__(self, other: object) -> bool:
        raise Missing("", "ambiguous")

    __ne__ = __eq__


def unfit(value: Any) -> Missing:
    """Why an operation does not take a value."""
    if value is None:
        return Missing("")
    return Missing("", "ambiguous" if value.__class__ is Several else "type")
