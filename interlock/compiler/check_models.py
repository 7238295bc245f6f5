"""Models: where they answer, which of them writes, and what they may propose."""

from __future__ import annotations

from typing import TYPE_CHECKING

from interlock.compiler.check_servers import check_answering
from interlock.compiler.identifiers import is_identifier
from interlock.compiler.mentions import ASKING
from interlock.compiler.order import check_order
from interlock.compiler.plug_ins import check_brought
from interlock.compiler.walk import all_steps
from interlock.plan.models import AUTO
from interlock.plan.runtimes import BUILT_IN, PIPELINE, brought, runtime_names
from interlock.spec.models import MODEL_SERVERS

if TYPE_CHECKING:
    from interlock.compiler.findings import Findings
    from interlock.compiler.project import Project
    from interlock.compiler.units import Part, Unit
    from interlock.compiler.walk import Written
    from interlock.compiler.written import Path
    from interlock.diagnostics import Location
    from interlock.spec.fields import Argument, Field

FOR_MODELS = ("instructions", "fallback", "grounding", "model_rules", "model_override")
"""Keys of an Agent that mean nothing where no step asks a model."""


def check_models(project: Project, findings: Findings) -> None:
    """Roles, rules and steps of all specs, and the arguments that models propose."""
    for unit in project.everything:
        for part in unit.parts("models").values():
            check_answering(part, MODEL_SERVERS, "a model", part.key("model"), findings)
        for part in unit.parts("tools").values():
            for name, argument in (part.model.input or {}).items():
                if argument.from_ == "model":
                    _proposed(part, name, argument, findings)
    for agent in project.agents:
        entries = [(agent.value("model_rules", item.index), item.model.when) for item in agent.model_rules]
        check_order("model rule", entries, findings)
        _asked(agent, findings)
        _runtime(agent, findings)
    for unit in project.runnable:
        for step in all_steps(unit):
            if step.action == "call":
                _call(unit, step, findings)
            elif step.action == "act":
                _searches(unit, step, findings)
            elif step.action == "generate":
                for name, field in (step.model.output or {}).items():
                    _filled(unit, (*step.path, "output", name), name, field, findings)


def _proposed(part: Part, name: str, argument: Argument, findings: Findings) -> None:
    """Free text, of a bounded length; never what names a thing, counts or dates it."""
    place = part.value("input", name, "from")
    if is_identifier(name, argument):
        hint = "take it from a slot, a cell or `caller`"
        findings.error("identifier-from-model", _made_up(name), place, hint=hint)
    elif argument.type != "string" or argument.max_length is None:
        hint = "write `{type: string, max_length: 200, from: model}`"
        findings.error(
            "unbounded-proposal", "a model proposes texts, and none without a `max_length`", place, hint=hint
        )


def _made_up(name: str) -> str:
    return f"{name!r} is an identifier, a number or a date, and a model would make it up"


def _asked(agent: Unit, findings: Findings) -> None:
    """What is said about models must have somebody to hear it."""
    steps = [step for step in all_steps(agent) if step.action in ASKING]
    if agent.broken.get("flows"):
        return
    for key in FOR_MODELS:
        if key in agent.document.data and not steps:
            message = f"no step asks a model, so `{key}` means nothing"
            findings.warning("no-effect", message, agent.key(key), hint="add a `generate` step, or take it out")
    written = [step.model.generate for step in steps if step.action == "generate"]
    if steps and agent.model_rules and AUTO not in written:
        message = "no step says `generate: auto`, so these rules are never asked"
        findings.warning("no-effect", message, agent.key("model_rules"))
    writers = [step for step in steps if step.action == "generate"]
    if agent.memory is not None and not any(step.model.memory is not False for step in writers):
        message = "no step writes with what is remembered, so `memory` means nothing"
        findings.warning("no-effect", message, agent.key("memory"), hint="add a `generate` step, or take it out")
    for step in writers:
        if agent.memory is None and step.model.memory is not None and "memory" not in agent.broken:
            message = "this Agent remembers nothing"
            hint = "write `memory: {by: user.id}` at the Agent, or take it out"
            findings.warning("no-effect", message, agent.key(*step.path, "memory"), hint=hint)
    retrieves = any(step.action == "retrieve" or _searched(step) for step in all_steps(agent))
    for step in steps:
        if step.action == "generate" and step.model.sources == "append" and not retrieves:
            message = "there are no sources to add: nothing is retrieved"
            findings.warning("no-effect", message, agent.key(*step.path, "sources"))


