"""Decision tables at run time: which rows hit, and what the hit policy makes of them."""
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from interlock.plan.rules import Decision


@dataclass(frozen=True, slots=True)
class Decided:
    """Rows that hit (from 0, in order; for `first` the one), and a value per output column; `error` says why there is none."""

    rows: tuple[int, ...]
    result: dict[str, Any]
    error: str = ""


class Table:
    def __init__(self, decision: Decision) -> None: ...
    def hits(self, values: Mapping[str, Any], cell: Callable[[int, str], Any] | None = None) -> list[int]:
        """Rows that hit `values` (by input column); `cell(row, column)` gives the value of a cell with a template."""
    def decide(self, values: Mapping[str, Any], outputs: Callable[[int], Mapping[str, Any]], cell: Callable[[int, str], Any] | None = None) -> Decided:
        """`outputs(row)` gives the row's outputs, templates evaluated; asked only for rows that matter. No hit: every output is none, rows ()."""
