"""Tools: the parts of a call over HTTP, what an answer means, what fills cells, which conditions it may use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from interlock.compiler.check_servers import check_answering
from interlock.compiler.check_sql import check_sql
from interlock.compiler.closure import transport_of
from interlock.compiler.demands import demand_of
from interlock.compiler.findings import suggestion
from interlock.compiler.http_paths import BODILESS, lonely_braces, method_and_path, parameters
from interlock.compiler.lower_tools import place_of
from interlock.compiler.order import check_order
from interlock.compiler.shapes import at_path, result_shape
from interlock.spec.tools import WRITING

if TYPE_CHECKING:
    from interlock.compiler.findings import Findings
    from interlock.compiler.project import Project
    from interlock.compiler.units import Part
    from interlock.spec.fields import Argument

BY_NAME = {
    "sql": ("a SQL tool", ("in_", "send_as")),
    "python": ("a Python tool", ("in_", "send_as")),
    "mcp": ("an MCP tool", ("in_",)),
}
"""Transports whose arguments go by name: what such a tool is called, and the keys that mean nothing for it."""


_OTHER = {"{": "}", "}": "{"}


def check_tools(project: Project, findings: Findings) -> None:
    """All tools of all specs."""
    for unit in project.everything:
        for part in unit.parts("tools").values():
            transport = transport_of(part.model)
            if transport == "http":
                _http(part, findings)
            else:
                _by_name(part, transport, findings)
            if transport == "sql":
                check_sql(part, findings)
            if transport != "python":
                check_answering(part, (transport,), f"a tool with `{transport}`", part.key(transport), findings)
            _wire_names(part, findings)
            _outcomes(part, findings)
            _cells(part, findings)
            _ages(part, findings)
            _pauses(part, findings)
            _conditions(part, findings)


def _http(part: Part, findings: Findings) -> None:
    tool = part.model
    method, path = method_and_path(tool.http)
    start = len(method) + 1
    for sign in "?#":
        if sign in path:
            at = part.unit.inside((*part.path, "http"), start + path.index(sign))
            hint = "arguments that are not in the path go into the query by themselves"
            findings.error("bad-form", f"{sign!r} cannot stand in the path of a tool", at, hint=hint)
    for sign, offset in lonely_braces(path):
        at = part.unit.inside((*part.path, "http"), start + offset)
        hint = "write an argument as {name}, and a brace itself as %7B or %7D"
        findings.error("bad-form", f"{sign!r} without {_OTHER[sign]!r} in the path of a tool", at, hint=hint)
    by_wire = {argument.send_as or name: name for name, argument in (tool.input or {}).items()}
    places = parameters(path)
    carried = tool.idempotency.argument if tool.idempotency is not None else None
    for parameter, offset in places.items():
        if parameter == carried:  # the engine fills it with the key
            continue
        at = part.unit.inside((*part.path, "http"), start + offset)
        name = by_wire.get(parameter)
        if name is None and part.is_open("args"):
            continue
        if name is None:
            hint = suggestion(parameter, [*by_wire, *([carried] if carried else [])], none="declare it under `input`")
            findings.error("unknown-argument", f"no argument fills {{{parameter}}} in the path", at, hint=hint)
        elif tool.input[name].optional:
            message = f"{name!r} stands in the path and cannot be optional"
            findings.error("optional-in-path", message, part.key("input", name, "optional"), also=((at, "the path"),))
    if not part.unit.prefix:
        _doubt(part, method, findings)
    for name, argument in (tool.input or {}).items():
        if problem := _place_problem(argument, argument.send_as or name, method, places):
            findings.error(problem[0], problem[1], part.value("input", name, "in"), hint=problem[2])


def _doubt(part: Part, method: str, findings: Findings) -> None:
    """A method that promises the contrary of what the tool says it does."""
    effect = part.model.effect
    writes = effect in WRITING
    if method != "GET" and not writes:
        message = f"{method} usually changes something, and this tool says `effect: {effect}`"
        findings.warning("doubtful-effect", message, part.value("effect"), hint="make sure that the call only reads")
    if method == "GET" and writes:
        message = f"GET is for reading, and this tool says `effect: {effect}`"
        hint = "make sure of the method: what stands between may repeat a GET, or answer it from a cache"
        findings.warning("doubtful-effect", message, part.value("effect"), hint=hint)


def _place_problem(argument: Argument, wire: str, method: str, places: dict[str, int]) -> tuple[str, str, str] | None:
    if argument.in_ == "path" and wire not in places:
        return "not-in-path", f"the path has no {{{wire}}}", f"write {{{wire}}} in `http`"
    if argument.in_ not in (None, "path") and wire in places:
        return "not-in-path", f"{{{wire}}} stands in the path, so it travels there", "leave `in` out"
    if argument.in_ == "body" and method in BODILESS:
        return "no-body", f"a {method} request has no body", "send it as `query` or `header`"
    return None


def _by_name(part: Part, transport: str, findings: Findings) -> None:
    kind, keys = BY_NAME[transport]
    for name, argument in (part.model.input or {}).items():
        for key in keys:
            if getattr(argument, key) is not None:
                written = key.rstrip("_")
                message = f"{written!r} means nothing for {kind}: its arguments go by name"
                findings.error("key-without-effect", message, part.key("input", name, written))


def _wire_names(part: Part, findings: Findings) -> None:
    """Two arguments of one name in one place of the request; those of headers are looked at by themselves."""
    seen: dict[tuple[str, str], str] = {}
    for name, argument in (part.model.input or {}).items():
        if argument.in_ == "header":
            continue
        wire = (place_of(part.model, name), argument.send_as or name)
        if wire in seen:
            message = f"{seen[wire]!r} and {name!r} are both sent as {wire[1]!r}"
            also = ((part.key("input", seen[wire]), "the other one"),)
            findings.error("same-wire-name", message, part.key("input", name), also=also)
        seen.setdefault(wire, name)


def _outcomes(part: Part, findings: Findings) -> None:
    outcomes = part.model.outcomes or ()
    entries = [(part.key("outcomes", index), outcome.when) for index, outcome in enumerate(outcomes)]
    check_order("outcome", entries, findings)
    for index, outcome in enumerate(outcomes):
        if outcome.missing is None:
            continue
        at = part.value("outcomes", index, "missing")
        if outcome.outcome != "blocked":
            message = "`missing` names what a `blocked` call lacks"
            findings.error("key-without-effect", message, part.key("outcomes", index, "missing"))
        elif outcome.missing not in (part.model.input or {}) and not part.is_open("args"):
            hint = suggestion(outcome.missing, part.model.input or {})
            findings.error("unknown-argument", f"there is no argument {outcome.missing!r}", at, hint=hint)


def _cells(part: Part, findings: Findings) -> None:
    tool = part.model
    for key, cell in (tool.produces or {}).items():
        unknown = part.is_open("result") or part.unit.is_stand_in(cell.at)
        if not unknown and at_path(result_shape(tool), cell.at) is None:
            first = cell.at.split(".", maxsplit=1)[0]
            hint = suggestion(first, tool.output or {})
            message = f"there is no {cell.at!r} in the `output` of {part.name!r}"
            findings.error("unknown-path", message, part.value("produces", key, "at"), hint=hint)
    for index, name in enumerate(tool.invalidates or ()):
        if name == part.name:
            message = f"{part.name!r} would make the cells stale that it has just filled"
            findings.error("invalidates-itself", message, part.value("invalidates", index))


def _ages(part: Part, findings: Findings) -> None:
    for name, argument in (part.model.input or {}).items():
        if argument.max_age is not None and not argument.from_.startswith("cells."):
            message = "`max_age` is about cells, and this is none"
            findings.error("key-without-effect", message, part.key("input", name, "max_age"))


def _pauses(part: Part, findings: Findings) -> None:
    retry = part.model.retry
    for key in ("backoff", "max_backoff") if retry is not None and retry.attempts == 1 else ():
        if getattr(retry, key) is not None:
            message = f"`{key}` is a pause before the next attempt, and there is only one"
            hint = f"leave `{key}` out, or write `attempts: 2`"
            findings.error("key-without-effect", message, part.key("retry", key), hint=hint)


def _conditions(part: Part, findings: Findings) -> None:
    """A condition by name in `requires` or `ensures` reads only arguments that this tool has."""
    for key in ("requires", "ensures"):
        for index, check in enumerate(getattr(part.model, key) or ()):
            condition = part.unit.find("conditions", check.condition) if check.condition else None
            if condition is None:
                continue
            for name, reader in demand_of(condition).args.items():
                if name not in (part.model.input or {}) and not part.is_open("args"):
                    message = f"{condition.called} reads `args.{name}`, which {part.name!r} does not have"
                    place, also = part.value(key, index, "condition"), ((reader.key(), "it is read here"),)
                    hint = suggestion(name, part.model.input or {})
                    findings.error("unknown-argument", message, place, also=also, hint=hint)
