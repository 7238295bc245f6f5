"""What a suite expects of a procedure's run, held against its state and what a turn led to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from interlock.authoring.expectations import Mismatch, calls_as, same, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from interlock.authoring.work_stage import WorkPlayed
    from interlock.interpreter.work.state import RunState
    from interlock.spec.expected import Expect, ExpectedFailure


def work_mismatches(expect: Expect, played: WorkPlayed, state: RunState) -> Iterator[Mismatch]:
    """Every expectation that does not hold."""
    if expect.status is not None:
        yield from same(("status",), expect.status, state.status)
    if expect.missing is not None:
        blocks = (state.failure or {}).get("missing") or ()
        yield from same(("missing",), expect.missing, [block["argument"] for block in blocks])
    if expect.failure is not None:
        yield from _failure(expect.failure, state.failure or {})
    for name, value in (expect.cells or {}).items():
        tool, key = name.split(".", 1)
        yield from same(("cells", name), value, state.cells.get(tool, {}).get(key, {}).get("value"))
    for name, value in (expect.result or {}).items():
        yield from same(("result", name), value, (state.result or {}).get(name))
    if expect.calls is not None:
        yield from calls_as(expect.calls, played.calls)
    if expect.undone is not None:
        yield from same(("undone",), expect.undone, _undone(played))


def _failure(expected: ExpectedFailure, happened: dict[str, Any]) -> Iterator[Mismatch]:
    if expected.kind is not None:
        yield from same(("failure", "kind"), expected.kind, happened.get("kind"))
    if expected.step is not None:
        yield from same(("failure", "step"), expected.step, happened.get("step", "").rpartition("/")[2] or None)
    message = happened.get("message", "")
    if expected.contains is not None and expected.contains not in message:
        yield Mismatch(("failure", "contains"), shown(expected.contains), shown(message))


def _undone(played: WorkPlayed) -> list[str]:
    """The steps of the run itself that this turn has undone, in order."""
    return [record["step"] for path, record in played.records if not path and record.get("event") == "undone"]
