"""Fact answers: each fact stated and each miss named, in the author's words, with no figure but those of receipts."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from interlock.expressions import Missing
from interlock.interpreter.lookups import FOUND, NOT_FOUND, UNRECOGNIZED, slots_behind
from interlock.interpreter.models.figures import unsourced
from interlock.interpreter.rendered import Rendered
from interlock.interpreter.showing import bound
from interlock.interpreter.slots import offered, unrecognized_text
from interlock.interpreter.texts import SEPARATOR, engine_text, said, said_or, slot_title

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from interlock.interpreter.state import Json
    from interlock.interpreter.turn import CallResult, Turn
    from interlock.plan.base import Text
    from interlock.plan.tools import Response

RULES_WITH_FACTS = 2

_COMPUTED = re.compile(r"\{\{.*?\}\}|\{%.*?%\}", re.DOTALL)


def stated(turn: "Turn", response: "Response", calls: "Sequence[CallResult]") -> Rendered:
    """All look-ups by a response, a line each. Nothing found is an honest refusal, whatever else was said."""
    return _composed(turn, [(response, call) for call in calls])


def stated_by_mounts(turn: "Turn") -> Rendered | None:
    """All look-ups of a turn that has made no other call, by the one response of their mounts; none in other cases."""
    calls = [call for call in turn.calls if call.went_out or call.fact is not None]
    if not any(call.fact is not None for call in calls):
        return None
    responses = [_of_mount(turn, call) for call in calls]
    one = responses[0]
    return stated(turn, one, calls) if one is not None and all(each is one for each in responses) else None


def stated_beside(turn: "Turn") -> Rendered | None:
    """The look-ups of loops, each by the response of its mount, where something else is to be said too.

    None where that is not known of all of them, or where the run goes by rules that did not state them.
    """
    if turn.rules < RULES_WITH_FACTS:
        return None
    tools, loops = turn.program.plan.tools, turn.asked.scratchpads if turn.asked is not None else {}
    calls = [call for call in turn.calls if call.step in loops and call.tool in tools and tools[call.tool].fact]
    by = [(response, call) for call in calls if (response := _of_mount(turn, call)) is not None]
    if len(by) < len(calls) or not any(call.fact is not None for call in calls):
        return None
    return _composed(turn, by)


def _of_mount(turn: "Turn", call: "CallResult") -> "Response | None":
    """The response that states facts, if the mount of a call names one."""
    mount = turn.program.mounts.get(call.tool)
    response = turn.program.plan.responses.get(mount.respond) if mount is not None else None
    return response if response is not None and response.kind == "facts" else None


def _composed(turn: "Turn", by: "Sequence[tuple[Response, CallResult]]") -> Rendered:
    said_of = [_line(turn, response, call) for response, call in by]
    kinds = [kind for _, kind in said_of]
    for _, call in by:
        if call.fact is not None and call.fact["status"] == UNRECOGNIZED:
            turn.options += [one for one in offered(turn, call.fact["slot"]) if one not in turn.options]
    found = FOUND in kinds
    looked_up = any(call.fact is not None for _, call in by)
    alike = all(response is by[0][0] for response, _ in by)
    rules = (name for name, one in turn.program.plan.responses.items() if alike and one is by[0][0])
    return Rendered(
        "\n".join(line for line, _ in said_of),
        "text",
        {"facts": [_as_data(call) for _, call in by]},
        source="facts",
        outcome="answer" if found else "decline" if looked_up else "error",
        reason="" if found else kinds[0],
        rule=next(rules, None),
    )


def _as_data(call: "CallResult") -> "Json":
    if call.fact is None:
        return {"status": call.outcome, "arguments": call.arguments}
    return {key: value for key, value in call.fact.items() if key != "slot"}


def _line(turn: "Turn", response: "Response", call: "CallResult") -> tuple[str, str]:
    """What is said of a look-up, and what it comes to: its status, or an error where it cannot be said."""
    fact, texts = call.fact, response.facts
    assert texts is not None
    reader = _Reader(turn, call)
    if fact is None:
        return reader.without(), call.outcome
    if fact["status"] == UNRECOGNIZED:
        fallback = unrecognized_text(turn, fact["slot"], fact["raw"])
        return said_or(turn, texts.unrecognized, response.at, fallback, reader.context), UNRECOGNIZED
    text = texts.not_found if fact["status"] == NOT_FOUND else texts.found
    try:
        line = said(turn, text, reader.context)
    except Missing as missing:
        turn.failed(response.at, "text-incomplete", str(missing))
        return reader.without(), "error"
    strange = unsourced(line, [*reader.receipt(), *_own_words(text)])
    if not strange:
        return line, str(fact["status"])
    noted = turn.asking.flags.get("unsourced_figures", [])
    turn.asking.flags["unsourced_figures"] = list(dict.fromkeys([*noted, *strange]))
    turn.failed(response.at, "figure-not-in-receipt", f"figures that stand in no receipt: {', '.join(strange)}")
    return reader.without(), "error"


def _own_words(text: "Text") -> Iterator[str]:
    """What the author has written between what is computed."""
    return (_COMPUTED.sub(" ", version) for version in text.values())


class _Reader:
    """What a text reads of one look-up: the root `fact`, whose codes are shown by the vocabularies of their slots."""

    def __init__(self, turn: "Turn", call: "CallResult") -> None:
        tool = turn.program.plan.tools.get(call.tool)
        self._turn, self._call = turn, call
        self._slots = slots_behind(tool, bound(turn, call)) if tool is not None else {}
        self._show: Callable[[Any, str], str] = turn.context["$show"]
        fact = call.fact or {}
        arguments = dict.fromkeys(tool.input if tool is not None else ()) | fact.get("arguments", call.arguments)
        own = {key: value for key, value in fact.items() if key in ("value", "unit", "source", "param", "raw")}
        self.root: Json = {**arguments, **own}
        self.context = turn.context.extended(**{"fact": self.root, "$show": self.shown})

    def shown(self, value: Any, path: str = "") -> str:
        """The filter `show` in a text about a look-up."""
        root, _, name = path.partition(".")
        if root != "fact":
            return self._show(value, path)
        if name == "param":
            return slot_title(self._turn, self._slots.get(value, value))
        return self._show(value, f"slots.{self._slots[name]}" if name in self._slots else "")

    def without(self) -> str:
        """That what was looked up, in the reader's words, cannot be said."""
        shown = (self.shown(value, f"fact.{name}") for name, value in self._arguments().items() if value is not None)
        subject = SEPARATOR.get(self._turn.language, ", ").join(filter(None, shown))
        return engine_text(self._turn.program, self._turn.language, "no_fact", subject=subject)

    def receipt(self) -> Iterator[Any]:
        """Where the figures of a text may stand: the fact, and its codes as they are shown."""
        yield self.root
        yield from (self.shown(value, f"fact.{name}") for name, value in self._arguments().items())

    def _arguments(self) -> "Json":
        return self._call.fact.get("arguments", {}) if self._call.fact is not None else self._call.arguments