def _searched(step: Written) -> list[str]:
    """The retrievers that a step lets a model search."""
    return step.model.act.retrievers or [] if step.action == "act" else []


def _searches(agent: Unit, step: Written, findings: Findings) -> None:
    """A model names what it does by one name: a retriever has one that no tool or procedure has."""
    for index, name in enumerate(_searched(step)):
        tool = agent.find("tools", name)
        if tool is None and name not in (step.model.act.procedures or ()):
            continue
        also = ((tool.key(), "the tool"),) if tool is not None else ()
        message = (
            f"{name!r} is a retriever and a {'tool' if tool is not None else 'procedure'}: a model names both alike"
        )
        place = agent.value(*step.path, "act", "retrievers", index)
        findings.error("duplicate-name", message, place, also=also, hint="give the retriever another name")


def _filled(unit: Unit, path: Path, name: str, field: Field, findings: Findings) -> None:
    """What a model fills in: texts with a bound, one value of several, yes or no; and objects and lists of these."""
    if is_identifier(name, field):
        findings.error("identifier-from-model", _made_up(name), unit.key(*path), hint="take it from a slot or a cell")
    elif field.type == "object" and field.fields is not None:
        for inner, one in field.fields.items():
            _filled(unit, (*path, "fields", inner), inner, one, findings)
    elif field.type == "list" and field.items is not None and field.max_length is not None:
        _filled(unit, (*path, "items"), name, field.items, findings)
    elif field.type != "boolean" and not field.enum and (field.type != "string" or field.max_length is None):
        hint = "write `{type: string, max_length: 200}`, or an `enum`; a list needs `max_length` and `items`"
        findings.error(
            "unbounded-proposal", f"what a model writes into {name!r} has no bound", unit.key(*path), hint=hint
        )


def _runtime(agent: Unit, findings: Findings) -> None:
    """The runtimes must be there where the spec is checked, and have something to choose for."""
    name = agent.runtime
    acts = [step for step in all_steps(agent) if step.action == "act"]
    if name is not None:
        place = agent.value("runtime")
        _known_runtime(name, place, findings)
        if not agent.broken.get("flows") and all(step.model.act.runtime is not None for step in acts):
            lacking = "every `act` step has a `runtime` of its own" if acts else "no step says `act`"
            findings.warning("no-effect", f"{lacking}, so `runtime` means nothing", place)
    for step in acts:
        choice, path = step.model.act, (*step.path, "act")
        if choice.runtime is not None:
            _known_runtime(choice.runtime, agent.value(*path, "runtime"), findings)
        if choice.handoff is not None and (choice.runtime or name or PIPELINE) == PIPELINE:
            message = "the runtime `pipeline` never hands over"
            hint = "write `runtime: react`, or a `handoff` step"
            findings.warning("no-effect", message, agent.key(*path, "handoff"), hint=hint)


def _known_runtime(name: str, place: Location, findings: Findings) -> None:
    if name not in BUILT_IN:
        check_brought("unknown-runtime", name, brought, runtime_names, place, findings)


def _call(unit: Unit, step: Written, findings: Findings) -> None:
    """A call that no model chooses has nobody to propose its texts."""
    tool = unit.find("tools", step.model.call)
    for name, argument in (tool.model.input or {}).items() if tool else ():
        if argument.from_ == "model" and not argument.optional and argument.default is None:
            assert tool is not None
            also = ((tool.key("input", name), "it comes from a model"),)
            message = f"nobody proposes {name!r} of {tool.name!r} here"
            hint = "let a model choose the tool: `act`; or take the value from `caller`"
            findings.error("nobody-proposes", message, unit.key(*step.path, "call"), also=also, hint=hint)
