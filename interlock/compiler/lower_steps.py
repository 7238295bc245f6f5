"""The steps of the plan's flows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from interlock.compiler.lower_fields import maybe_text, text, texts
from interlock.compiler.walk import Written, flow_steps, step_ids
from interlock.plan.steps import (
    Branch,
    CallStep,
    Catch,
    CollectStep,
    DoStep,
    FlowStep,
    HandoffStep,
    RefuseStep,
    ReplyStep,
    RespondStep,
    SetStep,
    Step,
    SwitchStep,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from interlock.compiler.units import Part, Unit
    from interlock.compiler.written import Path

MAX_PARTS = 20


def flow(part: Part) -> tuple[Step, ...]:
    """The steps of one flow."""
    ids = step_ids(flow_steps(part))
    return _steps(part.unit, part.model, part.path, ids)


def _steps(unit: Unit, steps: Sequence[Any], path: Path, ids: Mapping[Path, str]) -> tuple[Step, ...]:
    return tuple(_step(unit, model, (*path, index), ids) for index, model in enumerate(steps))


def _step(unit: Unit, model: Any, path: Path, ids: Mapping[Path, str]) -> Step:
    common: dict[str, Any] = {
        "at": str(unit.value(*path)),
        "id": ids[path],
        "title": maybe_text(model.title),
        "when": model.when or "",
        "catch": _catches(unit, model, path, ids),
    }
    match Written(model, path, caught=False).action:
        case "switch":
            return SwitchStep(action="switch", **common, branches=_branches(unit, model, path, ids))
        case "do":
            return DoStep(action="do", **common, do=_steps(unit, model.do, (*path, "do"), ids))
        case action:
            return _simple(action, model, common)


def _simple(action: str, model: Any, common: Mapping[str, Any]) -> Step:
    match action:
        case "call":
            expand, most = tuple(model.expand or ()), model.max_parts or MAX_PARTS
            bind = model.with_ or {}
            return CallStep(action="call", **common, tool=model.call, bind=bind, expand=expand, max_parts=most)
        case "collect":
            return CollectStep(action="collect", **common, slots=tuple(model.collect))
        case "respond":
            return RespondStep(action="respond", **common, response=model.respond, result=model.result or "")
        case "reply":
            return ReplyStep(action="reply", **common, text=text(model.reply), options=texts(model.options))
        case "refuse":
            said = {"text": text(model.refuse), "reason": model.reason or "", "options": texts(model.options)}
            return RefuseStep(action="refuse", **common, **said)
        case "handoff":
            return HandoffStep(action="handoff", **common, text=text(model.handoff), to=model.to or "")
        case "flow":
            return FlowStep(action="flow", **common, flow=model.flow)
        case _:
            return SetStep(action="set", **common, values=model.set)


def _catches(unit: Unit, model: Any, path: Path, ids: Mapping[Path, str]) -> tuple[Catch, ...]:
    return tuple(
        Catch(
            at=str(unit.value(*path, "catch", index)),
            errors=tuple(catch.errors or ()),
            do=_steps(unit, catch.do or (), (*path, "catch", index, "do"), ids),
        )
        for index, catch in enumerate(model.catch or ())
    )


def _branches(unit: Unit, model: Any, path: Path, ids: Mapping[Path, str]) -> tuple[Branch, ...]:
    return tuple(
        Branch(
            at=str(unit.value(*path, "switch", index)),
            when=branch.when or "",
            do=_steps(unit, branch.do, (*path, "switch", index, "do"), ids),
        )
        for index, branch in enumerate(model.switch)
    )
