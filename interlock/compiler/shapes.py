"""Static shapes of what a spec declares: fields, slots, cells, results, tables."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from interlock.expressions.shapes import ANY, DATE, INTEGER, NUMBER, STRING, Shape, list_of, object_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from interlock.spec.deciding import Decision
    from interlock.spec.fields import Field
    from interlock.spec.tools import Tool
    from interlock.spec.words import Slot

NO_OUTPUT = "no `output` is declared"
NO_FIELDS = "no `fields` are declared"

EXTRACTED = {
    "date": DATE,
    "number": NUMBER,
    "integer": INTEGER,
    "amount": NUMBER,
    "range": object_of(
        {"from": Shape("number", may_be_none=True), "to": Shape("number", may_be_none=True)},
    ),
    "email": STRING,
    "url": STRING,
    "quote": STRING,
}
"""What the built-in extractors give; a plug-in's values are not known."""

COUNTED = frozenset({"count"})
SEVERAL = frozenset({"collect"})


REFERENCE = object_of({"digest": STRING, "bytes": INTEGER, "length": INTEGER})
"""What a run holds of a value that is stored outside it."""


def field_shape(field: Field) -> Shape:
    """The shape a Field declares; `none` when it may be left out."""
    maybe = field.optional and field.default is None
    required = not field.optional and field.default is None
    if field.stored:
        reference = replace(REFERENCE, stored=whole_shape(field), may_be_none=maybe, sensitive=field.sensitive)
        return replace(reference, required=required)
    return replace(whole_shape(field, maybe=maybe), required=required)


def whole_shape(field: Field, *, maybe: bool = False) -> Shape:
    """The shape of the value itself, even if it is stored."""
    shape = _of_type(field, maybe=maybe)
    return replace(shape, sensitive=True) if field.sensitive else shape


def _of_type(field: Field, *, maybe: bool) -> Shape:
    if field.type == "object":
        fields = None if field.fields is None else fields_shape(field.fields).fields
        return Shape("object", fields=fields, may_be_none=maybe, note="" if fields is not None else NO_FIELDS)
    if field.type == "list":
        return Shape("list", item=None if field.items is None else field_shape(field.items), may_be_none=maybe)
    return Shape(field.type, may_be_none=maybe, enum=tuple(field.enum or ()))


def fields_shape(fields: Mapping[str, Field]) -> Shape:
    """The shape of an object with these fields and no others."""
    return object_of({name: field_shape(field) for name, field in fields.items()})


def result_shape(tool: Tool) -> Shape:
    """The shape of the business part of a tool's answer."""
    return fields_shape(tool.output) if tool.output is not None else Shape("any", note=NO_OUTPUT)


def args_shape(tool: Tool) -> Shape:
    """The shape of a tool's arguments, as its own checks read them."""
    return fields_shape(tool.input or {})


def received_shape(tool: Tool) -> Shape:
    """The shape of the arguments as the tool gets them: nothing is stored, but in the run."""
    arguments = (tool.input or {}).items()
    return object_of({name: whole_shape(one, maybe=one.optional and one.default is None) for name, one in arguments})


def at_path(shape: Shape, path: str) -> Shape | None:
    """The shape at a dotted path; None if there is nothing there, ANY where nothing is known."""
    for name in path.split(".") if path else ():
        if shape.kind == "any" or (shape.kind == "object" and shape.fields is None):
            return ANY
        if shape.kind == "list" and name.isdigit():
            shape = shape.item or ANY
        elif shape.fields is not None and name in shape.fields:
            shape = shape.fields[name]
        else:
            return None
    return shape


def produced_shape(tool: Tool, at: str) -> Shape:
    """The shape of a cell: it is missing until a call has filled it."""
    return replace(at_path(result_shape(tool), at) or ANY, may_be_missing=True)


FACT_OWN = ("value", "unit", "source", "param", "raw")
"""What the root `fact` has of its own, beside the arguments of the call."""


