"""What a suite expects of a turn, held against what came of it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import re2

from interlock.authoring.telling import ending_gate
from interlock.spec.expected import SUITE_OUTCOME

if TYPE_CHECKING:
    from collections.abc import Iterator

    from interlock.authoring.stage import Played
    from interlock.interpreter.commands import CallTool
    from interlock.interpreter.state import State
    from interlock.spec.expected import Expect, ExpectedCall, ExpectedReply


@dataclass(frozen=True)
class Mismatch:
    """One expectation that does not hold: where it stands below `expect`, what was expected, and what happened."""

    path: tuple[str | int, ...]
    expected: str
    happened: str

    @property
    def key(self) -> str:
        """The path in words."""
        return ".".join(map(str, self.path))


class Unfit(Exception):  # noqa: N818 - it names what is wrong
    """What a case begins with, or sends, is not let in. `path` leads to it within the case; none is the turn."""

    def __init__(self, key: str, fits: str, happened: str, path: tuple[str | int, ...] = ()) -> None:
        super().__init__(happened)
        self.path = path
        self.mismatch = Mismatch((key,), fits, happened)


def mismatches(expect: Expect, played: Played, state: State) -> Iterator[Mismatch]:
    """Every expectation that does not hold."""
    reply = played.reply or {}
    record = played.record or {}
    written = expect.model_fields_set
    if expect.outcome is not None:
        said = reply.get("outcome")
        yield from same(("outcome",), expect.outcome, said and SUITE_OUTCOME.get(said, said))
    if expect.status is not None:
        yield from same(("status",), expect.status, state.status)
    if expect.reason is not None:
        yield from same(("reason",), expect.reason, reply.get("reason"))
    if expect.gate is not None:
        yield from same(("gate",), expect.gate, (ending_gate(record) or {}).get("id"))
    if expect.route is not None:
        yield from same(("route",), expect.route, (record.get("route") or {}).get("id"))
    if expect.answered_by is not None:
        yield from same(("answered_by",), expect.answered_by, record.get("response_source"))
    if "missing" in written:
        yield from same(("missing",), expect.missing, reply.get("missing"))
    if expect.rounds is not None:
        yield from same(("rounds",), expect.rounds, len(record.get("selections") or ()))
    if expect.remembered is not None:
        left = (record.get("memory") or {}).get("written") or {}
        yield from same(("remembered",), expect.remembered, "exchanges" in left)
    for name, value in (expect.slots or {}).items():
        yield from same(("slots", name), value, _slot(record, name))
    for name, value in (expect.cells or {}).items():
        tool, key = name.split(".", 1)
        yield from same(("cells", name), value, state.cells.get(tool, {}).get(key, {}).get("value"))
    if expect.calls is not None:
        yield from calls_as(expect.calls, played.calls_of_turn)
    if expect.reply is not None:
        yield from _said(expect.reply, reply.get("text") or "")


def _slot(record: dict[str, Any], name: str) -> Any:
    found = record.get("slots", {}).get(name)
    return found.get("value") if isinstance(found, dict) else found


def same(path: tuple[str | int, ...], expected: Any, happened: Any) -> Iterator[Mismatch]:
    """A mismatch unless both are equal, and of one type."""
    if expected != happened or type(expected) is not type(happened):
        yield Mismatch(path, shown(expected), shown(happened))


def calls_as(expected: list[ExpectedCall], happened: list[CallTool]) -> Iterator[Mismatch]:
    """Mismatches unless exactly these calls were made, in this order, with at least these arguments."""
    if [call.tool for call in expected] != [call.tool for call in happened]:
        yield Mismatch(("calls",), shown([call.tool for call in expected]), shown([call.tool for call in happened]))
        return
    for place, (call, made) in enumerate(zip(expected, happened, strict=True)):
        for name, value in (call.args or {}).items():
            yield from same(("calls", place, "args", name), value, made.arguments.get(name))


def _said(expected: ExpectedReply, text: str) -> Iterator[Mismatch]:
    if expected.equals is not None and text != expected.equals:
        yield Mismatch(("reply", "equals"), shown(expected.equals), shown(text))
    if expected.contains is not None and expected.contains not in text:
        yield Mismatch(("reply", "contains"), shown(expected.contains), shown(text))
    if expected.matches is not None and not re2.search(expected.matches, text):
        yield Mismatch(("reply", "matches"), shown(expected.matches), shown(text))


def shown(value: Any) -> str:
    """A value as the author would write it."""
    return json.dumps(value, ensure_ascii=False)
