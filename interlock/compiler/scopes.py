"""The documented context at each place of a spec, as shapes: what an expression that stands there may read."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, get_args

from interlock.compiler.shapes import (
    args_shape,
    at_path,
    fact_shapes,
    field_shape,
    fields_shape,
    produced_shape,
    result_shape,
    slot_shape,
    table_shape,
    value_shape,
)
from interlock.compiler.units import ANY_NAME
from interlock.compiler.vocabularies import codes_of
from interlock.compiler.walk import all_steps
from interlock.compiler.written import copied_path
from interlock.expressions.shapes import (
    ANY,
    BOOLEAN,
    DATETIME,
    INTEGER,
    STRING,
    Shape,
    list_of,
    object_of,
    shape_of,
)
from interlock.spec.steps import ErrorKind

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from interlock.compiler.units import Part, Unit
    from interlock.spec.tools import Tool
    from interlock.spec.words import Slot

MESSAGE_TYPES = ("user_chat", "rule", "form", "other")
STATUSES = ("ai_active", "human_active", "closed")
ERRORS = get_args(ErrorKind)
USER = {
    "id": replace(STRING, may_be_none=True),
    "groups": list_of(STRING),
    "tenant": replace(STRING, may_be_none=True),
    "locale": replace(STRING, may_be_none=True),
}
"""The attributes every user has."""

SESSION = object_of({"id": STRING, "status": replace(STRING, enum=STATUSES)})
TURN = object_of({"number": INTEGER, "round": INTEGER, "tool_errors": INTEGER})
RUN = object_of({"id": STRING})
ERROR = object_of({"kind": replace(STRING, enum=ERRORS), "message": STRING, "step": STRING, "tool": STRING})
OPEN = Shape("object")
OPEN_ARGS = OPEN
"""Arguments in a named condition or table: which there are is checked where it is used."""

SERVER = {"env": OPEN, "secrets": OPEN}
MOST_CODES = 1_000
"""Vocabularies up to this size are known to the checker by their codes."""


class Scopes:
    """The scopes of one Agent or Library; each is a plain map from root to shape."""

    def __init__(self, unit: Unit, variables: Shape) -> None:
        self.unit = unit
        self._variables = variables
        self._given: dict[tuple[str, bool], Shape] = {}

    @cached_property
    def base(self) -> dict[str, Shape]:
        """What is there everywhere but in servers and outcomes."""
        scope = {
            **(self._work() if self.unit.kind == "Procedure" else self._conversation()),
            "now": DATETIME,
            "run": RUN,
            "vars": self._variables,
            "conditions": self._named("conditions", lambda _: BOOLEAN),
            "decisions": self._named("decisions", lambda part: table_shape(part.model)),
            "cells": self._named("tools", lambda part: _cells(part.model) if part.model.produces else None),
            "config": self._named("config", lambda part: shape_of(part.model)),
        }
        return {**scope, **{root: OPEN for root in ("user", "message", "input") if self.unit.broken.get(root)}}

    def _conversation(self) -> dict[str, Shape]:
        """What a conversation has; a Library may also read the input of the Procedure that uses it."""
        roots = {
            "message": self._message(),
            "user": object_of({**USER, **_fields(fields_shape(self.unit.user))}),
            "session": SESSION,
            "turn": TURN,
            "slots": self._named("slots", self.slot),
            "intents": self._named("intents", lambda _: BOOLEAN),
        }
        return {**roots, "input": OPEN} if self.unit.kind == "Library" else roots

    def _work(self) -> dict[str, Shape]:
        """What a Procedure has in place of a conversation."""
        return {"input": fields_shape(self.unit.input)}

    def _named(self, plural: str, shape: Callable[[Part], Shape | None]) -> Shape:
        """What a root holds by name; open where a Library is missing, any where a part is broken."""
        if self.unit.incomplete or self.unit.is_broken(plural, ANY_NAME):
            return OPEN
        shapes = {part.name: shape(part) for part in self._parts(plural)}
        broken = {name: ANY for unit in self.unit.closure() for name in unit.broken.get(plural, ())}
        return object_of({**{name: found for name, found in shapes.items() if found is not None}, **broken})

    def _parts(self, plural: str) -> list[Part]:
        return list(self.unit.visible.get(plural, {}).values())

    def _message(self) -> Shape:
        declared = self.unit.message
        types = tuple((declared.types if declared else None) or MESSAGE_TYPES)
        metadata = (declared.metadata if declared else None) or {}
        fields = {"id": STRING, "type": replace(STRING, enum=types), "text": STRING}
        return object_of({**fields, "metadata": fields_shape(metadata)})

    def slot(self, part: Part) -> Shape:
        """The shape of `slots.<name>`."""
        return slot_shape(part.model, self._codes(part))

    def value(self, part: Part) -> Shape:
        """The shape of one value of a slot."""
        return value_shape(part.model, self._codes(part))

    def _codes(self, part: Part) -> tuple[str, ...]:
        slot: Slot = part.model
        vocabulary = part.unit.find("vocabularies", slot.vocabulary) if slot.vocabulary else None
        codes = codes_of(vocabulary) if vocabulary else ()
        return codes if len(codes) <= MOST_CODES else ()

    def with_value(self, part: Part) -> dict[str, Shape]:
        """In the checks of a slot."""
        return {**self.base, "value": self.value(part)}

    def with_candidates(self, part: Part) -> dict[str, Shape]:
        """In the clarifying question of a slot."""
        return {**self.base, "candidates": list_of(self.value(part))}

    def before_call(self, tool: Tool | None) -> dict[str, Shape]:
        """Before a call of `tool`, or of some tool that is not known here."""
        return {**self.base, "args": args_shape(tool) if tool else OPEN_ARGS}

    def after_call(self, tool: Tool | None, result: Tool | None = None) -> dict[str, Shape]:
        """After a call of `tool`; `result` is the tool whose result it is, where that is another."""
        answered = result or tool
        found = result_shape(answered) if answered else ANY
        return {**self.before_call(tool), "result": found, "payload": ANY}

    def stating(self, tool: Tool | None) -> dict[str, dict[str, Shape]]:
        """In each text of a response with `facts`, by its key."""
        return {key: {**self.base, "fact": shape} for key, shape in fact_shapes(tool).items()}

    def with_result(self, tool: Tool | None, read: Tool) -> dict[str, Shape]:
        """Before a call of `tool`, once `read` has been called for a check."""
        return {**self.before_call(tool), "result": result_shape(read)}

    def outcome(self) -> dict[str, Shape]:
        """In `outcomes`: the whole answer."""
        return {"payload": ANY, "status": INTEGER}

    def outcome_message(self, tool: Tool) -> dict[str, Shape]:
        """In the message of an outcome."""
        return {**self.base, "args": args_shape(tool), **self.outcome()}

    def steps(self, earlier: Mapping[str, Shape]) -> dict[str, Shape]:
        """At a step: the results of those before it."""
        return {**self.base, "steps": object_of(earlier)}

    def called(self, tool: str, *, expanded: bool) -> Shape:
        """What `steps.<id>` holds after a call of that tool, worked out once for all its calls."""
        key = (tool, expanded)
        if key not in self._given:
            self._given[key] = _step_result(self.unit.find("tools", tool), expanded=expanded)
        return self._given[key]

    caught: Mapping[str, Shape] = {"error": ERROR}
    """What stands beside that within a `catch`."""

    @cached_property
    def ended(self) -> dict[str, Shape]:
        """When a Procedure has ended: whichever of its steps have run have their results."""
        return {**self.base, "steps": OPEN}


def item_shape(items: Any, scope: Mapping[str, Shape]) -> Shape:
    """One item of a loop's list, as far as it can be told: where the list is copied from a path."""
    path = copied_path(items)
    if path is None or path[0] not in scope:
        return ANY
    found = at_path(scope[path[0]], ".".join(path[1:])) if path[1:] else scope[path[0]]
    return (found and found.item) or ANY


def run_result(procedure: Unit | None) -> Shape:
    """The shape of `steps.<id>` of a procedure that was run."""
    if procedure is None or procedure.work is None or "result" in procedure.broken or _ends_otherwise(procedure):
        return object_of({"result": replace(ANY, may_be_missing=True)})
    open_names = {name: replace(ANY, may_be_none=True) for name in procedure.work.result or {}}
    given: Shape = procedure.memo.get("given back") or object_of(open_names)
    return object_of({"result": replace(given, may_be_missing=True)})


def _ends_otherwise(procedure: Unit) -> bool:
    return any(step.action == "end" for step in all_steps(procedure))


def _step_result(tool: Part | None, *, expanded: bool) -> Shape:
    found = result_shape(tool.model) if tool else ANY
    result: Shape = list_of(found) if expanded else found
    return object_of({"result": replace(result, may_be_missing=True)})


def _fields(shape: Shape) -> Mapping[str, Shape]:
    return shape.fields or {}


def _cells(tool: Tool) -> Shape:
    return object_of({key: produced_shape(tool, cell.at) for key, cell in (tool.produces or {}).items()})


def argument_shape(field: Any) -> Shape:
    """What an argument takes."""
    return field_shape(field)
