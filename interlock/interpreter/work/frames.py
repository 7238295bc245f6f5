"""Where a step stands: its pass of a loop, and the context that it reads and fills."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from interlock.interpreter import cells, provenance
from interlock.interpreter.context import Context, at_time
from interlock.interpreter.events import MessageReceived
from interlock.interpreter.masking import learn
from interlock.interpreter.roots import Conditions, Decisions
from interlock.interpreter.texts import shower
from interlock.interpreter.turn import Turn
from interlock.interpreter.work.tasks import Scope

if TYPE_CHECKING:
    from interlock.interpreter.program import Program
    from interlock.interpreter.secrets import Secrets
    from interlock.interpreter.stages import Stages
    from interlock.interpreter.work.state import Json, RunState


def passes_to(prefix: str) -> list[str]:
    """A pass and those around it, the outermost first."""
    return [prefix[: at + 1] for at, sign in enumerate(prefix) if sign == "/"]


def _root(scene: Turn, name: str) -> Any:
    """The time is the only root that is made when it is read."""
    if name != "now":
        raise KeyError(name)
    return at_time(scene.now_ms)


class Cells:
    """The cells that a pass of a loop sees: its own over those around it. What it fills is its own."""

    def __init__(self, own: "dict[str, dict[str, Json]]", outer: "Cells | None" = None) -> None:
        self._own = own
        self._outer = outer

    def __iter__(self) -> Iterator[str]:
        """The tools that have any."""
        yield from dict.fromkeys([*self._own, *(self._outer or ())])

    def get(self, tool: str, default: Any = None) -> Any:
        """The cells of a tool; those around where its own have been made stale, and these have been filled since."""
        own = self._own.get(tool)
        around = self._outer.get(tool) if self._outer is not None else None
        filled_since = own and around and cells.is_live(around) and not cells.is_live(own)
        if own is None or filled_since:
            return default if around is None else around
        return own

    def __getitem__(self, tool: str) -> "dict[str, Json]":
        found: dict[str, Json] | None = self.get(tool)
        if found is None:
            raise KeyError(tool)
        return found

    def __setitem__(self, tool: str, filled: "dict[str, Json]") -> None:
        self._own[tool] = filled

    @property
    def layers(self) -> "list[dict[str, dict[str, Json]]]":
        """Its own cells, then those around: what makes some stale has happened outside of any loop."""
        return [self._own, *(self._outer.layers if self._outer is not None else ())]


class View:
    """A run's state as a call sees it: that of a turn, with the cells of the pass."""

    turn = 0
    model = None

    def __init__(self, run: "RunState", seen: Cells) -> None:
        self._run = run
        self.cells = seen
        self.layers = seen.layers
        self.run_id = run.run_id
        self.receipts = run.receipts

    @property
    def calls(self) -> int:
        """How many calls the run has made."""
        return self._run.calls

    @calls.setter
    def calls(self, number: int) -> None:
        self._run.calls = number


