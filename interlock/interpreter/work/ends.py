"""How a walk over the steps ends before its last one."""

from dataclasses import dataclass, field
from typing import Any

from interlock.interpreter.failures import StepFailed


@dataclass
class Ended(Exception):  # noqa: N818 - an end, not an error
    """An `end` step: the procedure is done, with this result."""

    result: dict[str, Any] = field(default_factory=dict)


@dataclass
class Refused(Exception):  # noqa: N818 - an end, not an error
    """A `fail` step: the procedure fails for good, undoing first if it says so."""

    failure: StepFailed
    compensate: bool = False
