"""Which tool a round of the loop tries, if any: rules where identifiers decide, else a bounded question to a model."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from interlock.interpreter import pregate
from interlock.interpreter.models import roles
from interlock.interpreter.models.asking import asked, described, noted
from interlock.interpreter.sources import Desk
from interlock.interpreter.trusted import is_short, shown
from interlock.interpreter.turn import Calling, Turn

if TYPE_CHECKING:
    from interlock.interpreter.commands import Generate
    from interlock.interpreter.pregate import Judged
    from interlock.interpreter.state import Json
    from interlock.plan.steps import ActStep
    from interlock.plan.tools import Mount

NO_TOOL = "no_tool"

CHOOSE = (
    "You decide whether one of the tools below is to be called now for the user's last message. "
    f"Choose `{NO_TOOL}` unless one of them is plainly what the message asks for. "
    "Say under `should_call_now` whether everything that it needs is known, and name under "
    "`missing_required_arguments` what is not. Say under `more` whether another tool has to be called after it. "
    "You never see or give identifiers of your own: what you do not know is missing."
)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A mount that may be chosen; `judged` is what the identifiers of the message say, where it is bound to any."""

    mount: "Mount"
    judged: "Judged | None" = None

    @property
    def qualifies(self) -> bool:
        """Whether the identifiers decide: the call is to go, or a person is to be asked."""
        return self.judged is not None and self.judged.gravest.verdict != "skip"

    @property
    def would_ask(self) -> bool:
        """Whether all that comes of it is a question to the person."""
        return self.judged is not None and self.judged.gravest.verdict in ("ask_which", "guidance")


@dataclass(frozen=True, slots=True)
class Selection:
    """What was chosen; `ready` is false where the model says that something is missing, named by `missing`."""

    candidate: Candidate
    by: str
    ready: bool = True
    missing: tuple[str, ...] = ()
    more: bool = False
    history: Mapping[str, Any] = field(default_factory=dict)


def select(turn: Turn, step: "ActStep", number: int, done: set[str]) -> "Calling[Selection | None]":
    """The tool of this round. `done` are those that have been called already."""
    entry: Json = {"stage": "selection", "step": step.id, "at": step.at, "round": number}
    turn.asking.selections.append(entry)
    with turn.stages.within("tool-selection-decision", step=step.id, at=step.at, round=number) as known:
        selection = yield from _selected(turn, step, done, entry)
        known |= {"by": entry["by"], "tool": entry["tool"], "ready": selection is not None and selection.ready}
    return selection


def _selected(turn: Turn, step: "ActStep", done: set[str], entry: "Json") -> "Calling[Selection | None]":
    candidates = [one for name in step.tools if name not in done and (one := _candidate(turn, name, entry))]
    bound = _meant(turn, [one for one in candidates if one.qualifies])
    if len(bound) == 1 or (bound and all(one.would_ask for one in bound)):
        entry |= {"by": "rules", "tool": bound[0].mount.call}
        return Selection(bound[0], "rules")
    if not candidates:
        entry |= {"by": "rules", "tool": None}
        return None
    return (yield from _by_model(turn, step, candidates, entry))


def _meant(turn: Turn, bound: list[Candidate]) -> list[Candidate]:
    """Those whose intent the message shows, or that a bare answer is for; all of them, where it shows none."""
    shown_now = [one for one in bound if turn.intents.get(one.mount.intent, False)]
    earlier = [one for one in bound if one.mount.intent and shown(turn, one.mount.intent)]
    return shown_now or (earlier if _is_bare(turn) else []) or bound


def _is_bare(turn: Turn) -> bool:
    """Whether the message holds identifiers and nothing else, as an answer to a question does."""
    identifiers = [filled for filled in turn.slots.values() if filled.slot in turn.program.identifiers]
    return is_short(turn.text, [], [one for filled in identifiers for one in filled.found])


def _candidate(turn: Turn, name: str, entry: "Json") -> Candidate | None:
    """The mount if it is eligible; if not, the record says why."""
    mount = turn.program.mounts[name]
    judged = pregate.of_call(Desk(turn, turn.context), turn.program.plan.tools[name], mount.bind, mount.intent)
    why = ""
    if name in turn.skipped_tools:
        why = "a gate has skipped it"
    elif judged is not None and judged.gravest.verdict == "skip":
        why = pregate.RULES[judged.gravest.rule][1]
    elif judged is None and mount.intent and not turn.intents.get(mount.intent, False):
        why = f"intent {mount.intent!r} does not hold"
    if why:
        entry.setdefault("left_out", []).append({"tool": name, "why": why})
        return None
    return Candidate(mount, judged)


def _by_model(turn: Turn, step: "ActStep", candidates: list[Candidate], entry: "Json") -> "Calling[Selection | None]":
    by_name = {one.mount.call: one for one in candidates}
    tools = "\n".join(f"- {described(turn, name)}" for name in by_name)
    schema = _schema([*by_name, NO_TOOL])
    question: Generate = asked(
        turn, step, "selection", roles.chooser(turn, "selection"), f"{CHOOSE}\n\nTools:\n{tools}", schema
    )
    came = (yield [question])[0]
    value = noted(turn, question, came)
    entry["by"] = "model"
    chosen = value.get("tool") if value else None
    entry |= {"tool": chosen if chosen in by_name else None, "reason": str((value or {}).get("reason", ""))[:500]}
    if value is None or chosen not in by_name:
        return None
    missing = tuple(str(one) for one in value["missing_required_arguments"])
    ready = bool(value["should_call_now"]) and not missing
    entry |= {"should_call_now": ready, "missing": list(missing)}
    return Selection(by_name[chosen], "model", ready, missing, more=bool(value["more"]))


def _schema(names: list[str]) -> "Json":
    properties: Json = {
        "tool": {"type": "string", "enum": names},
        "should_call_now": {"type": "boolean"},
        "missing_required_arguments": {"type": "array", "items": {"type": "string"}},
        "more": {"type": "boolean"},
        "reason": {"type": "string"},
    }
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}
