"""Decision tables when a spec is checked: cells parsed, and what is wrong with the rows."""
from typing import Any, NamedTuple

from interlock.plan.base import Field
from interlock.plan.rules import Cell, Decision


class Problem(NamedTuple):
    code: str
    message: str
    hint: str


class Finding(NamedTuple):
    """`row` and `other` count from 0; `row` is none for what concerns the whole table."""
    code: str
    row: int | None
    other: int | None
    message: str
    hint: str


WARNINGS = frozenset({"table-gap", "table-not-checked"})


def parse_cell(written: Any, column: Field, *, csv: bool = False) -> Cell | Problem | None:
    """The cell that was written (None: any)."""


def parse_output(written: Any, column: Field, *, csv: bool = False) -> tuple[Any] | Problem | None:
    """The output value that was written, as a 1-tuple (None: nothing was written)."""


def findings(decision: Decision) -> list[Finding]:
    ...
