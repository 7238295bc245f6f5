"""Whether a call that is bound to identifiers should be tried for this message: eight rules, the first that holds.

They stand before every such call whose mount names an intent. History decides only whether to try.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from interlock.interpreter import identifiers
from interlock.interpreter.trusted import CHAT, trusted_values

if TYPE_CHECKING:
    from interlock.interpreter.sources import Desk
    from interlock.interpreter.state import Json
    from interlock.interpreter.turn import Found, Turn
    from interlock.plan.tools import Taking

Verdict: TypeAlias = Literal["go", "ask_which", "guidance", "skip"]

RULES: dict[int, tuple[Verdict, str]] = {
    1: ("go", "one identifier in the message"),
    2: ("ask_which", "several identifiers in the message"),
    3: ("skip", "not a chat message, and no identifier in it"),
    4: ("go", "a bare reply that the conversation was waiting for"),
    5: ("go", "intent or follow-up, and one identifier in trusted history"),
    6: ("ask_which", "intent or follow-up, and several identifiers in trusted history"),
    7: ("guidance", "intent, and no identifier"),
    8: ("skip", "no identifier and no intent"),
}
"""What each rule decides, and what it says in the record."""

GRAVEST: tuple[Verdict, ...] = ("ask_which", "go", "guidance", "skip")
"""Which verdict counts when a tool takes several identifiers."""


@dataclass(frozen=True, slots=True)
class Passed:
    """The rule that held for one slot; `values` are the identifiers it saw."""

    slot: str
    rule: int
    values: tuple["Found", ...] = ()

    @property
    def verdict(self) -> Verdict:
        """What the rule decides."""
        return RULES[self.rule][0]

    def as_json(self) -> "Json":
        """The entry in the record."""
        verdict, words = RULES[self.rule]
        return {"slot": self.slot, "rule": self.rule, "verdict": verdict, "words": words}


@dataclass(frozen=True, slots=True)
class Judged:
    """What counts for the call, and the one identifier of trusted history by slot, where rule 5 let it through."""

    gravest: Passed
    history: Mapping[str, "Found"]


def of_call(desk: "Desk", tool: "Taking", bind: "Mapping[str, Any]", intent: str) -> Judged | None:
    """What the identifiers that a call is bound to say of this message; none for one that is bound to none."""
    slots = identifiers.slots_of(desk.turn.program.plan, tool.input, bind)
    if not slots:
        return None
    lists = {slot for name, slot in slots.items() if tool.input[name].type == "list"}
    return judge(desk, slots.values(), intent, lists)


def judge(desk: "Desk", slots: Collection[str], intent: str, lists: Collection[str]) -> Judged:
    """The rules that hold for `slots`, each looked at once; those in `lists` may have several values."""
    passed = [judge_slot(desk, slot, intent, several=slot in lists) for slot in dict.fromkeys(slots)]
    return Judged(
        gravest=min(passed, key=lambda one: GRAVEST.index(one.verdict)),
        history={one.slot: one.values[0] for one in passed if one.rule == 5},
    )


def judge_slot(desk: "Desk", slot: str, intent: str, *, several: bool) -> Passed:
    """The first of the eight rules that holds for one identifier slot."""
    turn = desk.turn
    said = _said(desk, slot)
    if said is not None:
        if len(said) > 1 and not several:
            return Passed(slot, 2, said)
        return Passed(slot, 4 if _is_bare(turn, slot) else 1, said)
    if turn.message.type != CHAT:
        return Passed(slot, 3)
    meant = turn.intents.get(intent, False)
    if meant or intent in turn.follow_ups:
        known = _known(desk, slot)
        if known:
            return Passed(slot, 5 if len(known) == 1 else 6, known)
    return Passed(slot, 7 if meant else 8)


def _said(desk: "Desk", slot: str) -> tuple["Found", ...] | None:
    """What the message holds for `slot`, or what a flow that goes on has at hand; None if nothing.

    The message that a flow goes on with answers one of its questions, and need not say the rest again.
    """
    filled = desk.filled(slot)
    if filled is None or filled.source not in ("message", "kept"):
        return None
    of_session = desk.turn.program.plan.slots[slot].keep == "session"
    if filled.source == "kept" and of_session and desk.turn.going_on is None:
        return None
    return filled.found or None


def _known(desk: "Desk", slot: str) -> tuple["Found", ...]:
    """Distinct identifiers of trusted history, and the one that the session keeps."""
    filled = desk.filled(slot)
    kept = filled.found if filled is not None and filled.source == "kept" else ()
    found = {one.value: one for one in (*kept, *trusted_values(desk.turn, slot))}
    return tuple(found.values())


def _is_bare(turn: "Turn", slot: str) -> bool:
    filled = turn.slots.get(slot)
    if filled is None or filled.source != "message" or not turn.program.plan.slots[slot].in_context:
        return False
    return ("slot", slot) not in turn.program.finder.shapes(turn.text)
