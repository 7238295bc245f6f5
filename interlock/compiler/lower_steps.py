"""The steps of the plan's flows and procedures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from interlock.compiler.choices import tools_of
from interlock.compiler.lower_fields import fields, is_sensitive, maybe_ms, maybe_text, text, texts
from interlock.compiler.lower_models import grounding
from interlock.compiler.walk import UNDOABLE, ids_of, listed_steps
from interlock.plan import steps as plan
from interlock.plan.sensitive import given_back
from interlock.spec.durations import is_duration, milliseconds

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from interlock.compiler.units import Part, Unit
    from interlock.compiler.walk import Written
    from interlock.compiler.written import Path
    from interlock.plan.plan import Plan

MAX_PARTS = 20

Made: TypeAlias = "Mapping[str, Plan]"
"""The plans of the procedures that may be run, by name."""


def flow(part: Part, made: Made | None = None) -> tuple[plan.Step, ...]:
    """The steps of one flow or procedure; `made` has the plans of the procedures that it runs."""
    return _Lowering(part.unit, ids_of(part), made or {}).listed(listed_steps(part))


class _Lowering:
    def __init__(self, unit: Unit, ids: Mapping[Path, str], made: Made) -> None:
        self._unit = unit
        self._ids = ids
        self._made = made

    def listed(self, steps: Sequence[Written]) -> tuple[plan.Step, ...]:
        """The steps of one list."""
        return tuple([self._step(step) for step in steps])

    def _step(self, step: Written) -> plan.Step:
        model, path = step.model, step.path
        common: dict[str, Any] = {
            "action": step.action,
            "at": self._at(*path),
            "id": self._ids[path],
            "title": maybe_text(model.title),
            "when": model.when or "",
            "timeout_ms": maybe_ms(model.timeout),
            "catch": self._catches(step),
        }
        if isinstance(model, UNDOABLE):
            common["compensate"] = self.listed(step.undoing)
        lower: Callable[[Written, dict[str, Any]], plan.Step] = getattr(self, f"_{step.action}", _simple)
        return lower(step, common)

    def _at(self, *path: str | int) -> str:
        return str(self._unit.value(*path))

    def _catches(self, step: Written) -> tuple[plan.Catch, ...]:
        return tuple(
            plan.Catch(
                at=self._at(*step.path, "catch", index),
                errors=tuple(catch.errors or ()),
                do=self.listed(steps),
            )
            for index, (catch, steps) in enumerate(zip(step.model.catch or (), step.catches, strict=True))
        )

    def _run(self, step: Written, common: dict[str, Any]) -> plan.Step:
        name, child = step.model.run, self._made[step.model.run]
        given = {"bind": step.model.with_ or {}, "waiting": maybe_text(step.model.waiting)}
        masked = tuple(key for key, field in self._unit.procedures[name].input.items() if is_sensitive(field))
        hides = given_back(child)
        return plan.RunStep(**common, procedure=name, digest=child.digest, hides=hides, masked=masked, **given)

    def _act(self, step: Written, common: dict[str, Any]) -> plan.Step:
        choice = step.model.act
        said = {key: value for key in ("max_calls", "history") if (value := getattr(choice, key)) is not None}
        said |= {"guidance": maybe_text(step.model.guidance), "handoff": maybe_text(choice.handoff)}
        said |= {"runtime": choice.runtime or "", "retrievers": tuple(choice.retrievers or ())}
        said |= {"tools": tuple(tools_of(self._unit, step)), "procedures": tuple(choice.procedures or ())}
        return plan.ActStep(**common, **said)

    def _plan(self, step: Written, common: dict[str, Any]) -> plan.Step:
        proposal = step.model.plan
        said = {key: value for key in ("max_steps", "history") if (value := getattr(proposal, key)) is not None}
        said |= {"goal": text(proposal.goal), "guidance": maybe_text(step.model.guidance)}
        return plan.PlanStep(**common, actions=tuple(proposal.actions), **said)

    def _switch(self, step: Written, common: dict[str, Any]) -> plan.Step:
        branches = tuple(
            plan.Branch(
                at=self._at(*step.path, "switch", index),
                when=branch.when or "",
                do=self.listed(steps),
            )
            for index, (branch, steps) in enumerate(zip(step.model.switch, step.inner, strict=True))
        )
        return plan.SwitchStep(**common, branches=branches)

    def _parallel(self, step: Written, common: dict[str, Any]) -> plan.Step:
        lanes = tuple(
            plan.Lane(name=name, do=self.listed(steps))
            for name, steps in zip(step.model.parallel, step.inner, strict=True)
        )
        return plan.ParallelStep(**common, lanes=lanes)

    def _for_each(self, step: Written, common: dict[str, Any]) -> plan.Step:
        loop = step.model.for_each
        return plan.ForEachStep(
            **common,
            each=loop.items,
            variable=loop.as_,
            key=loop.key or "",
            do=self.listed(step.inner[0]),
            max_parallel=loop.max_parallel or 1,
            on_failure=loop.on_failure,
        )

    def _do(self, step: Written, common: dict[str, Any]) -> plan.Step:
        return plan.DoStep(**common, do=self.listed(step.inner[0]))


def _simple(step: Written, common: dict[str, Any]) -> plan.Step:
    model = step.model
    match step.action:
        case "call":
            most = model.max_parts or MAX_PARTS
            expand = tuple(model.expand or ())
            again = _repeat(model.repeat)
            given = {"bind": model.with_ or {}, "decompose": model.decompose or ""}
            return plan.CallStep(**common, tool=model.call, expand=expand, max_parts=most, repeat=again, **given)
        case "collect":
            return plan.CollectStep(**common, slots=tuple(model.collect))
        case "respond":
            return plan.RespondStep(**common, response=model.respond, result=model.result or "")
        case "reply":
            return plan.ReplyStep(**common, text=text(model.reply), options=texts(model.options))
        case "refuse":
            options = texts(model.options)
            return plan.RefuseStep(**common, text=text(model.refuse), reason=model.reason or "", options=options)
        case "handoff":
            return plan.HandoffStep(**common, text=text(model.handoff), to=model.to or "")
        case "retrieve":
            query = {"query": model.query} if model.query else {}
            return plan.RetrieveStep(**common, retriever=model.retrieve, top=model.top, **query)
        case "generate":
            return plan.GenerateStep(
                **common,
                role=model.generate,
                instructions=maybe_text(model.instructions),
                grounding=grounding(model.grounding),
                sources=model.sources or "none",
                bind=model.with_ or {},
                output=None if model.output is None else fields(model.output),
                no_result=model.no_result or "refuse",
                memory=model.memory is not False,
            )
        case "flow":
            return plan.FlowStep(**common, flow=model.flow)
        case "wait":
            if is_duration(model.wait):
                return plan.WaitStep(**common, duration_ms=milliseconds(model.wait))
            return plan.WaitStep(**common, time=model.wait)
        case "receive":
            return plan.ReceiveStep(**common, event=model.receive)
        case "end":
            return plan.EndStep(**common, gives=model.end)
        case "fail":
            return plan.FailStep(**common, text=text(model.fail), compensate=bool(model.compensate))
        case _:
            return plan.SetStep(**common, values=model.set)


def _repeat(written: Any) -> plan.Repeat | None:
    if written is None:
        return None
    every, longest = milliseconds(written.every), milliseconds(written.timeout)
    return plan.Repeat(until=written.until, every_ms=every, timeout_ms=longest)
