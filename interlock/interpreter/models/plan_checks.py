"""Whether a proposed plan may be carried out: every action, argument and coordinate of it, before anything is done."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from interlock.interpreter.arguments import assemble
from interlock.interpreter.models.selecting import Candidate
from interlock.interpreter.sources import Block, Desk

if TYPE_CHECKING:
    from interlock.interpreter.state import Json
    from interlock.interpreter.turn import Turn
    from interlock.plan.base import Field
    from interlock.plan.steps import PlanStep

Open: TypeAlias = Literal["text", "result"]
"""What a plan may give for an argument: free text, or the result of an earlier action."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A plan as items `{action, texts, results}`, and why it is refused.

    `lacking` is the first item that only the person can help: it is tried alone, is blocked, and so is asked about.
    """

    items: "list[Json]"
    problems: list[str]
    lacking: "Json | None" = field(default=None)


def open_arguments(candidate: Candidate) -> dict[str, Open]:
    """The arguments that a plan has to give; all others have a source of their own."""
    return {
        name: "text" if one.source == "model" else "result"
        for name, one in candidate.taking.input.items()
        if one.source == "model" or (one.source == "caller" and name not in candidate.bind)
    }


def checked(turn: "Turn", step: "PlanStep", candidates: Mapping[str, Candidate], value: "Json") -> Checked:
    """The plan in an answer of a model, held against what is eligible and declared."""
    items: list[Json] = []
    problems: list[str] = []
    lacking: Json | None = None
    if len(value["steps"]) > step.max_steps:
        problems.append(f"it has more than {step.max_steps} steps")
    for number, proposed in enumerate(value["steps"][: step.max_steps], 1):
        candidate = candidates.get(proposed["action"])
        if candidate is None or candidate.name in [one["action"] for one in items]:
            why = "is not among the actions" if candidate is None else "is taken twice"
            problems.append(f"step {number}: {proposed['action']!r} {why}")
            continue
        item, wrong = _item(turn, candidate, proposed, items)
        problems += [f"step {number}: {one}" for one in wrong]
        blocks = [] if wrong else _blocks(turn, candidate, item, items)
        if blocks or _asks(candidate):
            helpful = _asks(candidate) or any(one.slot for one in blocks)
            lacking = lacking or (item if helpful else None)
            problems += [] if helpful else [f"step {number}: {one.reason}" for one in blocks]
        items.append(item)
    return Checked(items, problems, lacking)


def _asks(candidate: Candidate) -> bool:
    return candidate.judged is not None and candidate.judged.gravest.verdict != "go"


def _item(turn: "Turn", candidate: Candidate, proposed: "Json", before: "list[Json]") -> "tuple[Json, list[str]]":
    texts: dict[str, str] = {}
    results: dict[str, tuple[int, str]] = {}
    wrong: list[str] = []
    wanted = open_arguments(candidate)
    for one in proposed["arguments"]:
        name = one["name"]
        if name not in wanted:
            wrong.append(f"{name!r} is not for the plan to give")
        elif wanted[name] == "text" and isinstance(one["text"], str) and one["text"].strip():
            texts[name] = one["text"].strip()
        elif wanted[name] == "result" and isinstance(one["step"], int) and isinstance(one["path"], str):
            wrong += _misplaced(turn, candidate.taking.input[name], one["step"], one["path"], before)
            results[name] = (one["step"], one["path"])
    given = texts.keys() | results.keys()
    for name in wanted:
        declared = candidate.taking.input[name]
        if name not in given and not declared.optional and declared.default is None:
            wrong.append(f"nothing is given for {name!r}")
    return {"action": candidate.name, "texts": texts, "results": results}, wrong


def _misplaced(turn: "Turn", argument: "Field", number: int, path: str, before: "list[Json]") -> Iterator[str]:
    """Why a coordinate leads to no value of the right type; a row of a list is for the person to pick."""
    if not 1 <= number <= len(before):
        yield f"there is no earlier step {number}"
        return
    tool = turn.program.plan.tools.get(before[number - 1]["action"])
    fields: Any = tool.output if tool is not None else None
    found: Field | None = None
    for name in path.split("."):
        found = fields.get(name) if fields is not None else None
        fields = found.fields if found is not None else None
    if found is None:
        yield f"step {number} declares no {path!r}"
    elif found.type != argument.type:
        yield f"{path!r} of step {number} is {found.type}, and {argument.type} is wanted"


def _blocks(turn: "Turn", candidate: Candidate, item: "Json", before: "list[Json]") -> list[Block]:
    """What would block the call now, but for what earlier actions are yet to give."""
    desk = Desk(turn, turn.context, proposed=item["texts"])
    blocks = assemble(desk, candidate.taking, candidate.bind).blocks
    filled = {f"cells.{one['action']}." for one in before}
    awaited = {
        name for name, one in candidate.taking.input.items() if any(one.source.startswith(cell) for cell in filled)
    }
    return [one for one in blocks if one.argument not in item["results"] and one.argument not in awaited]
