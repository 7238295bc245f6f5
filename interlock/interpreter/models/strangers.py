"""What in prose is strange to its sources: figures that stand nowhere, and citations of what was not found."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from interlock.interpreter.lookups import in_turn
from interlock.interpreter.models import evidence
from interlock.interpreter.models.figures import unsourced
from interlock.interpreter.models.quoting import unknown_citations, without_citations

if TYPE_CHECKING:
    from interlock.interpreter.models.evidence import Shown
    from interlock.interpreter.turn import Turn
    from interlock.plan.steps import GenerateStep

NOTED, FIGURE_CHARS = 20, 40
"""How many strangers of a kind the record keeps, and how much of each."""


@dataclass(frozen=True, slots=True)
class Basis:
    """What prose rests on: the data that was shown, and the author's `own` words.

    `facts` are the only places of figures where facts were looked up, or might have been; none where it is about no
    facts. Beside facts not even the user's words are one: a figure that they contain is no fact for it.
    """

    shown: "Shown"
    own: list[str]
    facts: list[Any] | None


def basis_of(turn: "Turn", step: "GenerateStep", shown: "Shown", own: list[str]) -> Basis:
    """What the prose of a step rests on."""
    return Basis(shown, own, _facts(turn, step, shown))


def _facts(turn: "Turn", step: "GenerateStep", shown: "Shown") -> list[Any] | None:
    if in_turn(turn):
        return [*evidence.receipts(turn, shown)]
    tools = turn.program.plan.tools
    called = [tools[call.tool] for call in turn.calls if call.tool in tools]
    asks_facts = turn.asking.looks_up or any(tool.fact is not None for tool in called)
    if not asks_facts or step.no_result == "keep":
        return None
    return [*evidence.receipts(turn, shown), turn.message.text]


def strange(turn: "Turn", text: str, basis: Basis) -> dict[str, list[str]]:
    """The strangers in a text, by the flag that notes some of them."""
    passages = len(basis.shown.passages)
    stated = without_citations(text, passages)
    if basis.facts is None:
        figures = unsourced(stated, [*evidence.sources(turn, basis.shown), basis.own])
    else:
        figures = unsourced(stated, basis.facts, in_words=True)
    citations = unknown_citations(text, passages) if passages or turn.asking.retrievals else []
    found = {"unsourced_figures": figures, "unknown_citations": citations}
    there = {flag: each for flag, each in found.items() if each}
    for flag, each in there.items():
        noted = turn.asking.flags.setdefault(flag, [])
        noted += [one[:FIGURE_CHARS] for one in each[: NOTED - len(noted)]]
    return there
