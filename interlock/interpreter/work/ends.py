"""How a walk over the steps ends before its last one."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from interlock.interpreter.failures import StepFailed
from interlock.interpreter.work.tasks import Stopped


@dataclass
class Ended(Exception):  # noqa: N818 - an end, not an error
    """An `end` step: the procedure is done, with this result, and where it is from."""

    result: dict[str, Any] = field(default_factory=dict)
    sources: dict[str, Any] = field(default_factory=dict)


@dataclass
class Refused(Exception):  # noqa: N818 - an end, not an error
    """A `fail` step: the procedure fails for good, undoing first if it says so."""

    failure: StepFailed
    compensate: bool = False


RANKS = (Refused, Ended, StepFailed, Stopped)


def raise_first(outcomes: Iterable[Any]) -> None:
    """Raise what ended a fork: the gravest first, then the first failure; that it was stopped only if nothing else.

    The gravest is a fault of ours, which must not be lost for a failure beside it.
    """
    failed = [one for one in outcomes if isinstance(one, Exception)]
    if failed:
        raise min(failed, key=_rank)


def _rank(ended: Exception) -> int:
    return next((rank for rank, kind in enumerate(RANKS, 1) if isinstance(ended, kind)), 0)
