"""What every part of a plan shares: it is frozen, refuses unknown keys, and is made of JSON values only."""

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, StringConstraints

TypeName: TypeAlias = Literal["string", "integer", "number", "boolean", "date", "datetime", "list", "object"]

EVERY_LANGUAGE = "*"
"""The key of a text that is the same in all languages."""

Text: TypeAlias = dict[str, str]
"""A template per language, or one under EVERY_LANGUAGE."""

Value: TypeAlias = Any
"""A JSON value in which every string may be a template; exactly one `{{ expr }}` keeps its type."""

Expression: TypeAlias = str
"""A bare expression, as under `when` and `that`."""

Path: TypeAlias = str
"""A dotted path, never computed: `rows.0.value`."""

Place = Annotated[str, StringConstraints(min_length=1)]
"""`file:line:column` of the part in the spec, file relative to the bundle."""


class Part(BaseModel):
    """Base of everything in a plan."""

    model_config = ConfigDict(frozen=True, extra="forbid", protected_namespaces=())


class Placed(Part):
    """A part that a record or failure may point at."""

    at: Place


class Field(Part):
    """The shape of one value (input, output, user attribute, metadata, table column)."""

    type: TypeName
    title: Text | None = None
    description: str = ""
    enum: tuple[Value, ...] = ()
    pattern: str = ""
    format: str = ""
    min: float | int | str | None = None
    max: float | int | str | None = None
    max_length: int | None = None
    timezone: str = ""
    items: "Field | None" = None
    fields: dict[str, "Field"] | None = None
    optional: bool = False
    default: Value = None
    sensitive: bool = False
    stored: bool = False
    json_schema: dict[str, Value] | None = None
