"""What is known of one call while it is made, and the ends of those that never go out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from interlock.interpreter import receipts
from interlock.interpreter.arguments import Assembled
from interlock.interpreter.identifiers import copied_slots
from interlock.interpreter.sources import Block, Desk
from interlock.interpreter.texts import engine_text, said_or
from interlock.interpreter.turn import CallOutcome, CallResult
from interlock.plan.marks import MASK
from interlock.plan.tools import Tool

if TYPE_CHECKING:
    from interlock.interpreter.pregate import Judged, Passed
    from interlock.interpreter.state import Json
    from interlock.interpreter.turn import Turn
    from interlock.plan.tools import Taking


@dataclass(slots=True)
class Attempt:
    """One call on its way, or one procedure that is to be run.

    `asking` are the tools whose checks it is made for, `is_check` that it is for a check.

    `instance` names what it is done for, the same at every repetition: the engine's idempotency key is made of it.
    `sent` is the request as it went out before, if this is a repetition; `key` the one that it goes out with.
    """

    desk: Desk
    name: str
    taking: "Taking"
    bind: Mapping[str, Any]
    step: str
    at: str
    asking: frozenset[str] = frozenset()
    is_check: bool = False
    instance: str = ""
    sent: "Json | None" = None
    key: str = ""
    assembled: Assembled = field(default_factory=Assembled)
    audit: "Json" = field(default_factory=dict)

    @property
    def tool(self) -> Tool:
        """The tool that is called; a procedure is never asked for one."""
        assert isinstance(self.taking, Tool)
        return self.taking

    @property
    def turn(self) -> "Turn":
        """The turn it is made in."""
        return self.desk.turn

    def ended(self, outcome: CallOutcome, error: str = "", **rest: Any) -> CallResult:
        """The result, with what the record keeps of the call."""
        audit = {"tool": self.name, "step": self.step, "at": self.at, "outcome": outcome, **self.audit}
        if error:
            audit["error"] = error
        arguments = self.assembled.arguments
        return CallResult(self.name, self.step, self.at, outcome, arguments=arguments, audit=audit, **rest)

    def slot_of(self, argument: str) -> str:
        """The slot that an argument copies; empty if none."""
        return copied_slots(self.taking.input, self.bind).get(argument, "")


def gated(attempt: Attempt, judged: "Judged") -> CallResult | None:
    """The end of a call that the identifiers of the message do not let through; none for one that may go on."""
    passed = judged.gravest
    attempt.audit["pre_gate"] = passed.as_json()
    attempt.turn.stages.passes("pre-generation-gate", tool=attempt.name, verdict=passed.verdict, rule=passed.rule)
    return None if passed.verdict == "go" else held(attempt, passed)


def verified(attempt: Attempt) -> None:
    """Tell what came of the arguments, once each has its value or is known to have none."""
    blocks = attempt.assembled.blocks
    attempt.turn.stages.passes(
        "argument-verification",
        {"arguments": attempt.audit["arguments"]},
        tool=attempt.name,
        verdict="blocked" if blocks else "passed",
        blocked=[f"{block.argument}: {block.why}" for block in blocks],
    )


def held(attempt: Attempt, passed: "Passed") -> CallResult:
    """The end of a call that the message gives no cause to try, or lacks one identifier for."""
    if passed.verdict == "skip":
        return attempt.ended("skipped")
    if passed.verdict == "guidance":
        return attempt.ended("missing", missing=(passed.slot,))
    return attempt.ended("ambiguous", candidates={passed.slot: [found.value for found in passed.values]})


def blocked(attempt: Attempt, blocks: Sequence[Block]) -> CallResult:
    """The end of a call with arguments that must not go out; what the person can help comes before what is wrong."""
    attempt.audit["blocks"] = [receipts.refused(attempt.turn, attempt.name, block) for block in blocks]
    lack = lacking(blocks)
    message = "" if lack.missing or lack.candidates else without(attempt.turn, attempt.taking, attempt.at, blocks[0])
    return attempt.ended(lack.outcome, missing=lack.missing, candidates=lack.candidates, message=message)


def unrecognized(attempt: Attempt, lookup: "Json") -> CallResult:
    """The end of a look-up that no call is made for: what was said means none of the codes that an argument takes."""
    hide = lookup["slot"] in attempt.turn.program.sensitive_slots
    attempt.audit["fact"] = lookup["status"]
    attempt.audit["unrecognized"] = {"argument": lookup["param"], "raw": MASK if hide else lookup["raw"]}
    return attempt.ended("unrecognized", fact=lookup)


class Lack(NamedTuple):
    """What blocked arguments lack: slots that would help, and the values of the ambiguous ones."""

    outcome: Literal["blocked", "missing", "ambiguous"]
    missing: tuple[str, ...]
    candidates: dict[str, list[Any]]


def lacking(blocks: Sequence[Block]) -> Lack:
    """What the person can help comes before what is wrong."""
    helpful = tuple(
        dict.fromkeys(block.slot for block in blocks if block.slot and block.why in ("missing", "untraceable"))
    )
    candidates = {block.slot: list(block.candidates) for block in blocks if block.why == "ambiguous"}
    if candidates:
        return Lack("ambiguous", helpful, candidates)
    if helpful or any(block.why in ("missing", "stale") for block in blocks):
        return Lack("missing", helpful, {})
    return Lack("blocked", helpful, {})


def without(turn: "Turn", taking: "Taking", at: str, block: Block) -> str:
    """What the person is told whom nobody can ask for the argument."""
    title = said_or(turn, taking.input[block.argument].title, at, block.argument.replace("_", " "))
    return engine_text(turn.program, turn.language, "missing", title=title)
