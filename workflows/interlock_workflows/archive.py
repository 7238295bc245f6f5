"""The records of a run that its state no longer holds: packed in memory, asked of the run, and left behind with it."""

import json
import zlib
from collections.abc import Sequence
from typing import Any

from interlock.interpreter.state import RECORDS_KEPT

Json = dict[str, Any]

BATCH = 10
"""Records packed together; they repeat each other, so a batch takes a fraction of their size."""


class Archive:
    """Every record of this run in order; `number` is the key of a record that counts them."""

    def __init__(self, number: str = "turn") -> None:
        self._number = number
        self._packed: list[tuple[int, bytes]] = []
        self._loose: list[Json] = []

    def take(self, records: Sequence[Json]) -> None:
        """Add those of `records` that are new; the state's own last ones stay shared with it."""
        last = self._loose[-1][self._number] if self._loose else 0
        self._loose += [record for record in records if record[self._number] > last]
        while len(self._loose) >= RECORDS_KEPT + BATCH:
            batch, self._loose = self._loose[:BATCH], self._loose[BATCH:]
            text = json.dumps(batch, ensure_ascii=False, separators=(",", ":"))
            self._packed.append((batch[-1][self._number], zlib.compress(text.encode(), 1)))

    def find(self, number: int) -> Json | None:
        """The record of that number, if this run has it."""
        return next((record for record in self._around(number) if record[self._number] == number), None)

    def after(self, number: int) -> list[Json]:
        """The next records after a number, as many as lie together."""
        return [record for record in self._around(number + 1) if record[self._number] > number]

    def _around(self, number: int) -> list[Json]:
        batch = next((packed for last, packed in self._packed if number <= last), None)
        records: list[Json] = json.loads(zlib.decompress(batch)) if batch is not None else self._loose
        return records
