"""Makes a Unit of a document: of the whole spec, or of the parts that have the right shape when it is not."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from pydantic import TypeAdapter, ValidationError

from interlock.compiler.units import LISTS, PLURALS, STEPS, Item, Part, Unit
from interlock.spec import AgentSpec, LibrarySpec, ProcedureSpec
from interlock.spec.base import Constant, Language, Listed, Name, Named, Reference, Text, Wired
from interlock.spec.deciding import Condition, Decision, Gate, Route
from interlock.spec.fields import Field
from interlock.spec.models import Grounding, Memory, Model, ModelRule
from interlock.spec.specs import MessageSpec, SessionSpec
from interlock.spec.steps import Step
from interlock.spec.tools import Mount, Response, Retriever, Server, Tool
from interlock.spec.words import Intent, Slot, Vocabulary

if TYPE_CHECKING:
    from collections.abc import Mapping

    from interlock.source import Document, Sheet

KINDS = ("Agent", "Procedure", "Library")

_PARTS: Mapping[str, Any] = {
    "config": Constant,
    "servers": Server,
    "models": Model,
    "vocabularies": Vocabulary,
    "slots": Slot,
    "intents": Intent,
    "conditions": Condition,
    "decisions": Decision,
    "responses": Response,
    "retrievers": Retriever,
    "tools": Tool,
    "flows": Listed[Step],
}
_ITEMS: Mapping[str, Any] = {"mounts": Mount, "gates": Gate, "routes": Route, "model_rules": ModelRule}
_SINGLE: Mapping[str, Any] = {
    "uses": Listed[Reference],
    "languages": Listed[Language],
    "title": Text,
    "user": Wired[Field],
    "message": MessageSpec,
    "session": SessionSpec,
    "instructions": Text,
    "fallback": Text,
    "grounding": Grounding,
    "model_override": Literal["session", "message"],
    "runtime": Name,
    "memory": Memory,
    "input": Wired[Field],
    "events": Named[Wired[Field]],
}


@cache
def _adapter(key: str) -> TypeAdapter[Any]:
    form = _PARTS.get(key) or _ITEMS.get(key) or _SINGLE[key]
    return TypeAdapter(form)


@cache
def _names() -> TypeAdapter[Any]:
    return TypeAdapter(Named[Any])


def whole(
    spec: AgentSpec | ProcedureSpec | LibrarySpec, document: Document, sheets: Mapping[str, Sheet], bundle: str
) -> Unit:
    """The unit of a spec that has the right shape."""
    unit = Unit(spec.kind, spec.name, bundle, document, sheets)
    unit.uses = tuple(spec.uses or ())
    unit.languages = tuple(spec.languages or ())
    unit.title, unit.description = spec.title, spec.description
    for plural in PLURALS:
        declared = getattr(spec, plural, None) or {}
        unit.own[plural] = {name: Part(plural, name, model, unit, (plural, name)) for name, model in declared.items()}
    for name in LISTS:
        unit.lists[name] = [Item(index, model) for index, model in enumerate(getattr(spec, name, None) or ())]
    if isinstance(spec, AgentSpec | ProcedureSpec):
        unit.trace_text = spec.trace_text
    if isinstance(spec, AgentSpec):
        unit.user, unit.message, unit.session = dict(spec.user or {}), spec.message, spec.session
        unit.instructions, unit.fallback, unit.grounding = spec.instructions, spec.fallback, spec.grounding
        unit.model_override = spec.model_override
        unit.runtime, unit.memory = spec.runtime, spec.memory
    if isinstance(spec, ProcedureSpec):
        unit.input, unit.events, unit.work = dict(spec.input or {}), dict(spec.events or {}), spec
        unit.own["flows"] = {STEPS: Part("flows", STEPS, spec.steps, unit, (STEPS,))}
    return unit


def salvaged(document: Document, sheets: Mapping[str, Sheet], bundle: str) -> Unit | None:
    """The unit of a spec with mistakes in its shape, without what is broken; None if it is not known what it is."""
    data = document.data
    kind, name = data.get("kind"), data.get("name")
    if kind not in KINDS:
        return None
    unit = Unit(kind, name if isinstance(name, str) else "", bundle, document, sheets)
    for plural in PLURALS:
        _salvage_parts(unit, plural, data.get(plural))
    for key in LISTS:
        _salvage_items(unit, key, data.get(key))
    for key in _SINGLE:
        _salvage_single(unit, key, data.get(key))
    if kind == "Procedure":
        _salvage_steps(unit, data.get(STEPS))
    return unit


def _salvage_steps(unit: Unit, written: Any) -> None:
    good, steps = _valid("flows", written)
    if good:
        unit.own["flows"][STEPS] = Part("flows", STEPS, steps, unit, (STEPS,))
    else:
        unit.broken["flows"].add(STEPS)


def _salvage_parts(unit: Unit, plural: str, declared: Any) -> None:
    unit.own[plural] = {}
    unit.broken[plural] = set()
    for name, raw in declared.items() if isinstance(declared, dict) else ():
        good, model = _valid(plural, raw)
        if good and _valid_name(name):
            unit.own[plural][name] = Part(plural, name, model, unit, (plural, name))
        else:
            unit.broken[plural].add(name)


def _salvage_items(unit: Unit, key: str, written: Any) -> None:
    unit.lists[key], unit.broken[key] = [], set()
    for index, raw in enumerate(written if isinstance(written, list) else ()):
        good, model = _valid(key, raw)
        if good:
            unit.lists[key].append(Item(index, model))
        elif isinstance(raw, dict):
            unit.broken[key].update(
                raw[word] for word in ("id", "call", "run", "flow") if isinstance(raw.get(word), str)
            )


def _salvage_single(unit: Unit, key: str, written: Any) -> None:
    if written is None:
        return
    good, model = _valid(key, written)
    if good:
        setattr(unit, key, tuple(model) if key in ("uses", "languages") else model)
    elif key == "uses":
        unit.incomplete = True
    else:
        unit.broken.setdefault(key, set()).add(key)


def _valid(key: str, raw: Any) -> tuple[bool, Any]:
    try:
        return True, _adapter(key).validate_python(raw)
    except (ValidationError, RecursionError):
        return False, None


def _valid_name(name: Any) -> bool:
    try:
        _names().validate_python({name: None})
    except ValidationError:
        return False
    return True
