"""What a round of the loop tries, if anything: the runtime chooses among what is eligible, within what rules say."""

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from interlock.interpreter import pregate
from interlock.interpreter.models import roles
from interlock.interpreter.models.asking import asked, description, in_words, noted
from interlock.interpreter.models.observing import observed
from interlock.interpreter.models.scratchpad import THOUGHT_CHARS
from interlock.interpreter.runtimes.port import Act, Action, Ask, End, HandOver, Move, View
from interlock.interpreter.sources import Desk
from interlock.interpreter.trusted import is_short, shown
from interlock.interpreter.turn import Calling, Turn
from interlock.plan.tools import Taking

if TYPE_CHECKING:
    from interlock.interpreter.pregate import Judged
    from interlock.interpreter.runtimes.port import Runtime
    from interlock.interpreter.state import Json
    from interlock.plan.steps import ActStep

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Candidate:
    """An action that may be chosen; `judged` is what the identifiers of the message say, where it has any.

    A retriever is searched, and takes no arguments.
    """

    name: str
    taking: Taking
    bind: Mapping[str, Any]
    intent: str
    judged: "Judged | None" = None
    searched: bool = False

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
    """What was chosen, and by whom: `ready` is false where the model says that something is missing."""

    candidate: Candidate
    by: str
    ready: bool = True
    missing: tuple[str, ...] = ()
    more: bool = False


def select(
    turn: Turn, step: "ActStep", number: int, blocks: "Sequence[Json]"
) -> "Calling[tuple[Move, Selection | None]]":
    """The move of this round, and what it tries; `blocks` is the scratchpad so far. Nothing is tried twice."""
    entry: Json = {"stage": "selection", "step": step.id, "at": step.at, "round": number}
    entry |= {"runtime": step.runtime} if step.runtime else {}
    turn.asking.selections.append(entry)
    with turn.stages.within("tool-selection-decision", step=step.id, at=step.at, round=number) as known:
        move, selection = yield from _moved(turn, step, number, blocks, entry)
        known |= {"by": entry["by"], "tool": entry["tool"], "ready": selection is not None and selection.ready}
    return move, selection


def _moved(
    turn: Turn, step: "ActStep", number: int, blocks: "Sequence[Json]", entry: "Json"
) -> "Calling[tuple[Move, Selection | None]]":
    done = {block["name"] for block in blocks if block["kind"] == "action"}
    candidates = _candidates(turn, step, done, entry)
    ruled = _ruled(turn, candidates)
    view = View(
        number,
        tuple([_action(turn, one) for one in candidates]),
        ruled,
        tuple(deepcopy(blocks)),  # a runtime may read them, and change nothing
        may_hand_over=step.handoff is not None,
    )
    move = _chosen(turn, step, view)
    if isinstance(move, Ask):
        answer = yield from _answer(turn, step, move, view)
        view = replace(view, asked=True, answer=answer)
        move = _chosen(turn, step, view)
    by_name = {one.name: one for one in candidates}
    return move, _selection(move, view, by_name, entry, _named(turn, step))


def goes_on(turn: Turn, step: "ActStep", blocks: "Sequence[Json]") -> bool:
    """Whether the runtime begins another round."""
    return bool(_guarded(turn, step, lambda runtime: runtime.goes_on(tuple(deepcopy(blocks)))))


def _candidates(turn: Turn, step: "ActStep", done: set[str], entry: "Json") -> list[Candidate]:
    names = [name for name in (*step.tools, *step.procedures) if name not in done]
    called = [one for name in names if (one := candidate_of(turn, name, entry))]
    searched = [name for name in step.retrievers if name not in done]
    return [*called, *(Candidate(name, Taking(at=step.at), {}, "", searched=True) for name in searched)]


def candidate_of(turn: Turn, name: str, entry: "Json") -> Candidate | None:
    """The mounted tool or procedure if it is eligible; if not, `entry` says why."""
    plan = turn.program.plan
    mount = turn.program.mounts.get(name) or plan.runs[name]
    taking = plan.taking(name)
    judged = pregate.of_call(Desk(turn, turn.context), taking, mount.bind, mount.intent)
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
    return Candidate(name, taking, mount.bind, mount.intent, judged)


