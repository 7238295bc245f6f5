"""The step `plan`: a model proposes a list of actions, rules check all of it, and only then is the first one taken."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from interlock.interpreter.cells import at_path
from interlock.interpreter.failures import Interrupted, StepFailed
from interlock.interpreter.masking import without_secrets
from interlock.interpreter.models import roles
from interlock.interpreter.models.asking import asked, noted
from interlock.interpreter.models.plan_checks import Checked, checked, open_arguments
from interlock.interpreter.models.proposals import PLAN, schema_of, told_action
from interlock.interpreter.models.rounds import Rounds
from interlock.interpreter.models.scratchpad import THOUGHT_CHARS, Scratchpad
from interlock.interpreter.models.selecting import Candidate, Selection, candidate_of
from interlock.interpreter.provenance import RESULT
from interlock.interpreter.reading import read
from interlock.interpreter.sources import Given
from interlock.interpreter.texts import said
from interlock.interpreter.turn import Calling, Turn

if TYPE_CHECKING:
    from interlock.interpreter.state import Json
    from interlock.plan.steps import PlanStep

ASKED_AT_MOST = 2
"""How often a model is asked for a plan: once more with the reasons, if the first one is refused."""

PROBLEMS_SHOWN = 10


def plan(turn: Turn, step: "PlanStep", path: str, entry: "Json") -> "Calling[Json]":
    """Have a plan proposed and checked, and carry it out. Raises StepFailed `model` where there is none that may be.

    `entry` is the step's in the journal: it holds plan and scratchpad while a procedure runs.
    """
    if not turn.read:
        read(turn)
    pad = Scratchpad(entry.get("blocks", []))
    turn.asking.scratchpads[step.id] = pad.blocks
    rounds = Rounds(turn, step, path, entry, pad)
    going = rounds.taken_up() if "ended" in entry else True
    if "plan" not in entry:
        found = yield from _proposed(turn, step)
        entry["plan"] = [found.lacking] if found.lacking else found.items
    for number, item in enumerate(entry["plan"], 1):
        if going and number > pad.round:
            going = yield from _taken(turn, step, rounds, number, item)
    turn.last = rounds.made
    return {"result": rounds.results, RESULT: pad.ends}


def _taken(turn: Turn, step: "PlanStep", rounds: Rounds, number: int, item: "Json") -> Calling[bool]:
    """One action of a checked plan; whether the next may follow."""
    candidate = candidate_of(turn, item["action"], {})
    if candidate is None:
        turn.failed(step.at, "plan-stopped", f"{item['action']!r} is no longer eligible")
        return False
    results = _results(rounds.pad, candidate, item)
    return (yield from rounds.tried(Selection(candidate, "plan"), number, _Gives(item["texts"]), results))


@dataclass(frozen=True, slots=True)
class _Gives:
    """What the plan itself holds for the arguments of an action: nobody is asked again."""

    texts: Mapping[str, str]

    def __call__(self, _candidate: Candidate) -> "Calling[Json]":
        yield from ()
        return dict(self.texts)


def _results(pad: Scratchpad, candidate: Candidate, item: "Json") -> dict[str, Given]:
    """What earlier actions gave, at the coordinates of the plan; what is not there is missing."""
    by_round = {block["round"]: block for block in pad.observations}
    found: dict[str, Given] = {}
    for name, (number, path) in item["results"].items():
        block = by_round.get(number, {})
        there, value = at_path(block.get("result"), path)
        if there and value is not None and name in candidate.taking.input:
            origin = {"source": f"plan.{number}.{path}", "by": "plan", **block.get("from", {})}
            found[name] = Given(value, origin, frozenset())
    return found


def _proposed(turn: Turn, step: "PlanStep") -> Calling[Checked]:
    """The first plan that holds; the second answer is the last."""
    entry: Json = {"step": step.id, "at": step.at, "asked": 0, "verdict": "none", "problems": [], "steps": []}
    turn.asking.plans.append(entry)
    left_out: Json = {}
    candidates = {name: one for name in step.actions if (one := candidate_of(turn, name, left_out))}
    entry |= left_out
    if not candidates:
        entry["verdict"] = "nothing is eligible"
        return Checked([], [])
    problems: Sequence[str] = ()
    while entry["asked"] < ASKED_AT_MOST:
        entry["asked"] += 1
        value = yield from _asked(turn, step, candidates, problems)
        found = checked(turn, step, candidates, value) if value is not None else Checked([], ["no usable answer"])
        problems = found.problems[:PROBLEMS_SHOWN]
        entry |= {"problems": list(problems), "steps": [_shown(item) for item in found.items]}
        entry["thought"] = str((value or {}).get("thought", ""))[:THOUGHT_CHARS]
        if not problems:
            entry["verdict"] = "lacks something" if found.lacking else "valid"
            return found
    entry["verdict"] = "refused"
    raise StepFailed("model", f"the plan is refused: {'; '.join(problems)}", step.id, step.at)


def _asked(
    turn: Turn, step: "PlanStep", candidates: Mapping[str, Candidate], problems: Sequence[str]
) -> "Calling[Json | None]":
    actions = "\n".join(told_action(turn, one, open_arguments(one)) for one in candidates.values())
    parts = [PLAN.format(most=step.max_steps), f"Goal: {said(turn, step.goal)}", f"Actions:\n{actions}"]
    if problems:
        told = "\n".join(f"- {one}" for one in problems)
        parts.append(f"The plan before this one was refused:\n{without_secrets(turn, told)}")
    role = roles.chooser(turn, "planning")
    question = asked(turn, step, "planning", role, "\n\n".join(parts), schema_of([*candidates]))
    came = (yield [question])[0]
    value: Any = noted(turn, question, came)
    if turn.interrupted:
        raise Interrupted
    return value if isinstance(value, dict) else None


def _shown(item: "Json") -> "Json":
    """A step of a plan as the record has it: without the words of its texts."""
    results = {name: f"{number}.{path}" for name, (number, path) in item["results"].items()}
    return {"action": item["action"], "texts": sorted(item["texts"]), "results": results}
