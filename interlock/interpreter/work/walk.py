"""Walking the steps of a procedure, side by side where they may.

A journal says what is done, so that a walk can be taken up again: in the run that continues this one, and at the failed
step once its cause is mended.
"""

from typing import TYPE_CHECKING

from interlock.expressions.outcomes import Missing
from interlock.interpreter.asserting import holds
from interlock.interpreter.commands import StartTimer
from interlock.interpreter.failures import StepFailed
from interlock.interpreter.masking import learn
from interlock.interpreter.provenance import RESULT, recall
from interlock.interpreter.work import effects, loops, simple
from interlock.interpreter.work.ends import Ended, Refused, raise_first
from interlock.interpreter.work.frames import Frame
from interlock.interpreter.work.notes import Notes
from interlock.interpreter.work.tasks import Fork, Pause, Scope, Stopped, Working
from interlock.plan.steps import DoStep, ForEachStep, ParallelStep, Step, SwitchStep

if TYPE_CHECKING:
    from interlock.interpreter.work.state import Json, RunState

DONE, SKIPPED, ENTERED, CAUGHT, UNKNOWN = "done", "skipped", "entered", "caught", "unknown"
"""How the journal marks a step: finished, left out, begun, failed and being handled, or of unknown effect."""


class Walk:
    """One walk of a run. `pausing` lets nothing new begin: the run is about to continue in a new one."""

    def __init__(self, run: "RunState", notes: Notes) -> None:
        self.run = run
        self.notes = notes
        self.now_ms = run.last_ms
        self.pausing = False

    def steps(self, steps: tuple[Step, ...], frame: Frame) -> Working:
        """Walk steps in order."""
        for step in steps:
            yield from self._step(step, frame)

    def _step(self, step: Step, frame: Frame) -> Working:
        instance = frame.instance(step.id)
        entry = self.run.journal.get(instance, {})
        mark = entry.get("mark")
        if mark == DONE:
            if "result" in entry:
                recall(frame.scene.context["steps"], step.id, entry)
            return
        if mark == SKIPPED:
            return
        yield from self.between(frame)
        if mark == CAUGHT:
            yield from self._handle(step, frame, entry)
            return
        try:
            yield from self._tried(step, frame, instance, entry)
        except StepFailed as failure:
            failure.instance = failure.instance or instance
            yield from self._catch(step, frame, instance, failure)

    def between(self, frame: Frame) -> Working:
        """Between two steps: nothing more begins in a scope that is stopped, or in a run that is about to go."""
        if frame.scope.stopped is not None:
            raise Stopped
        while self.pausing:
            yield Pause()
        frame.at(self.now_ms)

    def _tried(self, step: Step, frame: Frame, instance: str, entry: "Json") -> Working:
        if "mark" not in entry:
            if step.when and not (yield from self._holds(step.when, step, frame)):
                self.run.journal[instance] = {"mark": SKIPPED}
                self.notes.skipped(step, instance, self.now_ms, **frame.decided())
                return
            entry = self.run.journal[instance] = {"mark": ENTERED, "began_ms": self.now_ms}
        if step.timeout_ms is not None and "due_ms" not in entry:
            entry["due_ms"] = self.now_ms + step.timeout_ms
        note = self.notes.began(step, instance, entry.get("began_ms", self.now_ms))
        try:
            yield from self._in_time(step, frame, instance, entry, note)
        except StepFailed as failure:
            failure.instance = failure.instance or instance
            self.notes.ended(note, "failed", self.now_ms, error=failure.as_noted(), **frame.decided())
            raise
        except (Ended, Refused):
            self.notes.ended(note, "done", self.now_ms, **frame.decided())
            raise
        except Stopped:
            self.notes.ended(note, "stopped", self.now_ms, **frame.decided())
            raise
        self.notes.ended(note, "done", self.now_ms, **frame.decided())
        self._done(step, frame, instance)

    def _done(self, step: Step, frame: Frame, instance: str) -> None:
        entry = self.run.journal[instance]
        kept = {key: entry[key] for key in ("result", RESULT) if key in entry}
        if kept:
            recall(frame.scene.context["steps"], step.id, kept)
            learn(frame.scene, ("steps", step.id, "result"), kept["result"])
        self.run.journal[instance] = {"mark": DONE, **kept, **_counted(entry)}
        if isinstance(step, DoStep) and step.compensate:
            effects.undo_as_one(self, step, frame)

    def _in_time(self, step: Step, frame: Frame, instance: str, entry: "Json", note: "Json") -> Working:
        """Do a step within its time-out, if it has one: an effect that has begun by then is finished, and nothing else.

        An effect that was cut short, and fails, has failed for want of time.
        """
        if step.timeout_ms is None:
            yield from self._do(step, frame, instance, entry, note)
            return
        scope = Scope(frame.scope)
        timer = StartTimer(f"{instance}!timeout", entry["due_ms"])
        inner = frame.branch(scope)
        outcomes = yield Fork([self._do(step, inner, instance, entry, note)], scope, timer=timer)
        frame.scene.decisions |= inner.scene.decisions
        end = outcomes[0]
        late = isinstance(end, Stopped) or (isinstance(end, StepFailed) and scope.cut_short)
        if late and scope.reason == "timeout" and frame.scope.stopped is None:
            more = f"; {end.where}: {end.message}" if isinstance(end, StepFailed) else ""
            raise StepFailed("timeout", f"not done within {step.timeout_ms} ms{more}", step.id, step.at)
        raise_first(outcomes)

    def _do(self, step: Step, frame: Frame, instance: str, entry: "Json", note: "Json") -> Working:
        match step:
            case DoStep():
                yield from self.steps(step.do, frame)
            case SwitchStep():
                yield from self._switch(step, frame, entry)
            case ParallelStep():
                yield from self._parallel(step, frame)
            case _:
                yield from self._do_valued(step, frame, instance, entry, note)

    def _do_valued(self, step: Step, frame: Frame, instance: str, entry: "Json", note: "Json") -> Working:
        """Do a step that begins with values; one that is missing fails it."""
        try:
            if isinstance(step, ForEachStep):
                yield from loops.passes(self, step, frame, entry)
            else:
                yield from simple.do(self, step, frame, instance, entry, note)
        except Missing as missing:
            raise StepFailed("missing", str(missing), step.id, step.at) from missing

    def forget(self, prefix: str) -> None:
        """A pass is done: nothing of it is asked for again, but the results for what may have to undo it."""
        journal, passes = self.run.journal, self.run.passes
        left = {one: journal.pop(one) for one in [one for one in journal if one.startswith(prefix)]}
        if "undo" in passes[prefix]:
            passes[prefix]["done"] = {
                one.removeprefix(prefix): {key: entry[key] for key in ("result", RESULT) if key in entry}
                for one, entry in left.items()
                if "result" in entry
            }
        else:
            del passes[prefix]
        effects.without_names(self.run, prefix)

    def _switch(self, step: SwitchStep, frame: Frame, entry: "Json") -> Working:
        if "branch" not in entry:
            entry["branch"] = yield from self._branch(step, frame)
        if entry["branch"] is not None:
            yield from self.steps(step.branches[entry["branch"]].do, frame)

    def _branch(self, step: SwitchStep, frame: Frame) -> Working:
        for number, branch in enumerate(step.branches):
            if not branch.when or (yield from self._holds(branch.when, step, frame)):
                return number
        return None

    def _parallel(self, step: ParallelStep, frame: Frame) -> Working:
        scope = Scope(frame.scope)
        outcomes = yield Fork([self.steps(lane.do, frame.branch(scope)) for lane in step.lanes], scope)
        raise_first(outcomes)

    def _holds(self, expression: str, step: Step, frame: Frame) -> Working:
        return (yield from holds(frame.scene, expression, step))

    def _catch(self, step: Step, frame: Frame, instance: str, failure: StepFailed) -> Working:
        for number, catch in enumerate(step.catch):
            if not catch.errors or failure.kind in catch.errors:
                entry = {"mark": CAUGHT, "catch": number, "error": failure.as_root()}
                entry |= _counted(self.run.journal.get(instance, {}))
                self.run.journal[instance] = entry
                yield from self._handle(step, frame, entry)
                return
        raise failure

    def _handle(self, step: Step, frame: Frame, entry: "Json") -> Working:
        inner = frame.branch(frame.scope, error=entry["error"])
        yield from self.steps(step.catch[entry["catch"]].do, inner)
        self.run.journal[frame.instance(step.id)] = {"mark": DONE, **_counted(entry)}


def _counted(entry: "Json") -> "Json":
    """What is told of the passes of a loop once they are over."""
    counts = entry.get("passes")
    if counts is None and "passed" in entry:
        counts = {"items": entry["items"], "passed": len(entry["passed"]), "failed": len(entry["failed"])}
    return {"passes": counts} if counts is not None else {}
