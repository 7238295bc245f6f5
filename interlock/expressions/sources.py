"""The kinds of author's text that can be compiled."""

from dataclasses import dataclass
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True)
class Expression:
    """A bare expression used as a condition, as under `when` and `that`: gives True, False or `NotMet`."""

    text: str


@dataclass(frozen=True, slots=True)
class Template:
    """A text with `{{ }}`; exactly one `{{ expr }}` keeps its type. Gives the value or raises `Missing`."""

    text: str


@dataclass(frozen=True, slots=True)
class Text:
    """A template that always gives a string: what people read. Raises `Missing`."""

    text: str


@dataclass(frozen=True, slots=True)
class Value:
    """A JSON value in which every string is a `Template`. Gives JSON or raises `Missing`."""

    json: Any


Source: TypeAlias = Expression | Template | Text | Value
