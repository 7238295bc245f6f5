"""From a checked Agent or Procedure to its plan: everything it reaches, closed over its Libraries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from interlock.compiler.choices import offered
from interlock.compiler.closure import reached
from interlock.compiler.decisions import lowered
from interlock.compiler.lower_fields import field_values, fields, maybe_ms, maybe_text, text, texts
from interlock.compiler.lower_models import grounding, memory, model
from interlock.compiler.lower_parts import condition, intent, response, retriever, slot, vocabulary
from interlock.compiler.lower_steps import flow
from interlock.compiler.lower_tools import server, tool
from interlock.compiler.units import STEPS
from interlock.plan.models import Grounding, ModelRule
from interlock.plan.plan import MessageShape, Plan, Session, Work
from interlock.plan.rules import Gate, Route
from interlock.plan.runtimes import PIPELINE
from interlock.plan.sensitive import given_back
from interlock.plan.tools import Argument, Mount, RunMount

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from interlock.compiler.units import Item, Part, Unit
    from interlock.plan.steps import Step
    from interlock.spec.specs import ProcedureSpec

VERDICTS = ("reply", "ask", "refuse", "handoff", "call", "assume", "skip")
SPOKEN = frozenset({"reply", "ask", "refuse", "handoff"})
ONE_LANGUAGE = ("en",)
"""What an Agent speaks that declares no languages: it has one, and nothing ever asks which."""


def plan_of(agent: Unit, made: Mapping[str, Plan]) -> Plan:
    """The plan of an Agent or Procedure without errors; `made` has those of the procedures that it may run."""
    parts = reached(agent)
    flows = _each(parts, "flows", lambda part: flow(part, made))
    work = None if agent.work is None else _work(agent.work, flows.pop(STEPS))
    return Plan(
        kind="Agent" if work is None else "Procedure",
        work=work,
        bundle=agent.bundle,
        name=agent.name,
        title=maybe_text(agent.title),
        description=agent.description,
        languages=agent.languages or ONE_LANGUAGE,
        config={name: _meant(agent, part).model for name, part in parts.get("config", {}).items()},
        user=fields(agent.user),
        message=_message(agent),
        vocabularies=_each(parts, "vocabularies", vocabulary),
        slots=_each(parts, "slots", slot),
        intents={name: intent(_meant(agent, part)) for name, part in parts.get("intents", {}).items()},
        conditions=_each(parts, "conditions", condition),
        decisions=_each(parts, "decisions", lambda part: lowered(part).decision),
        servers=_each(parts, "servers", server),
        models=_each(parts, "models", model),
        model_rules=tuple(_model_rule(agent, item) for item in agent.model_rules),
        runtime=agent.runtime or PIPELINE,
        instructions=maybe_text(agent.instructions),
        fallback=maybe_text(agent.fallback),
        grounding=grounding(agent.grounding) or Grounding(),
        model_override=agent.model_override or "",
        memory=memory(agent.memory),
        tools={name: tool(part, parts["tools"]) for name, part in parts.get("tools", {}).items()},
        retrievers=_each(parts, "retrievers", retriever),
        responses=_each(parts, "responses", response),
        mounts=tuple(_mount(agent, item) for item in agent.mounts),
        runs={item.model.run: _run_mount(agent, item, made) for item in agent.run_mounts},
        gates=tuple(_gate(agent, item) for item in agent.gates),
        routes=tuple(_route(agent, item) for item in agent.routes),
        flows=flows,
        session=_session(agent),
        trace_text=agent.trace_text,
    )


def _work(declared: ProcedureSpec, steps: tuple[Step, ...]) -> Work:
    values: dict[str, Any] = {"deadline_ms": maybe_ms(declared.deadline), "park_ms": maybe_ms(declared.park)}
    return Work(
        input=fields(declared.input),
        events={name: fields(event) for name, event in (declared.events or {}).items()},
        requester=declared.requester or "",
        language=declared.language or "",
        steps=steps,
        gives=declared.result or {},
        on_failure=declared.on_failure,
        on_cancel=declared.on_cancel,
        **{key: value for key, value in values.items() if value is not None},
    )


def _each(parts: dict[str, dict[str, Part]], plural: str, lower: Callable[[Part], Any]) -> dict[str, Any]:
    return {name: lower(part) for name, part in parts.get(plural, {}).items()}


def _meant(agent: Unit, part: Part) -> Part:
    """The constant or intent that the Agent means by that name: its own, where it has one."""
    return agent.find(part.plural, part.name) or part


def _message(agent: Unit) -> MessageShape:
    declared = agent.message
    if declared is None:
        return MessageShape()
    shape = MessageShape(metadata=fields(declared.metadata))
    return shape if declared.types is None else shape.model_copy(update={"types": tuple(declared.types)})


def _session(agent: Unit) -> Session:
    declared = agent.session
    values: dict[str, Any] = {
        "history": declared.history if declared else None,
        "idle_timeout_ms": maybe_ms(declared.idle_timeout) if declared else None,
        "upgrade": declared.upgrade if declared else None,
    }
    return Session(**{key: value for key, value in values.items() if value is not None})


def _mount(agent: Unit, item: Item) -> Mount:
    mount = item.model
    return Mount(
        at=str(agent.key("mounts", item.index)),
        call=mount.call,
        intent=mount.intent or "",
        bind=mount.with_ or {},
        respond=mount.respond or "",
    )


def _run_mount(agent: Unit, item: Item, made: Mapping[str, Plan]) -> RunMount:
    name = item.model.run
    return RunMount(
        at=str(agent.key("mounts", item.index)),
        digest=made[name].digest,
        hides=given_back(made[name]),
        bind=item.model.with_ or {},
        intent=item.model.intent or "",
        description=agent.procedures[name].description if name in offered(agent) else "",
        input={
            field: Argument(**field_values(declared), source="caller", send_as=field)
            for field, declared in agent.procedures[name].input.items()
        },
    )


def _gate(agent: Unit, item: Item) -> Gate:
    gate = item.model
    verdict: Any = next(key for key in VERDICTS if getattr(gate, key) is not None)
    return Gate(
        at=str(agent.key("gates", item.index)),
        id=gate.id,
        title=maybe_text(gate.title),
        when=gate.when or "",
        screen=gate.screen or "",
        allow=tuple(gate.allow or ()),
        prefix=gate.prefix or "",
        fills=gate.fills or "",
        usage=maybe_text(gate.usage),
        verdict=verdict,
        text=text(getattr(gate, verdict)) if verdict in SPOKEN else None,
        reason=gate.reason or "",
        options=texts(gate.options),
        call=gate.call or "",
        respond=gate.respond or "",
        assume=gate.assume or {},
        skip=tuple(gate.skip or ()),
    )


def _model_rule(agent: Unit, item: Item) -> ModelRule:
    rule = item.model
    return ModelRule(at=str(agent.value("model_rules", item.index)), when=rule.when or "", model=rule.model)


def _route(agent: Unit, item: Item) -> Route:
    route = item.model
    return Route(
        at=str(agent.key("routes", item.index)), id=route.id or route.flow, when=route.when or "", flow=route.flow
    )
