"""The shape of one value, as `input`, `output`, `user`, `metadata` and table columns share it, and checks."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field as Key
from pydantic import StringConstraints, WithJsonSchema

from interlock.spec.base import (
    Bound,
    Duration,
    Expression,
    Listed,
    Maybe,
    Name,
    Said,
    SpecModel,
    Text,
    TypeName,
    Value,
    Wired,
)
from interlock.spec.patterns import SOURCE
from interlock.spec.rules import Beside, OneOf

Source = Annotated[
    str,
    StringConstraints(pattern=SOURCE),
    WithJsonSchema(
        {
            "type": "string",
            "pattern": SOURCE,
            "examples": [
                "caller",
                "slots.",
                "cells.",
                "input.",
                "user.id",
                "session.",
                "config.",
                "message.text",
                "turn.round",
            ],
        }
    ),
]


class Field(SpecModel):
    """The shape of one value. It is required unless `optional` or `default` is there."""

    type: TypeName
    """What kind of value it is."""
    title: Maybe[Text] = None
    """Name for people."""
    description: str = ""
    """What it means, for docs."""
    enum: Maybe[Listed[Value]] = None
    """The only values allowed."""
    pattern: str = ""
    """RE2 pattern that a string must match as a whole."""
    format: str = ""
    """A JSON Schema format such as `email` or `uuid`."""
    min: Maybe[Bound] = None
    """Smallest number, date or time."""
    max: Maybe[Bound] = None
    """Largest number, date or time."""
    max_length: Maybe[Annotated[int, Key(ge=0)]] = None
    """Longest string, in characters, or list, in items."""
    timezone: str = ""
    """Time zone in which a date or time without one is read, such as `Asia/Shanghai`."""
    items: Maybe[Field] = None
    """Shape of each item of a list."""
    fields: Maybe[Wired[Field]] = None
    """Shape of each field of an object."""
    optional: bool = False
    """It may be left out; it is then `none`."""
    default: Value = None
    """The value when it is left out."""
    sensitive: bool = False
    """Masked in records and receipts."""
    stored: bool = False
    """The value stays outside the run, which holds a reference to it: `digest`, `bytes` and `length`."""
    schema_: Maybe[dict[str, Any]] = Key(default=None, alias="schema")
    """JSON Schema for what the other keys cannot say."""


class Argument(Field):
    """One argument of a tool, with the one place its value comes from."""

    key_rules = (
        OneOf(
            "an argument has one source",
            ("from", "value"),
            remedy="write where it comes from: `from: slots.x`, `cells.tool.x` or `caller`, or give a `value`",
        ),
        Beside("max_age", ("from",)),
        Beside("history", ("from",)),
    )

    from_: Maybe[Source] = Key(default=None, alias="from")
    """Where the value is copied from, verbatim: a path of the context, or `caller` (bound by `with` at the call)."""
    value: Value = None
    """A literal or a template; its sources are those of the template."""
    max_age: Maybe[Duration] = None
    """How old a cell may be."""
    in_: Maybe[Literal["path", "query", "body", "header"]] = Key(default=None, alias="in")
    """Where it travels; by default path, then query (GET, DELETE) or body."""
    send_as: Maybe[Said] = None
    """Its name on the wire, if that differs."""
    history: Maybe[Literal["single"]] = None
    """`single`: a plain `call` may use the one identifier that trusted history holds."""


class Check(SpecModel):
    """Something that must hold before or after a call."""

    key_rules = (
        OneOf("a check asserts one thing", ("that", "condition")),
        Beside("call", ("that",)),
        Beside("with", ("call",)),
    )

    that: Maybe[Expression] = None
    """The assertion, a bare expression."""
    condition: Maybe[Name] = None
    """Name of a condition that must hold."""
    call: Maybe[Name] = None
    """A read tool to call first; `that` then sees its `result`."""
    with_: Maybe[Wired[Value]] = Key(default=None, alias="with")
    """Arguments of that call."""
    else_: Maybe[Text] = Key(default=None, alias="else")
    """What the person is told when it does not hold."""
