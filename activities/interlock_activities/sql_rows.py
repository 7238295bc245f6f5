"""Rows of a database as JSON: how many and how large they may be, and which values have a JSON form."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

from interlock.contract import strict_json
from interlock.contract.limits import INLINE_LIMIT
from interlock.contract.strict_json import NotStrictJsonError
from interlock_activities.failures import failed, misconfigured

MAX_ROWS: Final = 1_000
"""Rows of one answer; more are a failure, since a cut list would pass for a whole one."""

MAX_STORED_ROWS: Final = 100_000
"""Likewise where rows stay outside the run."""


class Rows:
    """Collects the rows of one answer; raises Failure for what cannot be given whole and unchanged."""

    def __init__(self, columns: Sequence[str], max_bytes: int) -> None:
        name, uses = max(Counter(columns).items(), key=lambda one: one[1], default=("", 0))
        if uses > 1:
            raise misconfigured(f"{uses} columns are named {strict_json.shown(name)!r}: give them names with AS")
        self._columns = tuple(columns)
        self._max_bytes = max_bytes
        self._max_rows = MAX_ROWS if max_bytes <= INLINE_LIMIT else MAX_STORED_ROWS
        self._bytes = len(strict_json.dumps(payload([], self._max_rows)))
        self.rows: list[dict[str, Any]] = []

    def add(self, values: Sequence[Any]) -> None:
        """One more row."""
        if len(self.rows) == self._max_rows:
            most = f"{self._max_rows:,} rows"
            raise failed(f"more than {most}: let the statement find fewer", retryable=False, sent=False)
        row = dict(zip(self._columns, values, strict=True))
        for column, value in row.items():
            _check_kind(value, column)
        try:
            strict_json.check(row, self._max_bytes)
        except NotStrictJsonError as problem:
            raise failed(f"row {len(self.rows):,} is refused: {problem}", retryable=False, sent=False) from None
        self._bytes += len(strict_json.dumps(row)) + 1
        if self._bytes > self._max_bytes:
            message = f"rows of more than {self._max_bytes:,} bytes: let the statement find fewer or name its columns"
            raise failed(message, retryable=False, sent=False)
        self.rows.append(row)


def payload(rows: list[dict[str, Any]], count: int) -> dict[str, Any]:
    """What a tool's `outcomes` and `unwrap` read: the rows, and how many were found or changed."""
    return {"rows": rows, "count": count}


def _check_kind(value: Any, column: str) -> None:
    if isinstance(value, bytes | bytearray | memoryview):
        message = f"column {strict_json.shown(column)!r} holds bytes, which are not JSON: encode them in the statement"
        raise failed(message, retryable=False, sent=False)
    if not isinstance(value, str | int | float | bool | list | dict | None):
        message = f"column {strict_json.shown(column)!r} has no JSON form: cast it to text in the statement"
        raise failed(message, retryable=False, sent=False)
