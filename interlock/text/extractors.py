"""Values of a kind in a message: date number amount integer range email url quote, and plug-ins."""
from dataclasses import dataclass
from datetime import datetime
from typing import Any

KINDS = ("date", "number", "amount", "integer", "range", "email", "url", "quote")


@dataclass(frozen=True, slots=True)
class Extracted:
    """A JSON value and the slice of the raw text that it was read from."""

    value: Any
    start: int
    end: int


def extractor_problem(kind: str) -> tuple[str, str] | None:
    """Why there is no such extractor (built in or entry point `interlock.extractors`)."""


def extract(kind: str, raw: str, now: datetime) -> list[Extracted]:
    """All values of `kind`, in order, never overlapping. number, integer: int or exact decimal as int/float; amount
    `{"value": number, "currency": "CNY" | ""}`; range `{"from": number | none, "to": number | none}`; date ISO string."""
