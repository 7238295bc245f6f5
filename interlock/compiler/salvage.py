"""Makes a Unit of a document: of the whole spec, or of what is left of one with mistakes in its shape."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from interlock.compiler.shape_words import at_path, takes
from interlock.compiler.units import ANY_NAME, LISTS, PLURALS, STEPS, Item, Part, Unit
from interlock.spec import AgentSpec, LibrarySpec, ProcedureSpec
from interlock.spec.forms import keys_of
from interlock.spec.tools import Tool

if TYPE_CHECKING:
    from collections.abc import Mapping

    from interlock.compiler.mending import Mended
    from interlock.source import Document, KeyPath, Sheet

_IN_TOOLS = (("input", "args"), *((key, "result") for key in ("output", "unwrap", "requires", "ensures", "read_back")))
"""Which root is not known where a key of a tool has a hole."""

_UNKNOWN = {"slots": frozenset({"value", "candidates"}), "conditions": frozenset({"result"})}
"""Which roots are not known in other damaged parts, wherever they have a hole."""

_NAMING = ("id", "call", "run", "flow")
"""Keys by which an item of a list is known to others."""

_FIELDS = ("user", "input", "events")
_SINGLE = (
    "title",
    "message",
    "session",
    "instructions",
    "fallback",
    "grounding",
    "model_override",
    "runtime",
    "memory",
)


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


class Salvaged(NamedTuple):
    """`sound` has no part with a hole; `damaged` has those, and is asked only what a hole cannot be the cause of."""

    sound: Unit
    damaged: Unit
    holes: Mapping[KeyPath, None]


def salvaged(
    spec: AgentSpec | ProcedureSpec | LibrarySpec, mended: Mended, sheets: Mapping[str, Sheet], bundle: str
) -> Salvaged:
    """What is left of a spec with mistakes in its shape."""
    unit = whole(spec, mended.document, sheets, bundle)
    unit.salvaged = True
    written = mended.written.data
    if ("name",) in mended.holes:
        unit.name = written["name"] if isinstance(written.get("name"), str) else ""
    keys = keys_of(type(spec))
    foreign = {type(written[str(hole[0])]): hole[0] for hole in mended.holes if hole[0] not in keys}
    for key in keys.keys() - unit.document.data.keys():  # which a foreign key may have been
        if any(takes(keys[key], written[str(other)]) for other in foreign.values()):
            _mark(unit, written, (key,))
    for hole in mended.holes:
        if hole[0] in keys:
            _mark(unit, written, hole)
    damaged = replace(unit, own={}, memo={}, broken={**unit.broken, "flows": unit.broken.get("flows", set()) | {""}})
    _divide(unit, damaged, mended)
    unit.lists = {
        key: [item for item in items if mended.is_whole((key, item.index))] for key, items in unit.lists.items()
    }
    for key in {*_SINGLE, *_FIELDS} & unit.broken.keys():
        setattr(unit, key, {} if key in _FIELDS else None)
    if unit.work is not None:
        fields = type(unit.work).model_fields
        names = [name for name in unit.broken.keys() & fields.keys() if not fields[name].is_required()]
        unit.work = unit.work.model_copy(update={name: fields[name].default for name in names})
    return Salvaged(unit, damaged, mended.holes)


def _mark(unit: Unit, written: Any, hole: KeyPath) -> None:
    """Remember what has a hole by name, so that nothing else complains of it."""
    key = str(hole[0])
    names = unit.broken.setdefault("flows" if key == STEPS else key, set())
    if key in (*PLURALS, *LISTS):
        names.update(_named(written[key], hole) if len(hole) > 1 else [ANY_NAME])
    else:
        names.add(key)
    if key == "uses":
        unit.incomplete = True


def _named(declared: Any, hole: KeyPath) -> list[str]:
    """The names under which others may know a part, or an item of a list."""
    if isinstance(hole[1], str):
        return [hole[1]]
    item = at_path(declared, hole[1:2])
    named = [item.get(word) for word in _NAMING] if isinstance(item, dict) else []
    known = [name for name in named if isinstance(name, str)]
    return known if known and hole[-1] not in _NAMING else [*known, ANY_NAME]


def _divide(unit: Unit, damaged: Unit, mended: Mended) -> None:
    """The parts with holes go to the damaged ones; what merely stands in for parts goes altogether."""
    for plural, parts in unit.own.items():
        for part in list(parts.values()):
            at = mended.as_written(part.path)
            if mended.is_whole(part.path):
                continue
            del parts[part.name]
            unit.broken.setdefault(plural, set()).add(part.name)
            if at[:1] not in mended.holes:
                damaged.own.setdefault(plural, {})[part.name] = replace(part, unit=damaged)
                damaged.opened[plural, part.name] = _unknown(plural, at, mended)


def _unknown(plural: str, at: KeyPath, mended: Mended) -> frozenset[str]:
    """The roots of which nothing is known within a damaged part; with "" any name may be one."""
    within = mended.within(at)
    if plural == "flows":
        return frozenset({"steps", ""} if any(_in_loop(mended, hole) for hole in within) else {"steps"})
    if plural == "tools":
        inner = {hole[len(at)] for hole in within if len(hole) > len(at)}
        anything = not inner <= keys_of(Tool).keys()
        return frozenset(root for key, root in _IN_TOOLS if anything or key in inner)
    return _UNKNOWN.get(plural, frozenset())


def _in_loop(mended: Mended, hole: KeyPath) -> bool:
    """Whether a loop has been lost or has a hole, so that its item may be unknown where it is read."""
    lost = at_path(mended.written.data, hole)
    return "for_each" in hole or (isinstance(lost, dict) and "for_each" in lost)
