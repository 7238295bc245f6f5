"""What each step without steps of its own does: call, run, wait, receive, fill in, set, respond, end, fail."""

from datetime import datetime
from typing import TYPE_CHECKING, Any

from interlock.interpreter import provenance, receipts, responses
from interlock.interpreter.cells import at_path, kept
from interlock.interpreter.commands import RunProcedure, StartTimer
from interlock.interpreter.failures import StepFailed
from interlock.interpreter.models.filling import fill
from interlock.interpreter.texts import said
from interlock.interpreter.turn import CallResult
from interlock.interpreter.work import effects
from interlock.interpreter.work.ends import Ended, Refused
from interlock.interpreter.work.frames import Frame
from interlock.interpreter.work.tasks import AwaitEvent, Working
from interlock.plan.formats import moment_of
from interlock.plan.steps import (
    CallStep,
    EndStep,
    FailStep,
    GenerateStep,
    ReceiveStep,
    RespondStep,
    RunStep,
    SetStep,
    Step,
    WaitStep,
)

if TYPE_CHECKING:
    from interlock.interpreter.work.state import Json
    from interlock.interpreter.work.walk import Walk

SAID_KEPT = 1_000


def do(walk: "Walk", step: Step, frame: Frame, instance: str, entry: "Json", note: "Json") -> Working:
    """Do the step; its result, if it has one, is left in `entry`."""
    match step:
        case CallStep():
            yield from effects.call(walk, step, frame, instance, entry, note)
        case RunStep():
            yield from _run(walk, step, frame, instance, entry, note)
        case GenerateStep():
            yield from _generate(walk, step, frame, entry, note)
        case WaitStep():
            yield [StartTimer(f"{instance}!wait", _until(walk, step, frame, entry))]
        case ReceiveStep():
            yield from _receive(walk, step, instance, entry)
        case SetStep():
            note["sources"] = frame.set(step.values)
        case RespondStep():
            _respond(walk, step, frame)
        case EndStep():
            raise Ended(values(frame, step.gives), sources(frame, step.gives, "value"))
        case FailStep():
            text = said(frame.scene, step.text)
            raise Refused(StepFailed("error", text, step.id, step.at, text=text, instance=instance), step.compensate)
        case _:
            raise StepFailed("error", f"a procedure has no {step.action!r}", step.id, step.at)


def values(frame: Frame, templates: "Json") -> "Json":
    """Values by name."""
    return {name: frame.program.value(value)(frame.scene.context) for name, value in templates.items()}


def sources(frame: Frame, templates: "Json", by: str) -> "Json":
    """Where these values are from, by name."""
    scene = frame.scene
    return {name: provenance.origin(scene, scene.context, value, by) for name, value in templates.items()}


def _run(walk: "Walk", step: RunStep, frame: Frame, instance: str, entry: "Json", note: "Json") -> Working:
    """Another procedure; one that fails and leaves effects behind is undone like one that is done and has any.

    To run it once more would have these effects once more: that is for a person to say.
    """
    if entry["mark"] == "unknown" and not effects.resolved(walk, step, frame, entry):
        return
    given = values(frame, step.bind)
    given = {name: value for name, value in given.items() if value is not None}
    origins = {name: one for name, one in sources(frame, step.bind, "caller").items() if name in given}
    shown = receipts.masked(frame.scene, step.procedure, given, origins)
    note |= {"arguments": {name: kept(value) for name, value in shown.items()}, "sources": origins}
    entry["attempt"] = entry.get("attempt", 0) + 1
    child = instance if entry["attempt"] == 1 else f"{instance}~{entry['attempt']}"
    command = RunProcedure(child, step.procedure, step.digest, given, instance, step.at, frame.scene.language)
    ended = (yield [command])[0]
    note["child"] = {"procedure": step.procedure, "run": ended.run_id, "ending": ended.ending}
    if ended.left:
        effects.happened(walk, step, frame, unknown=ended.ending != "done")
    if ended.left and ended.ending != "done":
        entry["mark"] = "unknown"
    if ended.ending == "cancelled":
        raise StepFailed("cancelled", ended.message or "cancelled", step.id, step.at)
    if ended.ending == "failed":
        raise StepFailed("error", ended.message, step.id, step.at)
    entry |= {"result": ended.result, provenance.RESULT: [{"run": ended.run_id}]}


def _generate(walk: "Walk", step: GenerateStep, frame: Frame, entry: "Json", note: "Json") -> Working:
    """What a model fills in; the record has the question and its answer's circumstances, whatever came of it."""
    scene = frame.scene
    try:
        entry["result"] = yield from fill(scene, step, values(frame, step.bind))
        entry[provenance.RESULT] = [{"model": scene.asking.generations[-1]["call"]}]
    finally:
        note["models"], scene.asked = scene.asking.generations, None
        frame.at(walk.now_ms)


def _receive(walk: "Walk", step: ReceiveStep, instance: str, entry: "Json") -> Working:
    """The first event of that name that nobody has received."""
    waiting = walk.run.mailbox.get(step.event)
    if waiting:
        came = waiting.pop(0)
        entry |= {"result": came["data"], provenance.RESULT: [{"event": came["id"]}]}
    else:
        if "place" not in entry:
            walk.run.waits += 1
            entry["place"] = walk.run.waits
        event = (yield [AwaitEvent(f"{instance}!receive", step.event, entry["place"])])[0]
        entry |= {"result": event.data, provenance.RESULT: [{"event": event.id}]}


def _until(walk: "Walk", step: WaitStep, frame: Frame, entry: "Json") -> int:
    if "until_ms" not in entry:
        if step.duration_ms is not None:
            entry["until_ms"] = walk.now_ms + step.duration_ms
        else:
            entry["until_ms"] = _moment(step, frame.program.value(step.time)(frame.scene.context))
    until: int = entry["until_ms"]
    return until


def _moment(step: WaitStep, value: Any) -> int:
    moment = value if isinstance(value, datetime) else moment_of(value) if isinstance(value, str) else None
    if moment is None or moment.tzinfo is None:
        raise StepFailed("error", f"`wait` has no time with a zone: {value!r}", step.id, step.at)
    return int(moment.timestamp() * 1000)


def _respond(walk: "Walk", step: RespondStep, frame: Frame) -> None:
    """Say a result; it stands in the run's outbox."""
    if step.response == "none":
        return
    root, _, rest = step.result.partition(".")
    there, value = at_path(frame.scene.context.get(root), rest)
    if not there:
        raise StepFailed("missing", f"`{step.result or 'a result'}` is not there", step.id, step.at)
    said = responses.render(frame.scene, step.response, CallResult("", step.id, step.at, "success", result=value)).text
    number = walk.run.said[-1]["number"] + 1 if walk.run.said else 1
    walk.run.said.append({"number": number, "text": said, "role": "assistant", "at_ms": walk.now_ms})
    del walk.run.said[:-SAID_KEPT]