class Frame:
    """One pass of a loop, one branch, or the whole run. Branches share what they see; a pass has its own."""

    def __init__(
        self,
        program: "Program",
        run: "RunState",
        scope: Scope,
        now_ms: int,
        language: str,
        stages: "Stages",
        secrets: "Secrets | None" = None,
    ) -> None:
        self.prefix = ""
        self.stages, self.secrets = stages, secrets
        self.scope = scope
        self.program = program
        self.run = run
        self.cells = Cells(run.cells)
        self.vars: dict[str, Any] = run.vars
        context = Context(
            {
                "input": run.input,
                provenance.beside("input"): [{"given_by": run.given_by}] if run.given_by else [{}],
                "config": program.plan.config,
                "run": {"id": run.run_id},
                "steps": {},
                "turn": {"tool_errors": 0},
                "$show": shower(program, language),
            },
        )
        self.scene = self._scene(context, now_ms, language)
        self.recall()

    def recall(self) -> None:
        """Bring the results of steps that are done back into the context."""
        steps = self.scene.context["steps"]
        for instance, entry in self.run.journal.items():
            name = instance.removeprefix(self.prefix)
            if "result" in entry and "/" not in name and instance.startswith(self.prefix):
                provenance.recall(steps, name, entry)

    def _scene(self, context: Context, now_ms: int, language: str) -> Turn:
        """What calls and checks are made in."""
        message = MessageReceived("", "", now_ms)
        state: Any = View(self.run, self.cells)
        scene = Turn(self.program, state, message, now_ms, language, context, "", read=True)
        scene.stages, scene.secrets = self.stages, self.secrets
        context["vars"] = {**self.program.no_vars, **self.vars}
        context["conditions"] = Conditions(scene)
        context["cells"] = cells.Live(state, cells.current_in(context))
        context["decisions"] = Decisions(scene)
        context.lazy = partial(_root, scene)
        return scene

    def at(self, now_ms: int) -> None:
        """It is later now: what was computed for an earlier moment is computed again."""
        context = self.scene.context
        self.scene.now_ms = now_ms
        context.pop("now", None)
        context["conditions"] = Conditions(self.scene)
        context["decisions"] = Decisions(self.scene)

    def decided(self) -> "Json":
        """The tables asked since this was last called, for the record; empty if there were none."""
        decisions = self.scene.decisions
        if not decisions:
            return {}
        taken = {"decisions": dict(decisions)}
        decisions.clear()
        return taken

    def branch(self, scope: Scope, **roots: Any) -> "Frame":
        """A branch within: what it sees and fills is the same, its `error` is its own."""
        made = self._made(scope, self.prefix, self.cells, self.vars, {**self.scene.context, **roots})
        made.scene.context["vars"] = self.scene.context["vars"]
        return made

    def one_pass(self, scope: Scope, step: str, key: str, roots: Mapping[str, Any]) -> "Frame":
        """A pass of a loop: what it fills and sets is its own, and goes with it."""
        prefix = f"{self.prefix}{step}[{quote(key, safe='')}]/"
        self.run.passes.setdefault(prefix, {"cells": {}, "vars": dict(self.vars), "roots": dict(roots)})
        for variable, item in roots.items():
            learn(self.scene, (variable,), item)
        return self._within(scope, prefix)

    def again(self, scope: Scope, prefix: str) -> "Frame":
        """The frame of a pass that was begun before, from the frame of the run."""
        frame = self
        for one in passes_to(prefix):
            frame = frame._within(scope, one)
        return frame

    def _within(self, scope: Scope, prefix: str) -> "Frame":
        kept = self.run.passes[prefix]
        roots = {**self.scene.context, **kept["roots"], "steps": dict(self.scene.context["steps"])}
        made = self._made(scope, prefix, Cells(kept["cells"], self.cells), kept["vars"], roots)
        made.recall()
        for step, entry in kept.get("done", {}).items():
            provenance.recall(made.scene.context["steps"], step, entry)
        for step, result in kept.get("steps", {}).items():  # as a version has kept them that knew of no ends
            made.scene.context["steps"][step] = {"result": result}
        return made

    def with_cells(self, own: "dict[str, dict[str, Json]]") -> "Frame":
        """The same place, but for cells as they were."""
        return self._made(self.scope, self.prefix, Cells(own, self.cells), self.vars, self.scene.context)

    def _made(
        self, scope: Scope, prefix: str, seen: Cells, variables: dict[str, Any], roots: dict[str, Any]
    ) -> "Frame":
        """A frame of the same run that stands or sees otherwise."""
        made = object.__new__(Frame)
        made.program, made.run = self.program, self.run
        made.stages, made.secrets = self.stages, self.secrets
        made.scope, made.prefix, made.cells, made.vars = scope, prefix, seen, variables
        context = Context(roots)
        context.pop("now", None)
        made.scene = made._scene(context, self.scene.now_ms, self.scene.language)
        return made

    def set(self, values: Mapping[str, Any]) -> "Json":
        """Give variables values, in the order written; where each is from."""
        context, origins = self.scene.context, dict[str, Any]()
        for name, value in values.items():
            given, ends = self.program.value(value)(context), provenance.of_value(self.scene, context, value)
            origins[name] = provenance.told(value, "value", ends)
            made = {name: given, provenance.beside(name): ends}
            self.vars |= made
            context["vars"] |= made
            learn(self.scene, ("vars", name), given)
        return origins

    def instance(self, step: str) -> str:
        """The name of a step where it stands: `hires[E-7]/onboard`."""
        return self.prefix + step
