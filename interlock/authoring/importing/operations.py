"""What a service offers, in words of no format: operations, their inputs and answers, servers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

Carried = Literal["path", "query", "header", "body"]


@dataclass(frozen=True, slots=True)
class Member:
    """A value inside another, and whether it must be there."""

    shape: Shape
    required: bool


@dataclass(frozen=True, slots=True)
class Shape:
    """The shape of a value; without a `type` nobody can say what it is, and `notes` tell why."""

    type: str
    description: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """Further keys of a Field, such as `enum`, `format`, `max`."""
    items: Shape | None = None
    fields: Mapping[str, Member] | None = None
    notes: tuple[str, ...] = ()
    """What a person should know or decide."""
    nullable: bool = False
    sent_only: bool = False
    """It stands in requests, never in answers."""
    received_only: bool = False
    """It stands in answers, never in requests."""


@dataclass(frozen=True, slots=True)
class Input:
    """One value that a request carries: its name here, and the one on the wire."""

    name: str
    wire: str
    carried: Carried
    shape: Shape
    required: bool


@dataclass(frozen=True, slots=True)
class Service:
    """An address and the credential that goes there."""

    address: str
    """A base URL; empty where only the environment knows it."""
    below: str = ""
    """Path below an address that the environment knows."""
    origin: str = ""
    """The address as the document has it."""
    auth: tuple[tuple[str, str], ...] = ()
    """The keys of `auth`; a value `{TOKEN}` is a secret of that name."""
    notes: tuple[str, ...] = ()
    label: str = ""
    """What tells it from another at the same address."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One call."""

    name: str
    method: str
    path: str
    title: str
    description: str
    inputs: tuple[Input, ...]
    answer: Shape | None
    service: Service
    idempotency: str = ""
    """The header that carries a key, if the service has one."""
    notes: tuple[str, ...] = ()

    @property
    def call(self) -> str:
        """`GET /orders/{order_no}`."""
        return f"{self.method} {self.path}"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A call that a tool cannot make, and why."""

    call: str
    why: str


@dataclass(frozen=True, slots=True)
class Offer:
    """Everything a document describes."""

    title: str
    description: str
    version: str
    form: str
    """`OpenAPI 3.0.3`."""
    operations: tuple[Operation, ...]
    left_out: tuple[LeftOut, ...]
    notes: tuple[str, ...] = ()
