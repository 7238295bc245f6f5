"""What each kind of step does in a turn, but for those that call, in `call_steps`, and that hold steps, in `flows`."""

from collections.abc import Callable
from typing import Any, TypeAlias

from interlock.expressions.outcomes import Several
from interlock.interpreter import provenance, responses
from interlock.interpreter.cells import at_path
from interlock.interpreter.failures import FlowEnded, FlowWaits, StepFailed
from interlock.interpreter.lifecycle import transition
from interlock.interpreter.slots import Question, fill_in, question
from interlock.interpreter.stating import stated
from interlock.interpreter.texts import options_said, said
from interlock.interpreter.turn import FINE, CallResult, Part, Turn
from interlock.plan.base import Text
from interlock.plan.steps import CollectStep, HandoffStep, RefuseStep, ReplyStep, RespondStep, SetStep

Action: TypeAlias = Callable[[Turn, Any, str], None]

ASKED_AT_MOST = 2
"""How often a flow asks at one step before it fails."""


def may_ask(turn: Turn, path: str) -> bool:
    """Whether the flow has not asked too often at this step."""
    flow = turn.going_on
    return flow is None or flow["path"] != path or flow["attempts"] < ASKED_AT_MOST


def _collect(turn: Turn, step: CollectStep, path: str) -> None:
    asked = _still_open(turn, step.slots)
    if asked is None:
        return
    if may_ask(turn, path):
        raise FlowWaits(asked, path)
    names = ", ".join(asked.slots)
    raise StepFailed("missing", f"not given when asked: {names}", step.id, step.at, question=asked, path=path)


def _still_open(turn: Turn, names: tuple[str, ...]) -> Question | None:
    """What only the person can say is asked first; then the rest is assumed or defaulted, and may still be open."""
    slots = turn.program.plan.slots
    theirs = [
        name for name in names if name in turn.slots or (slots[name].assume is None and slots[name].default is None)
    ]
    asked = question(turn, theirs)
    if asked is None and len(theirs) < len(names):
        fill_in(turn, names)
        asked = question(turn, names)
    return asked


def _respond(turn: Turn, step: RespondStep, path: str) -> None:  # noqa: ARG001 - one shape of actions
    if step.response == "none":
        turn.silent = True
        return
    declared = turn.program.plan.responses[step.response]
    if declared.kind == "facts":
        made = stated(turn, declared, _results(turn, step))
        part = Part(made.text, "facts", made.data, made.output_mode, step.response)
        part.outcome, part.reason = made.outcome, made.reason
        turn.parts.append(part)
        return
    for result in _results(turn, step):
        made = responses.render(turn, step.response, result)
        part = Part(made.text, "direct_response", made.data, made.output_mode, step.response, made.fallback_used)
        part.outcome = "answer" if result.outcome in FINE else "error"
        turn.parts.append(part)


def _results(turn: Turn, step: RespondStep) -> list[CallResult]:
    """What is to be said: the value at the step's path, or what the last call step made."""
    if not step.result:
        if not turn.last:
            raise StepFailed("error", "there is no result to say: no call has been made", step.id, step.at)
        return turn.last
    root, _, rest = step.result.partition(".")
    there, value = at_path(turn.context[root], rest)
    if not there:
        raise StepFailed("error", f"`{step.result}` is not there", step.id, step.at)
    return [CallResult("", step.id, step.at, "success", result=value)]


def _reply(turn: Turn, step: ReplyStep, path: str) -> None:  # noqa: ARG001 - one shape of actions
    turn.parts.append(Part(said(turn, step.text), "fixed_reply"))
    if step.options:
        turn.options += options_said(turn, step.options, step.at)


def _refuse(turn: Turn, step: RefuseStep, path: str) -> None:  # noqa: ARG001 - one shape of actions
    turn.parts.append(Part(said(turn, step.text), "fixed_reply"))
    if step.options:
        turn.options += options_said(turn, step.options, step.at)
    raise FlowEnded("refuse", step.reason)


def _handoff(turn: Turn, step: HandoffStep, path: str) -> None:  # noqa: ARG001 - one shape of actions
    raise hand_over(turn, step.text, step.to)


def hand_over(turn: Turn, text: Text, to: str = "") -> FlowEnded:
    """Say a text and leave the session to a person: what the flow ends with."""
    turn.parts.append(Part(said(turn, text), "fixed_reply"))
    turn.state.status = transition(turn.state.status, "handoff")[0]
    return FlowEnded("handed_off", data={"to": to} if to else None)


def _set(turn: Turn, step: SetStep, path: str) -> None:  # noqa: ARG001 - one shape of actions
    variables = turn.context["vars"]
    for name, value in step.values.items():
        given = _unambiguous(turn.program.value(value)(turn.context))
        made = {name: given, provenance.beside(name): provenance.of_value(turn, turn.context, value)}
        turn.state.vars |= made
        variables |= made


def _unambiguous(value: Any) -> Any:
    """A value to keep: several where one is needed are none, and would be taken for a list once they are kept."""
    if isinstance(value, Several):
        return None
    if isinstance(value, list):
        return [_unambiguous(one) for one in value]
    return {name: _unambiguous(one) for name, one in value.items()} if isinstance(value, dict) else value


ACTIONS: dict[str, Action] = {
    "collect": _collect,
    "respond": _respond,
    "reply": _reply,
    "refuse": _refuse,
    "handoff": _handoff,
    "set": _set,
}
