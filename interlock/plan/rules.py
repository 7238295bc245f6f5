"""The parts of a plan that decide: conditions, decision tables, gates and routes."""

from typing import Literal

from interlock.plan.base import Expression, Field, Part, Placed, Text, Value

HitPolicy = Literal["unique", "first", "any", "priority", "collect", "sum", "min", "max", "count"]


class Condition(Placed):
    """A named assertion; with `call` it reads first, and `that` may then name `result`."""

    that: Expression
    otherwise: Text | None = None
    call: str = ""
    bind: dict[str, Value] = {}


class Check(Placed):
    """One line of `requires` or `ensures`: `that`, or the name of a condition."""

    that: Expression = ""
    condition: str = ""
    call: str = ""
    bind: dict[str, Value] = {}
    otherwise: Text | None = None


class Cell(Part):
    """One input cell of a table row; an absent cell is "any".

    `any_of` lists literals; `below`/`above` bound a range, each inclusive or not; `template` is compared with `==`.
    """

    any_of: tuple[Value, ...] | None = None
    negate: bool = False
    above: float | int | str | None = None
    above_inclusive: bool = False
    below: float | int | str | None = None
    below_inclusive: bool = False
    template: str = ""


class Row(Placed):
    """One rule of a table: cells by input column, values by output column (absent output = none)."""

    when: dict[str, Cell]
    then: dict[str, Value]


class TableInput(Field):
    """An input column: a field, and the template that gives its value."""

    value: Value = None


class Decision(Placed):
    """A decision table; `hit` has DMN's meaning."""

    hit: HitPolicy
    inputs: dict[str, TableInput]
    outputs: dict[str, Field]
    rows: tuple[Row, ...]


class Gate(Placed):
    """Deterministic admission of a turn. The verdict says which of the other fields count."""

    id: str
    title: Text | None = None
    when: Expression = ""
    screen: str = ""
    allow: tuple[str, ...] = ()
    prefix: str = ""
    fills: str = ""
    usage: Text | None = None
    verdict: Literal["reply", "ask", "refuse", "handoff", "call", "assume", "skip"]
    text: Text | None = None
    reason: str = ""
    options: tuple[Text, ...] = ()
    call: str = ""
    respond: str = ""
    assume: dict[str, Value] = {}
    skip: tuple[str, ...] = ()


class Route(Placed):
    """Which flow handles an admitted turn, first that holds; the last one has no `when`."""

    id: str
    when: Expression = ""
    flow: str
