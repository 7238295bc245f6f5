"""The memory of people on a stage: what a suite says is remembered, and what its conversation adds to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from interlock.contract.memory import last, latest
from interlock.interpreter.commands import ReadMemory
from interlock.interpreter.events import Remembered

if TYPE_CHECKING:
    from interlock.contract.memory import Person
    from interlock.interpreter.commands import WriteMemory
    from interlock.spec.suite import MemoryStub

FAILED = "stubbed error"


class StubbedMemory:
    """One store, in which everybody is remembered by what the stub says until something is added."""

    def __init__(self, stub: MemoryStub | None = None) -> None:
        self._stub = stub
        self._exchanges: dict[Person, list[dict[str, Any]]] = {}
        self._results: dict[Person, list[dict[str, Any]]] = {}

    def answered(self, asked: ReadMemory | WriteMemory, now_ms: int) -> Remembered:
        """The end of a look or an entry."""
        if self._stub is not None and self._stub.outcome is not None:
            return Remembered(asked.call_id, now_ms, message=FAILED)
        if isinstance(asked, ReadMemory):
            return self._read(asked, now_ms)
        entry = asked.entry
        exchanges, results = self._of(entry.person, now_ms)
        exchanges.append({"at_ms": entry.at_ms, "said": entry.said, "answered": entry.answered})
        results += [{"at_ms": entry.at_ms, **one} for one in entry.found]
        return Remembered(asked.call_id, now_ms)

    def _read(self, asked: ReadMemory, now_ms: int) -> Remembered:
        question = asked.question
        exchanges, results = self._of(question.person, now_ms)
        found = {"exchanges": latest(exchanges, question.chars), "results": last(results, question.results)}
        return Remembered(asked.call_id, now_ms, found)

    def _of(self, person: Person, now_ms: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        if person not in self._exchanges:
            stub = self._stub
            self._exchanges[person] = [
                {"at_ms": now_ms, "said": one.user, "answered": one.assistant}
                for one in (stub.exchanges if stub else None) or ()
            ]
            self._results[person] = [
                {"at_ms": now_ms, "tool": one.tool, "result": one.result}
                for one in (stub.results if stub else None) or ()
            ]
        return self._exchanges[person], self._results[person]
