"""The spans of a turn or of a procedure's run, made of what its machine says that it goes through."""

from typing import Any

from interlock.interpreter.stages import Stage
from interlock.interpreter.state import State
from interlock.interpreter.work.state import RunState
from interlock.plan.plan import Plan
from interlock.telemetry.spans import CURRENT, Facts, Span

Json = dict[str, Any]


class Trail:
    """A span with the stages in it; nothing at all where nothing is traced.

    A run that is taken out of memory ends no span: the one that replays it does, under the same id.
    """

    def __init__(self, name: str, facts: Facts, *, texts: bool = False) -> None:
        self._before = CURRENT.get()
        self._open: list[Span] = []
        if self._before is not None:
            self._open = [self._before._replace(texts=texts).begin(name, facts)]
            self.go_on()

    def go_on(self) -> None:
        """What this task does now is part of the stage that began last."""
        if self._open:
            CURRENT.set(self._open[-1].place)

    def saw(self, stages: list[Stage]) -> None:
        """The machine has gone through these."""
        if not self._open:
            return
        for stage in stages:
            if stage.moment == "ends":
                self._open.pop().end(**_named(stage.facts))
                continue
            span = self._open[-1].place.begin(stage.name, _named(stage.facts))
            span.shows(_named(stage.texts))
            if stage.moment == "begins":
                self._open.append(span)
            else:
                span.end()
        self.go_on()

    def end(self, facts: Facts, texts: Facts | None = None, *, error: str = "", stays: bool = False) -> None:
        """It is over, with all stages that were under way. With `stays` what follows belongs to the same trace."""
        while len(self._open) > 1:
            self._open.pop().end()
        for span in self._open:
            span.shows(texts or {})
            span.end(error, **facts)
        rooted = self._before is None or bool(self._before.carrier)
        CURRENT.set(self._open[0].place if stays and not rooted else self._before)
        self._open = []


def of_run(plan: Plan, state: State | RunState) -> Facts:
    """What is known of a run from its beginning."""
    return {"interlock.spec": plan.name, "interlock.plan": state.plan_digest[:12], "interlock.run": state.run_id}


def _named(facts: Json) -> Facts:
    return {f"interlock.{name}": value for name, value in facts.items()}
