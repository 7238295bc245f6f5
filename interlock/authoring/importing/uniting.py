"""One shape for several of which one holds: what they share, and a note of what they are."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from interlock.authoring.importing.operations import Member, Shape

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def united(shapes: Sequence[Shape], labels: Sequence[str] = ()) -> Shape:
    """A shape that every value of one of `shapes` has; without a type where they have different ones."""
    kinds = {shape.type for shape in shapes}
    if kinds == {"integer", "number"}:
        kinds = {"number"}
    named = [label for label in labels if label]
    note = f"one of several forms{': ' if named else ''}{', '.join(named[:6])}{' …' if len(named) > 6 else ''}"
    shape = Shape(
        kinds.pop() if len(kinds) == 1 else "",
        facts=_shared(shapes),
        notes=(note,) if labels else (),
        nullable=any(shape.nullable for shape in shapes),
    )
    if not shape.type:
        several = sorted({one.type for one in shapes if one.type})
        return replace(
            shape, facts={}, notes=(*shape.notes, *((f"its type is {' or '.join(several)}",) if several else ()))
        )
    if shape.type == "object":
        return replace(shape, fields=_fields([one.fields for one in shapes]))
    items = [one.items for one in shapes if one.items]
    return replace(shape, items=united(items)) if items and len(items) == len(shapes) else shape


def _shared(shapes: Sequence[Shape]) -> dict[str, Any]:
    """The facts that all share, and the values that any allows."""
    facts = {
        key: value
        for key, value in shapes[0].facts.items()
        if all(key in one.facts and _same(one.facts[key], value) for one in shapes)
    }
    allowed = [one.facts.get("enum") for one in shapes]
    if all(allowed):
        facts["enum"] = list({(type(value), value): value for values in allowed for value in values or ()}.values())
    return facts


def _same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and bool(one == other)


def _fields(several: Sequence[Mapping[str, Member] | None]) -> dict[str, Member] | None:
    """All members; one is required where it is in every form. None where a form declares none."""
    known = [fields for fields in several if fields]
    if len(known) < len(several):
        return None
    found: dict[str, Member] = {}
    for name in dict.fromkeys(name for fields in known for name in fields):
        members = [fields[name] for fields in known if name in fields]
        required = len(members) == len(known) and all(member.required for member in members)
        shape = members[0].shape if len(members) == 1 else _as_one([member.shape for member in members])
        found[name] = Member(shape, required)
    return found


def _as_one(shapes: list[Shape]) -> Shape:
    return shapes[0] if all(shape == shapes[0] for shape in shapes) else united(shapes)


def with_choice(shape: Shape, choice: Shape) -> Shape:
    """What a schema says itself, with what its alternatives add."""
    notes = tuple(dict.fromkeys((*shape.notes, *choice.notes)))
    if not shape.type:
        description = shape.description or choice.description
        return replace(choice, description=description, notes=notes, nullable=shape.nullable or choice.nullable)
    if shape.type != "object" or choice.type != "object" or not choice.fields:
        return replace(shape, notes=notes)
    if not shape.fields:
        return replace(shape, fields=choice.fields, notes=notes)
    return replace(shape, fields={**choice.fields, **shape.fields}, notes=notes)
