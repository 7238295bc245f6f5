"""The static type of a value, as far as a spec declares it; a scope is made of these."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

Kind: TypeAlias = Literal[
    "any", "none", "string", "integer", "number", "boolean", "date", "datetime", "duration", "list", "object"
]


@dataclass(frozen=True, slots=True)
class Shape:
    """What is known of a value.

    `fields`: the attributes of an object, None if it is open. `item`: the shape of a list's items, None if unknown.
    `note`: why no attribute of an open object may be read ("no `output` is declared"). `enum`: the only values it can
    have. `stored`: the shape of the value that a reference stands for, which itself stays outside the run. `sensitive`:
    whether it is declared so; `required`: whether an object must have it. Two shapes do not differ by these. At run
    time dates, datetimes and durations are texts (`2026-05-01`, ISO 8601 with offset, `24h`).
    """

    kind: Kind = "any"
    fields: Mapping[str, "Shape"] | None = None
    item: "Shape | None" = None
    may_be_none: bool = False
    may_be_missing: bool = False
    note: str = ""
    enum: tuple[Any, ...] = ()
    stored: "Shape | None" = None
    sensitive: bool = field(default=False, compare=False)
    required: bool = field(default=False, compare=False)

    @property
    def name(self) -> str:
        """What kind of value it is, in words."""
        return f"stored {self.stored.kind}" if self.stored else self.kind

    def sure(self) -> "Shape":
        """The same shape, known to be there and not to be none."""
        return (
            replace(self, may_be_none=False, may_be_missing=False) if self.may_be_none or self.may_be_missing else self
        )


MERGED_ENUM = 200
"""An enum longer than this is not carried through `if … else …`."""

Scope: TypeAlias = Mapping[str, Shape]
"""Root name to shape: the documented context at the place where an expression stands."""

ANY = Shape()
NONE = Shape("none", may_be_none=True)
STRING = Shape("string")
INTEGER = Shape("integer")
NUMBER = Shape("number")
BOOLEAN = Shape("boolean")
DATE = Shape("date")
DATETIME = Shape("datetime")
LIST = Shape("list")


def object_of(fields: Mapping[str, Shape], *, may_be_none: bool = False, may_be_missing: bool = False) -> Shape:
    """A closed object: reading any other attribute is a mistake."""
    return Shape("object", fields=fields, may_be_none=may_be_none, may_be_missing=may_be_missing)


def list_of(item: Shape, *, may_be_none: bool = False, may_be_missing: bool = False) -> Shape:
    """A list whose items all have one shape."""
    return Shape("list", item=item, may_be_none=may_be_none, may_be_missing=may_be_missing)


def shape_of(value: Any) -> Shape:
    """The shape of a constant JSON value, for roots such as `config`."""
    match value:
        case None:
            return NONE
        case bool():
            return BOOLEAN
        case int():
            return INTEGER
        case float():
            return NUMBER
        case str():
            return STRING
        case list():
            shapes = [shape_of(item) for item in value]
            same = shapes and all(shape == shapes[0] for shape in shapes)
            return list_of(shapes[0]) if same else LIST
        case dict():
            return object_of({key: shape_of(item) for key, item in value.items()})
        case _:
            return ANY


def merged(shapes: Sequence[Shape]) -> Shape:
    """What is known of a value that has one of several shapes."""
    first, *others = shapes
    hidden = any(shape.sensitive for shape in shapes)
    if all(shape == first for shape in others):
        return replace(first, sensitive=True) if hidden and not first.sensitive else first
    known = [shape for shape in shapes if shape.kind != "none"]
    kinds = {shape.kind for shape in known}
    base = Shape(
        may_be_none=any(shape.may_be_none for shape in shapes),
        may_be_missing=any(shape.may_be_missing for shape in shapes),
        sensitive=hidden,
    )
    if kinds == {"integer", "number"}:
        return replace(base, kind="number")
    if len(kinds) != 1 or kinds & {"object", "list", "any"}:
        return base
    enums = [shape.enum for shape in known]
    values = tuple(dict.fromkeys(value for enum in enums for value in enum)) if all(enums) else ()
    return replace(base, kind=known[0].kind, enum=values if len(values) <= MERGED_ENUM else ())