def fact_shapes(tool: Tool | None) -> dict[str, Shape]:
    """The root `fact` in each text of a response with `facts`; open where the tool is not known."""
    unrecognized = object_of({"param": STRING, "raw": STRING})
    if tool is None or tool.fact is None:
        missed = Shape("object") if tool is None else args_shape(tool)
        return {"found": Shape("object"), "not_found": missed, "unrecognized": unrecognized}
    result, fact = result_shape(tool), tool.fact
    arguments = args_shape(tool)
    own = {
        "value": at_path(result, fact.value) or ANY,
        "unit": (at_path(result, fact.unit) or ANY) if fact.unit is not None else Shape("none"),
        "source": object_of({name: at_path(result, path) or ANY for name, path in (fact.source or {}).items()}),
    }
    found = object_of({**(arguments.fields or {}), **own})
    return {"found": found, "not_found": arguments, "unrecognized": unrecognized}


def slot_shape(slot: Slot, codes: tuple[str, ...] = ()) -> Shape:
    """The shape of a slot's value or values; none when it is unfilled."""
    one = value_shape(slot, codes)
    return list_of(one, may_be_none=True) if slot.many else replace(one, may_be_none=True)


def value_shape(slot: Slot, codes: tuple[str, ...] = ()) -> Shape:
    """The shape of one value of a slot; `codes` are those of its vocabulary."""
    if slot.extract is not None:
        return EXTRACTED.get(slot.extract, ANY)
    return replace(STRING, enum=codes) if slot.vocabulary is not None else STRING


def table_shape(decision: Decision) -> Shape:
    """The shape of `decisions.<table>`; a table that no row of hits gives none."""
    return object_of({name: _column(decision.hit, field) for name, field in decision.outputs.items()})


def _column(hit: str, field: Field) -> Shape:
    shape = field_shape(field)
    if hit in SEVERAL:
        return list_of(shape)
    if hit in COUNTED:
        return INTEGER
    return replace(shape, may_be_none=True)


CARRIED = frozenset({"string", "integer", "number", "boolean"})
"""Kinds that a value keeps when it is written down and read again; times become texts."""


def carried(shape: Shape) -> Shape:
    """What is known of a value that has been written down, or none: where it is missing nothing is."""
    if shape.stored is not None:
        return replace(shape, may_be_none=True, may_be_missing=False)
    if shape.kind == "list":
        kept = Shape("list", item=carried(shape.item) if shape.item is not None else None)
    elif shape.kind == "object" and shape.fields is not None:
        kept = object_of({name: carried(inner) for name, inner in shape.fields.items()})
    else:
        kept = Shape(shape.kind, enum=shape.enum) if shape.kind in CARRIED else ANY
    return replace(kept, may_be_none=True, sensitive=shape.sensitive)


_TIMES = frozenset({"date", "datetime", "duration"})
_NUMERIC = frozenset({"integer", "number"})


def may_become(found: Shape, wanted: Shape) -> bool:
    """Whether a value of the one shape can be what is wanted; unknown counts as yes."""
    if "any" in (found.kind, wanted.kind) or found.kind == "none":
        return True
    if found.stored is not None or wanted.stored is not None:
        return found.stored is not None and wanted.stored is not None and may_become(found.stored, wanted.stored)
    if found.kind == wanted.kind:
        return not nothing_in_common(found, wanted) and _items_fit(found, wanted)
    if wanted.kind == "number":
        return found.kind in _NUMERIC
    return (found.kind == "string" and wanted.kind in _TIMES) or (found.kind in _TIMES and wanted.kind == "string")


def nothing_in_common(found: Shape, wanted: Shape) -> bool:
    """Whether all values of both are known, and none of the one is among those of the other."""
    return bool(found.enum and wanted.enum) and not any(value in wanted.enum for value in found.enum)


def lacking(found: Shape, wanted: Shape) -> list[str]:
    """The fields that an object must have, and this one never has."""
    if found.fields is None or wanted.fields is None:
        return []
    return [name for name, inner in wanted.fields.items() if inner.required and name not in found.fields]


def _items_fit(found: Shape, wanted: Shape) -> bool:
    if found.kind == wanted.kind == "object" and found.fields is not None and wanted.fields is not None:
        both = found.fields.keys() & wanted.fields.keys()
        fit = all(may_become(found.fields[name], wanted.fields[name]) for name in both)
        return fit and not lacking(found, wanted)
    if found.kind == wanted.kind == "list" and found.item is not None and wanted.item is not None:
        return may_become(found.item, wanted.item)
    return True
