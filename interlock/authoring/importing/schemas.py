"""From a JSON Schema, in the dialects of OpenAPI, to the shape of a value. What a shape cannot say becomes a note."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from interlock.authoring.importing import prose
from interlock.authoring.importing.facts import facts_of
from interlock.authoring.importing.gathering import gathered
from interlock.authoring.importing.operations import Member, Shape
from interlock.authoring.importing.uniting import united, with_choice

if TYPE_CHECKING:
    from collections.abc import Iterable

    from interlock.authoring.importing.gathering import Gathered
    from interlock.authoring.importing.nodes import Node
    from interlock.source.places import KeyPath

DEEPEST = 8
"""Objects and lists inside one another; a tool that needs more is easier to write than to import."""

TYPES = {"string": "string", "integer": "integer", "number": "number", "boolean": "boolean"} | {
    "array": "list",
    "object": "object",
}
_IMPLIED = (
    ("object", ("properties", "additionalProperties")),
    ("list", ("items",)),
    ("string", ("pattern", "minLength", "maxLength", "format")),
)
"""What keys say of a type that is not named."""
_UNSAID = (
    "not",
    "if",
    "contains",
    "prefixItems",
    "patternProperties",
    "propertyNames",
    "dependentSchemas",
    "dependentRequired",
)


def shape_of(nodes: Iterable[Node], trail: frozenset[KeyPath] = frozenset(), depth: int = 0) -> Shape:
    """The shape that all of `nodes` describe together."""
    found = gathered(nodes, trail)
    if found.circle and not found.parts:
        return Shape("object", notes=(f"it refers to itself ({prose.note(found.circle)}): left open",))
    if depth > DEEPEST:
        return Shape("object", notes=(f"nested deeper than {DEEPEST} levels: left open",))
    shape = _own(found, trail | found.paths, depth)
    for choice in found.choices:
        shapes = [shape_of([one], trail | found.paths, depth + 1) for one in choice]
        shape = with_choice(shape, united(shapes, [_label(one) for one in choice]))
    return shape


def _label(node: Node) -> str:
    target = node.followed()
    named = target.name if target.path != node.path else ""
    title = target.value.get("title") if isinstance(target.value, dict) else ""
    return prose.line(named or (title if isinstance(title, str) else ""), 40)


def _own(found: Gathered, trail: frozenset[KeyPath], depth: int) -> Shape:
    """The shape without its alternatives."""
    kind, null, notes = _type(found)
    shape = Shape(
        kind,
        description=prose.line(found.text("description")),
        nullable=null or found.nullable or found.flag("nullable", "x-nullable"),
        received_only=found.flag("readOnly"),
        sent_only=found.flag("writeOnly"),
        notes=(*notes, *_unsaid(found)),
    )
    if kind == "list":
        items = [part.get("items") for part in found.parts if part.get("items")]
        items = [one for one in items if not isinstance(one.value, list)]  # one schema for each place: left open
        shape = replace(shape, items=shape_of(items, trail, depth + 1) if items else None)
    elif kind == "object":
        fields = _fields(found, trail, depth)
        open_note = () if fields else _map_note(found)
        shape = replace(shape, fields=fields or None, notes=(*shape.notes, *open_note))
    return facts_of(found, shape)


def _type(found: Gathered) -> tuple[str, bool, tuple[str, ...]]:
    """The type, whether null is allowed too, and what to say about it."""
    part = found.first("type")
    if part is None:
        return _implied(found), False, ()
    written = part.get("type")
    names = part.texts("type") if isinstance(written.value, list) else [part.text("type")]
    kept = [name for name in dict.fromkeys(names) if name not in ("null", "")]
    if set(kept) == {"integer", "number"}:
        kept = ["number"]
    null = "null" in names
    if len(kept) == 1 and kept[0] in TYPES:
        return TYPES[kept[0]], null, ()
    return "", null, (f"its type is {prose.note(' or '.join(kept))}",) if kept else ()


def _implied(found: Gathered) -> str:
    for kind, keys in _IMPLIED:
        if any(found.first(key) for key in keys):
            return kind
    part = found.first("enum") or found.first("const")
    values = [part.value["const"]] if part and "const" in part.value else part.value["enum"] if part else []
    kinds = {_json_type(value) for value in values if value is not None} if isinstance(values, list) else set()
    return kinds.pop() if len(kinds) == 1 else ""


def _json_type(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    return {str: "string", int: "integer", float: "number"}.get(type(value), "")


def _fields(found: Gathered, trail: frozenset[KeyPath], depth: int) -> dict[str, Member]:
    """The declared members, each with all that is said of it."""
    said: dict[str, list[Node]] = {}
    for part in found.parts:
        for name, node in part.members("properties").items():
            said.setdefault(name, []).append(node)
    required = {
        name
        for part in found.parts
        if not isinstance(part.value.get("required"), bool)
        for name in part.texts("required")
    }
    return {name: Member(shape_of(nodes, trail, depth + 1), name in required) for name, nodes in said.items()}


def _map_note(found: Gathered) -> tuple[str, ...]:
    part = found.first("additionalProperties")
    named = part is not None and isinstance(part.value["additionalProperties"], dict)
    return ("a map whose keys are not declared",) if named else ()


def _unsaid(found: Gathered) -> tuple[str, ...]:
    keys = [key for key in _UNSAID if found.first(key)]
    return (f"what it says under {', '.join(map(repr, keys))} is left out",) if keys else ()
