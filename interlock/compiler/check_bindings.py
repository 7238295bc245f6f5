"""Arguments: every call binds what its tool leaves to the caller, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from interlock.compiler.findings import suggestion
from interlock.compiler.literals import misfit
from interlock.compiler.shapes import field_shape, lacking, may_become
from interlock.compiler.walk import all_steps
from interlock.compiler.written import has_template
from interlock.expressions.shapes import shape_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from interlock.compiler.findings import Findings
    from interlock.compiler.project import Project, Suite
    from interlock.compiler.units import Part, Unit
    from interlock.compiler.written import Path
    from interlock.spec.fields import Field


class Call(NamedTuple):
    """A place that calls a tool. `before` holds what the mount binds already; a mount itself is not `final`."""

    unit: Unit
    path: Path
    tool: Part
    bind: Mapping[str, Any]
    before: Mapping[str, Any]
    final: bool = True


def check_bindings(project: Project, findings: Findings) -> None:
    """All calls of all specs, and the arguments that tools take by themselves."""
    for unit in project.everything:
        for call in calls_of(unit):
            _check(call, findings)
        for part in unit.parts("tools").values():
            for name, argument in (part.model.input or {}).items():
                _own_source(part, name, argument, findings)


def calls_of(unit: Unit) -> Iterator[Call]:
    """Mounts, gates, steps, conditions and checks that call."""
    bound = {item.model.call: item.model.with_ or {} for item in unit.mounts}
    for item in unit.mounts:
        yield from _call(unit, ("mounts", item.index), item.model, {}, final=False)
    for item in unit.gates:
        if item.model.call is not None and (tool := unit.find("tools", item.model.call)):
            yield Call(unit, ("gates", item.index), tool, {}, bound.get(tool.name, {}))
    for step in all_steps(unit):
        if step.action == "call":
            yield from _call(unit, step.path, step.model, bound.get(step.model.call, {}))
    for part in unit.parts("conditions").values():
        yield from _call(unit, part.path, part.model, {})
    for part in unit.parts("tools").values():
        for key in ("requires", "ensures"):
            for index, check in enumerate(getattr(part.model, key) or ()):
                yield from _call(unit, (*part.path, key, index), check, {})
        if part.model.read_back is not None:
            yield from _call(unit, (*part.path, "read_back"), part.model.read_back, {})


def _call(unit: Unit, path: Path, model: Any, before: Mapping[str, Any], *, final: bool = True) -> Iterator[Call]:
    tool = unit.find("tools", model.call) if model.call is not None else None
    if tool is not None:
        yield Call(unit, path, tool, model.with_ or {}, before, final)


def _check(call: Call, findings: Findings) -> None:
    arguments = call.tool.model.input or {}
    for name, value in call.bind.items():
        place = call.unit.key(*call.path, "with", name)
        if name not in arguments:
            hint = suggestion(name, [known for known in arguments if arguments[known].from_ == "caller"])
            findings.error("unknown-argument", f"{call.tool.called} has no argument {name!r}", place, hint=hint)
        elif arguments[name].from_ != "caller":
            also = ((call.tool.key("input", name), "declared here"),)
            hint = "only an argument with `from: caller` is bound by `with`"
            findings.error("not-caller", f"the tool itself says where {name!r} comes from", place, also=also, hint=hint)
        else:
            _value(call, name, value, findings)
    for name, argument in arguments.items() if call.final else ():
        required = not argument.optional and argument.default is None
        if argument.from_ == "caller" and required and name not in call.bind and name not in call.before:
            also = ((call.tool.key("input", name), "it comes from the caller"),)
            hint = f"write `with: {{{name}: …}}`"
            place = call.unit.key(*call.path, "call")
            findings.error(
                "unbound-argument", f"nothing binds {name!r} of {call.tool.name!r}", place, also=also, hint=hint
            )


def _value(call: Call, name: str, value: Any, findings: Findings) -> None:
    check_literal(call.unit, (*call.path, "with", name), value, call.tool.model.input[name], findings)


def _own_source(part: Part, name: str, argument: Any, findings: Findings) -> None:
    path = (*part.path, "input", name)
    check_literal(part.unit, (*path, "value"), argument.value, argument, findings)
    if argument.history is not None:
        slot = part.unit.find("slots", argument.from_.removeprefix("slots."))
        if not argument.from_.startswith("slots.") or (slot is not None and slot.model.patterns is None):
            message = "`history` is about an identifier, a slot with `patterns`"
            findings.error("key-without-effect", message, part.unit.key(*path, "history"))


def check_literal(unit: Unit | Suite, path: Path, value: Any, field: Field, findings: Findings) -> None:
    """A value that is not computed must be what the field says."""
    if value is None or has_template(value) or findings.told(unit.value(*path)):
        return
    found, wanted = shape_of(value), field_shape(field)
    if not may_become(found, wanted):
        names = lacking(found, wanted)
        message = f"{value!r} has no {names[0]!r}, which is required" if names else f"{value!r} is no {wanted.name}"
        findings.error("type-mismatch", message, unit.value(*path))
    elif problem := misfit(field, value):
        findings.error("misfit", problem, unit.value(*path))
