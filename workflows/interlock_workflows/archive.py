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
    """Every record of this run by turn, in order."""

    def __init__(self) -> None:
        self._packed: list[tuple[int, bytes]] = []
        self._loose: list[Json] = []

    def take(self, records: Sequence[Json]) -> None:
        """Add those of `records` that are new; the state's own last ones stay shared with it."""
        last = self._loose[-1]["turn"] if self._loose else 0
        new = [record for record in records[-BATCH:] if record["turn"] > last]
        self._loose += new
        while len(self._loose) >= RECORDS_KEPT + BATCH:
            batch, self._loose = self._loose[:BATCH], self._loose[BATCH:]
            text = json.dumps(batch, ensure_ascii=False, separators=(",", ":"))
            self._packed.append((batch[-1]["turn"], zlib.compress(text.encode(), 1)))

    def find(self, turn: int) -> Json | None:
        """The record of a turn, if this run has it."""
        batch = next((packed for last, packed in self._packed if turn <= last), None)
        records: list[Json] = json.loads(zlib.decompress(batch)) if batch is not None else self._loose
        return next((record for record in records if record["turn"] == turn), None)
