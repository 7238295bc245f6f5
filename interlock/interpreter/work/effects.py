"""The step `call` of a procedure, and what undoes it: every effect is known, made once, and undone in reverse order."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from interlock.expressions.outcomes import NotMet
from interlock.interpreter import calls
from interlock.interpreter.commands import StartTimer
from interlock.interpreter.failures import StepFailed
from interlock.interpreter.provenance import RESULT
from interlock.interpreter.turn import CallResult
from interlock.interpreter.work.frames import Frame, passes_to
from interlock.interpreter.work.tasks import Stopped, Working
from interlock.plan.steps import CallStep, DoStep, RunStep, Step, steps_in

if TYPE_CHECKING:
    from interlock.interpreter.work.state import Json, RunState
    from interlock.interpreter.work.walk import Walk


def call(walk: "Walk", step: CallStep, frame: Frame, instance: str, entry: "Json", note: "Json") -> Working:
    """Make the call, again as long as it says so; its result is left in `entry`."""
    if entry["mark"] == "unknown" and not resolved(walk, step, frame, entry):
        return
    if "next_ms" in entry:
        yield from _until_next(walk, frame, instance, entry)
    while True:
        made = calls.step_call(
            frame.scene,
            tool=step.tool,
            bind=step.bind,
            step_id=step.id,
            at=step.at,
            instance=instance,
            sent=entry.get("sent"),
        )
        result = yield from _unless_stopped(step, frame, made)
        frame.at(walk.now_ms)
        walk.notes.called(note, result)
        if result.effect != "none":
            happened(walk, step, frame, unknown=result.effect == "unknown", cells=result.cells)
        elif "read_back" in result.audit:
            _never_happened(walk, frame.instance(step.id))
        if result.went_out:
            entry["sent"] = result.sent
        if result.outcome != "success":
            raise _failed(step, frame, entry, result)
        entry |= {"result": result.result, RESULT: [{"receipt": result.receipt_id}]}
        if step.repeat is None or _enough(step, frame, result.result):
            return
        yield from _pause(walk, step, frame, instance, entry)


def _unless_stopped(step: CallStep, frame: Frame, made: Working) -> Working:
    """A call with its checks; it does not go out itself where the run was stopped while they were made.

    What an effect that has gone out is held against is asked in any case.
    """
    ends, began = None, False
    while True:
        try:
            wanted = made.send(ends)
        except StopIteration as stop:
            return stop.value
        if began:
            wanted = [replace(one, finishes=True) for one in wanted]
        elif wanted[0].tool == step.tool:
            if frame.scope.stopped is not None:
                raise Stopped
            began = frame.program.plan.tools[step.tool].writes
        ends = yield wanted


def resolved(walk: "Walk", step: CallStep | RunStep, frame: Frame, entry: "Json") -> bool:
    """Whether a step is to be done again: somebody has found out that its effect did not happen."""
    said = entry.pop("resolved", None)
    if said is None:
        tool = step.tool if isinstance(step, CallStep) else ""
        raise StepFailed("unknown", "whether the effect happened is not known", step.id, step.at, tool)
    entry["mark"] = "entered"
    walk.run.unknown.pop(frame.instance(step.id), None)
    again = bool(said == "did_not_happen")
    if again:
        _never_happened(walk, frame.instance(step.id))
        entry.pop("sent", None)
    return again


def _failed(step: CallStep, frame: Frame, entry: "Json", result: CallResult) -> StepFailed:
    """The failure. An effect that there may be, which no key keeps from happening twice, is for a person to judge."""
    assert result.outcome != "success"
    assert result.outcome != "skipped"
    assert result.outcome != "unrecognized"  # a procedure reads no words
    if result.effect != "none" and not frame.program.plan.tools[step.tool].repeatable:
        entry["mark"] = "unknown"
    blocks = result.audit.get("blocks") or []
    message = "; ".join(block["reason"] for block in blocks) or str(result.audit.get("error", "")) or result.message
    checks = result.audit.get("requires") or result.audit.get("ensures") or []
    message = message or "; ".join(f"{check['check']}: {check['reason']}" for check in checks)
    return StepFailed(result.outcome, message, step.id, step.at, step.tool, result.message, result, lacks=blocks)


def _enough(step: CallStep, frame: Frame, result: Any) -> bool:
    assert step.repeat is not None
    met = frame.program.condition(step.repeat.until)(frame.scene.context.extended(result=result))
    if isinstance(met, NotMet) and met.reason != "missing":
        raise StepFailed("error", f"{step.repeat.until}: {met.path}: {met.reason}", step.id, step.at, step.tool)
    return bool(met)


def _pause(walk: "Walk", step: CallStep, frame: Frame, instance: str, entry: "Json") -> Working:
    """Until the next call; the time in all is counted from the first."""
    assert step.repeat is not None
    entry["polls"] = entry.get("polls", 0) + 1
    give_up = entry["began_ms"] + step.repeat.timeout_ms
    next_ms = walk.now_ms + step.repeat.every_ms
    if next_ms > give_up:
        message = f"`{step.repeat.until}` did not hold within {step.repeat.timeout_ms} ms"
        raise StepFailed("timeout", message, step.id, step.at, step.tool)
    entry["next_ms"] = next_ms
    yield from _until_next(walk, frame, instance, entry)


def _until_next(walk: "Walk", frame: Frame, instance: str, entry: "Json") -> Working:
    yield [StartTimer(f"{instance}!{entry['polls']}", entry["next_ms"])]
    yield from walk.between(frame)
    del entry["next_ms"]


def happened(
    walk: "Walk", step: CallStep | RunStep, frame: Frame, *, unknown: bool, cells: "Json | None" = None
) -> None:
    """Something outside has changed, or may have; what undoes it is kept, with the cells of it, or that nothing does.

    What once is known to have happened stays so.
    """
    run, instance = walk.run, frame.instance(step.id)
    if not unknown:
        run.unknown.pop(instance, None)
    elif instance not in run.left and instance not in run.undo:
        run.unknown[instance] = 1
    if run.status == "undoing":  # what undoes a step stands for it, and is told by it
        return
    if step.compensate:
        run.left.pop(instance, None)
        undo_later(walk, step, frame, cells)
    else:
        run.left[instance] = 1


def _never_happened(walk: "Walk", instance: str) -> None:
    for standing in (walk.run.left, walk.run.undo, walk.run.unknown):
        standing.pop(instance, None)


def undo_later(walk: "Walk", step: Step, frame: Frame, cells: "Json | None" = None) -> None:
    """Remember, in the order of completion, what undoes a step, with the cells of its call, stale for nothing any more.

    Another call of the tool may fill them anew before they are needed, and they say what was done, whatever changes.
    What an earlier call has filled says nothing of one whose answer was lost.
    """
    undo, instance = walk.run.undo, frame.instance(step.id)
    undo.pop(instance, None)
    own = {key: {**cell, "made_from": {}} for key, cell in (cells or {}).items()}
    by_tool = {step.tool: own} if isinstance(step, CallStep) else {}
    undo[instance] = {"step": step.id, "pass": frame.prefix, "at_ms": walk.now_ms, "cells": by_tool}
    for around in passes_to(frame.prefix):
        walk.run.passes[around]["undo"] = True


def undo_as_one(walk: "Walk", step: DoStep, frame: Frame) -> None:
    """A group is undone as a whole, in place of its steps, with what none of them undoes."""
    inside = {one.id for one in steps_in(step.do)}
    run, prefix = walk.run, frame.prefix
    left = [at for at in run.left if at.startswith(prefix) and at.rpartition("/")[2] in inside]
    undoable = [at for at, one in run.undo.items() if one["step"] in inside and one["pass"].startswith(prefix)]
    changed = bool(left) or any(run.undo[at].get("effect", True) for at in undoable)
    unknown = [run.unknown.pop(at) for at in (*left, *undoable) if at in run.unknown]
    for instance in left:
        del run.left[instance]
    for instance in undoable:
        for within in passes_to(run.undo.pop(instance)["pass"]):
            if len(within) > len(prefix):
                run.passes.pop(within, None)
    undo_later(walk, step, frame)
    if unknown:
        run.unknown[frame.instance(step.id)] = 1
    if not changed:
        run.undo[frame.instance(step.id)]["effect"] = False


def without_names(run: "RunState", prefix: str) -> None:
    """The effects of a pass that is done stand for those of all passes of its loop: there may be ten thousand.

    Those that can be undone keep their names.
    """
    loop = prefix[: prefix.rindex("[")]
    for standing in (run.left, run.unknown):
        for instance in [at for at in standing if at.startswith(prefix) and at not in run.undo]:
            name = f"{loop}[*]/{instance.removeprefix(prefix)}"
            standing[name] = standing.get(name, 0) + standing.pop(instance)
