"""One expression or template of a spec, and the context that holds where it stands."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from interlock.compiler.written import Path, strings, texts
from interlock.expressions import check_expression, check_path, check_template
from interlock.expressions.shapes import ANY

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from interlock.compiler.units import Part, Unit
    from interlock.expressions.problems import Problem
    from interlock.expressions.shapes import Scope, Shape

Form = Literal["expression", "text", "value", "path"]
"""`expression`: bare; `text`: a template for people; `value`: a template whose type counts; `path`: a dotted path."""


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """The context at one place.

    `reads`: a condition with `call` may be used there. `args`: the tool whose arguments are there, if one is.
    `owner`: the named part it belongs to, none for the Agent's own lists.
    """

    unit: Unit
    scope: Scope
    reads: bool = False
    args: Part | None = None
    owner: Part | None = None

    def expression(self, text: str | None, *path: str | int) -> Iterable[Site]:
        """A bare expression, if there is one."""
        return () if text is None else (Site(self, path, text, "expression"),)

    def text(self, text: Any, *path: str | int) -> Iterable[Site]:
        """A text for people, in each of its languages."""
        return () if text is None else [Site(self, inner, version, "text") for inner, version in texts(text, path)]

    def texts(self, items: Sequence[Any] | None, *path: str | int) -> Iterator[Site]:
        """A list of texts."""
        for index, text in enumerate(items or ()):
            yield from self.text(text, *path, index)

    def value(self, value: Any, *path: str | int, wanted: Shape | None = None) -> Iterable[Site]:
        """A JSON value with templates in it; `wanted` counts for the value as a whole, or for the items of a list."""
        if isinstance(value, str):
            return (Site(self, path, value, "value", wanted),)
        if isinstance(value, list) and wanted is not None and wanted.item is not None:
            items = enumerate(value)
            return [site for index, one in items for site in self.value(one, *path, index, wanted=wanted.item)]
        return [Site(self, inner, text, "value") for inner, text in strings(value, path)]

    def source(self, dotted: str, *path: str | int, wanted: Shape | None = None) -> Iterable[Site]:
        """A dotted path of the context."""
        return (Site(self, path, dotted, "path", wanted),)

    def values(self, values: Mapping[str, Any] | None, *path: str | int, wanted: Mapping[str, Shape]) -> Iterator[Site]:
        """Values by name."""
        for name, value in (values or {}).items():
            yield from self.value(value, *path, name, wanted=wanted.get(name))


@dataclass(frozen=True, slots=True, eq=False)
class Site:
    """Where something is computed. `wanted`: what the value must be able to be."""

    place: Place
    path: Path
    text: str
    form: Form
    wanted: Shape | None = None

    @property
    def unit(self) -> Unit:
        """The spec it stands in."""
        return self.place.unit

    @property
    def owner(self) -> Part | None:
        """The named part it belongs to."""
        return self.place.owner

    @property
    def scope(self) -> Scope:
        """What may be read there."""
        return self.place.scope

    @property
    def template(self) -> bool:
        """Whether the text is a template."""
        return self.form in ("text", "value")

    def without(self, roots: Iterable[str]) -> Site:
        """The same where nothing is known of some roots."""
        return replace(self, place=replace(self.place, scope={**self.scope, **dict.fromkeys(roots, ANY)}))

    def checked(self, scope: Scope) -> tuple[Shape, list[Problem]]:
        """Its shape and what is wrong with it, in a context."""
        check = {"expression": check_expression, "path": check_path}.get(self.form, check_template)
        return check(self.text, scope)