def _action(turn: Turn, candidate: Candidate) -> Action:
    plan, name = turn.program.plan, candidate.name
    if candidate.searched:
        return Action(name, "retriever", f"Search: {in_words(name, plan.retrievers[name].description)}")
    return Action(name, "tool" if name in plan.tools else "procedure", description(turn, name))


def _ruled(turn: Turn, candidates: list[Candidate]) -> str:
    """The one that identifiers choose; the first of those of which all would only ask."""
    bound = _meant(turn, [one for one in candidates if one.qualifies])
    return bound[0].name if len(bound) == 1 or (bound and all(one.would_ask for one in bound)) else ""


def _meant(turn: Turn, bound: list[Candidate]) -> list[Candidate]:
    """Those whose intent the message shows, or that a bare answer is for; all of them, where it shows none."""
    shown_now = [one for one in bound if turn.intents.get(one.intent, False)]
    earlier = [one for one in bound if one.intent and shown(turn, one.intent)]
    return shown_now or (earlier if _is_bare(turn) else []) or bound


def _is_bare(turn: Turn) -> bool:
    """Whether the message holds identifiers and nothing else, as an answer to a question does."""
    identifiers = [filled for filled in turn.slots.values() if filled.slot in turn.program.identifiers]
    return is_short(turn.text, [], [one for filled in identifiers for one in filled.found])


def _chosen(turn: Turn, step: "ActStep", view: View) -> Move:
    """The runtime's move; one that cannot be made ends the loop, and the record says so."""
    move = _guarded(turn, step, lambda runtime: runtime.choose(view))
    if isinstance(move, Act | End | HandOver) or (isinstance(move, Ask) and not view.asked):
        return move
    if move is not None:
        turn.failed(step.at, "runtime-failed", f"runtime {_named(turn, step)!r} made no move that it may make")
    return End()


def _guarded(turn: Turn, step: "ActStep", ask: "Callable[[Runtime], T]") -> T | None:
    """What the runtime answers; a loop that fails leaves the flow to go on, and the record says so."""
    try:
        return ask(turn.program.runtimes[_named(turn, step)])
    except Exception as bug:  # noqa: BLE001 - a plug-in may raise anything
        turn.failed(step.at, "runtime-failed", f"runtime {_named(turn, step)!r} raised {type(bug).__name__}")
        return None


def _named(turn: Turn, step: "ActStep") -> str:
    return step.runtime or turn.program.plan.runtime


def _answer(turn: Turn, step: "ActStep", ask: Ask, view: View) -> "Calling[Json | None]":
    """What the model decides, if it can be used. It chooses among actions by their names, and never sees a value."""
    heading = "Actions" if any(one.kind != "tool" for one in view.actions) or ask.sees else "Tools"
    actions = "\n".join(f"- {one.name}: {one.description}" for one in view.actions)
    system = f"{ask.task}\n\n{heading}:\n{actions}"
    seen = observed(turn, view.blocks) if ask.sees else ""
    role = roles.chooser(turn, "selection")
    question = asked(turn, step, "selection", role, system, ask.schema, seen)
    came = (yield [question])[0]
    value: Json | None = noted(turn, question, came)
    return value


def _selection(
    move: Move, view: View, by_name: Mapping[str, Candidate], entry: "Json", runtime: str
) -> Selection | None:
    """What is tried, if it may be; a name that is not eligible is none."""
    candidate = by_name.get(move.name) if isinstance(move, Act) else None
    rules = candidate is None or candidate.name == view.ruled
    by = "model" if view.asked else "rules" if rules else runtime
    entry |= {"by": by, "tool": candidate.name if candidate else None}
    if view.asked and not isinstance(move, Ask):
        entry["reason"] = move.thought[:THOUGHT_CHARS]
    if not isinstance(move, Act) or candidate is None:
        return None
    if view.asked:
        entry |= {"should_call_now": move.ready, "missing": list(move.missing)}
    return Selection(candidate, by, move.ready, move.missing, move.more)
