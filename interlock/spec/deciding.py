"""The parts of a spec that decide: conditions, decision tables, gates and routes."""

from typing import Literal

from pydantic import Field as Key

from interlock.spec.base import Constant, Expression, Listed, Maybe, Name, Named, Said, SpecModel, Text, Value, Wired
from interlock.spec.fields import Field
from interlock.spec.rules import Beside, OneOf


class Condition(SpecModel):
    """A named assertion, used as `conditions.<name>`."""

    key_rules = (Beside("with", ("call",)),)

    that: Expression
    """The assertion, a bare expression."""
    else_: Maybe[Text] = Key(default=None, alias="else")
    """What the person is told when it does not hold."""
    call: Maybe[Name] = None
    """A read tool to call first; `that` then sees its `result`."""
    with_: Maybe[Wired[Value]] = Key(default=None, alias="with")
    """Arguments of that call."""


class TableInput(Field):
    """An input column of a decision table."""

    value: Value
    """The template that gives its value."""


class Decision(SpecModel):
    """A decision table, used as `decisions.<table>.<column>`."""

    key_rules = (OneOf("a table has one origin", ("rules", "csv")),)

    hit: Literal["unique", "first", "any", "priority", "collect", "sum", "min", "max", "count"]
    """Which of the rows that hold count; the meaning is DMN's."""
    inputs: Named[TableInput]
    """Input columns."""
    outputs: Named[Field]
    """Output columns."""
    rules: Maybe[Listed[Named[Constant]]] = None
    """Rows: cells by column. An absent input cell is "any"; a cell is a literal, a list (any of), `"< 5"`,
    `"[1..5)"` or a template."""
    csv: Maybe[Said] = None
    """A CSV file beside the spec with one column for each input and output."""


class Gate(SpecModel):
    """Deterministic admission of a turn; the first that ends the turn wins."""

    key_rules = (
        OneOf("a gate has one verdict", ("reply", "ask", "refuse", "handoff", "call", "assume", "skip")),
        OneOf("a gate looks for one thing", ("screen", "prefix"), optional=True),
        Beside("allow", ("screen",)),
        Beside("fills", ("prefix",)),
        Beside("usage", ("prefix",)),
        Beside("respond", ("call",)),
        Beside("options", ("reply", "ask", "refuse")),
        Beside("reason", ("reply", "ask", "refuse")),
    )

    id: Name
    """Its name in records and tests."""
    title: Maybe[Text] = None
    """Name for people."""
    when: Maybe[Expression] = None
    """When it applies, a bare expression."""
    screen: Maybe[Name] = None
    """A vocabulary that must not occur in the message."""
    allow: Maybe[Listed[Name]] = None
    """Vocabularies whose longer phrases are let through."""
    prefix: Maybe[Said] = None
    """What the message begins with."""
    fills: Maybe[Name] = None
    """The slot that what follows the prefix fills."""
    usage: Maybe[Text] = None
    """What is said when what follows the prefix does not fit."""
    reply: Maybe[Text] = None
    """Say this and end the turn."""
    ask: Maybe[Text] = None
    """Ask this and end the turn."""
    refuse: Maybe[Text] = None
    """Refuse with this text."""
    handoff: Maybe[Text] = None
    """Say this and hand the session to a person."""
    call: Maybe[Name] = None
    """A mounted tool to call."""
    respond: Maybe[Name] = None
    """How the call's result is said."""
    assume: Maybe[Named[Value]] = None
    """Slots to fill in when they are missing; the turn goes on."""
    skip: Maybe[Listed[Name]] = None
    """Mounted tools that are not eligible in this turn; the turn goes on."""
    reason: Maybe[Name] = None
    """A stable code for programs that read the reply."""
    options: Maybe[Listed[Text]] = None
    """What the person may say next."""


class Route(SpecModel):
    """Which flow handles a turn; the first that holds."""

    id: Maybe[Name] = None
    """Its name in records and tests; by default the flow's."""
    when: Maybe[Expression] = None
    """When it applies, a bare expression; the last route has none."""
    flow: Name
    """The flow."""
