"""The sites of named parts: what is computed in servers, slots, conditions, tables, tools and responses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from interlock.compiler.scopes import SERVER, Scopes, argument_shape
from interlock.compiler.site import Place, Site
from interlock.compiler.written import NO_PATHS, has_template
from interlock.expressions.shapes import ANY, STRING
from interlock.spec.models import OUR_PROVIDERS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from interlock.compiler.units import Part
    from interlock.compiler.written import Path
    from interlock.spec.deciding import Condition, Decision
    from interlock.spec.fields import Check
    from interlock.spec.tools import Server, Tool
    from interlock.spec.words import Slot


def part_sites(part: Part, scopes: Scopes) -> Iterator[Site]:
    """All sites of one part."""
    match part.plural:
        case "servers":
            yield from _server(part)
        case "slots":
            yield from _slot(part, scopes)
        case "conditions":
            yield from _condition(part, scopes)
        case "decisions":
            yield from _decision(part, scopes)
        case "tools":
            yield from _tool(part, scopes)
        case "responses":
            place = Place(part.unit, scopes.after_call(None), owner=part)
            yield from place.text(part.model.text, *part.path, "text")
            if part.model.facts is not None:
                yield from _facts(part, scopes)


def _facts(part: Part, scopes: Scopes) -> Iterator[Site]:
    for key, scope in scopes.stating(None).items():
        place = Place(part.unit, scope, owner=part)
        yield from place.text(getattr(part.model.facts, key), *part.path, "facts", key)


def _server(part: Part) -> Iterator[Site]:
    server: Server = part.model
    for address in ("http", "sql", *OUR_PROVIDERS, "url"):
        written = getattr(server, address)
        yield from Place(part.unit, {"env": SERVER["env"]}, owner=part).value(written, *part.path, address)
    yield from _mcp(part)
    auth = Place(part.unit, SERVER, owner=part)
    for key in ("bearer", "basic", "value") if server.auth else ():
        written = getattr(server.auth, key)
        if written is not None:
            yield from auth.value(written, *part.path, "auth", key)


def _mcp(part: Part) -> Iterator[Site]:
    server = part.model.mcp
    if server is None:
        return
    address = Place(part.unit, {"env": SERVER["env"]}, owner=part)
    yield from address.value(server.url, *part.path, "mcp", "url")
    for index, word in enumerate(server.command or ()):
        yield from address.value(word, *part.path, "mcp", "command", index)
    for name, written in (server.env or {}).items():
        yield from Place(part.unit, SERVER, owner=part).value(written, *part.path, "mcp", "env", name)


def _slot(part: Part, scopes: Scopes) -> Iterator[Site]:
    slot: Slot = part.model
    here = Place(part.unit, scopes.base, owner=part)
    wanted = scopes.slot(part)
    yield from here.text(slot.title, *part.path, "title")
    yield from here.text(slot.ask, *part.path, "ask")
    if slot.clarify is not None:
        candidates = Place(part.unit, scopes.with_candidates(part), owner=part)
        yield from candidates.text(slot.clarify, *part.path, "clarify")
    yield from here.texts(slot.options, *part.path, "options")
    yield from here.value(slot.assume, *part.path, "assume", wanted=wanted)
    yield from here.value(slot.default, *part.path, "default", wanted=wanted)
    yield from here.text(slot.note, *part.path, "note")
    checks = Place(part.unit, scopes.with_value(part), owner=part) if slot.checks else here
    for index, check in enumerate(slot.checks or ()):
        yield from checks.expression(check.that, *part.path, "checks", index, "that")
        yield from checks.text(check.else_, *part.path, "checks", index, "else")


def _condition(part: Part, scopes: Scopes) -> Iterator[Site]:
    condition: Condition = part.model
    read = called(part, condition.call)
    scope = scopes.with_result(None, read.model) if read else scopes.before_call(None)
    if condition.call is not None and read is None:
        scope = scopes.after_call(None)
    before = Place(part.unit, scopes.before_call(None), reads=True, owner=part)
    after = Place(part.unit, scope, reads=True, owner=part)
    yield from bound_sites(before, condition.with_, part.path, read)
    yield from after.expression(condition.that, *part.path, "that")
    yield from after.text(condition.else_, *part.path, "else")


def _decision(part: Part, scopes: Scopes) -> Iterator[Site]:
    decision: Decision = part.model
    place = Place(part.unit, scopes.before_call(None), reads=True, owner=part)
    for name, column in decision.inputs.items():
        yield from place.value(column.value, *part.path, "inputs", name, "value", wanted=argument_shape(column))
    for index, row in enumerate(decision.rules or ()):
        for name, cell in row.items():
            if has_template(cell):
                yield from place.value(cell, *part.path, "rules", index, name)


def _tool(part: Part, scopes: Scopes) -> Iterator[Site]:
    tool: Tool = part.model
    here = Place(part.unit, scopes.base, owner=part)
    yield from here.text(tool.title, *part.path, "title")
    for name, argument in (tool.input or {}).items():
        path = (*part.path, "input", name)
        wanted = argument_shape(argument)
        yield from here.text(argument.title, *path, "title")
        yield from here.value(argument.value, *path, "value", wanted=wanted)
        if argument.from_ is not None and argument.from_ not in NO_PATHS:
            yield from here.source(argument.from_, *path, "from", wanted=wanted)
    if tool.outcomes:
        yield from _outcomes(part, scopes)
    if tool.requires or tool.ensures or tool.idempotency or tool.read_back:
        yield from _around(part, scopes)


def _around(part: Part, scopes: Scopes) -> Iterator[Site]:
    """What is computed before and after a call."""
    tool: Tool = part.model
    before = Place(part.unit, scopes.before_call(tool), reads=True, args=part, owner=part)
    after = Place(part.unit, scopes.after_call(tool), reads=True, args=part, owner=part)
    yield from _checks(before, tool.requires or (), (*part.path, "requires"), scopes)
    yield from _checks(after, tool.ensures or (), (*part.path, "ensures"), scopes)
    if tool.idempotency is not None:
        yield from before.value(tool.idempotency.key, *part.path, "idempotency", "key", wanted=STRING)
    yield from _read_back(before, part, scopes)


def _read_back(place: Place, part: Part, scopes: Scopes) -> Iterator[Site]:
    back = part.model.read_back
    if back is None:
        return
    read = called(part, back.call)
    path = (*part.path, "read_back")
    yield from bound_sites(place, back.with_, path, read)
    result = scopes.with_result(None, read.model)["result"] if read else ANY
    inner = Place(place.unit, {**place.scope, "result": result}, args=part, owner=part)
    yield from inner.expression(back.that, *path, "that")


def _outcomes(part: Part, scopes: Scopes) -> Iterator[Site]:
    tool: Tool = part.model
    answer = Place(part.unit, scopes.outcome(), owner=part)
    message = Place(part.unit, scopes.outcome_message(tool), args=part, owner=part)
    for index, outcome in enumerate(tool.outcomes or ()):
        path = (*part.path, "outcomes", index)
        yield from answer.expression(outcome.when, *path, "when")
        yield from message.text(outcome.message, *path, "message")


def _checks(place: Place, checks: Sequence[Check], path: tuple[str | int, ...], scopes: Scopes) -> Iterator[Site]:
    assert place.args is not None
    for index, check in enumerate(checks):
        read = called(place.args, check.call)
        inner = place
        if check.call is not None:
            result = scopes.with_result(None, read.model)["result"] if read is not None else ANY
            scope = {**place.scope, "result": result}
            inner = Place(place.unit, scope, reads=True, args=place.args, owner=place.owner)
        yield from bound_sites(place, check.with_, (*path, index), read)
        yield from inner.expression(check.that, *path, index, "that")
        yield from inner.text(check.else_, *path, index, "else")


def called(part: Part, name: str | None) -> Part | None:
    """The tool that a part calls by name, if there is one."""
    return part.unit.find("tools", name) if name is not None else None


def bound_sites(place: Place, given: Mapping[str, Any] | None, path: Path, tool: Part | None) -> Iterator[Site]:
    """What the `with` of a call binds: each value must be able to be what the argument takes."""
    if given:
        arguments: Mapping[str, Any] = (tool.model.input or {}) if tool else {}
        wanted = {name: argument_shape(argument) for name, argument in arguments.items()}
        yield from place.values(given, *path, "with", wanted=wanted)
