"""What a value is made of, as a term of a procedure's input: equal terms are equal values, in whatever procedure."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeAlias

from interlock.compiler.demands import COMPUTED
from interlock.compiler.givers import givers_of
from interlock.compiler.keyed_calls import through_computed
from interlock.compiler.written import has_template
from interlock.expressions import nodes
from interlock.expressions.parser import parse_expression
from interlock.expressions.problems import ExpressionError
from interlock.expressions.templates import parse_template

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from interlock.compiler.keyed_calls import Read
    from interlock.compiler.units import Unit

Term: TypeAlias = tuple[Any, ...]
"""An operator with its terms. `input` is an input, `literal` a constant, `here` what has a meaning in one run only."""

LARGEST = 200
"""Parts of a term; what is made of more is not compared."""

DEEPEST = 20
"""Variables within variables that are looked into."""

NOTHING: Term = ("nothing",)


class NoTerm(Exception):  # noqa: N818 - an answer, not an error
    """What a value is made of cannot be told, or is too much to compare."""


def literal(value: Any) -> Term:
    """A constant."""
    return ("literal", json.dumps(value, sort_keys=True, ensure_ascii=False))


def joined(parts: Iterable[Term]) -> Term:
    """Texts one after another; constants that meet are one."""
    flat: list[Term] = []
    for part in (inner for one in parts for inner in (one[1:] if one[0] == "text" else (one,))):
        if flat and _is_text(flat[-1]) and _is_text(part):
            flat[-1] = literal(json.loads(flat[-1][1]) + json.loads(part[1]))
        else:
            flat.append(part)
    return flat[0] if len(flat) == 1 and _is_text(flat[0]) else ("text", *flat)


def _is_text(term: Term) -> bool:
    return bool(term[0] == "literal" and term[1].startswith('"'))


def _sized(term: Term) -> Term:
    if _size(term) > LARGEST:
        raise NoTerm
    return term


def _size(term: Term) -> int:
    return 1 + sum(_size(part) for part in term if isinstance(part, tuple))


def put_in(term: Term, given: Mapping[str, Term]) -> Term:
    """A term of a procedure's input as one of the input of the procedure that runs it."""
    if term[0] == "input":
        return given.get(term[1], NOTHING)
    if term[0] == "here":
        raise NoTerm
    parts = [put_in(part, given) if isinstance(part, tuple) else part for part in term]
    return _sized(joined(parts[1:]) if term[0] == "text" else tuple(parts))


class Terms:
    """The terms of what is written in one procedure; all raise NoTerm."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._givers = givers_of(unit)

    def value(self, value: Any, unit: Unit | None = None, depth: int = 0) -> Term:
        """A value as written, in the procedure or in a Library whose constants it reads."""
        if not has_template(value):
            return literal(value)
        if not isinstance(value, str):
            keys, items = (list(value), value.values()) if isinstance(value, dict) else ([], value)
            return _sized(("json", json.dumps(keys), *(self.value(one, unit, depth) for one in items)))
        parts = [self._block(block, unit or self._unit, depth) for block in _parsed(value)]
        return _sized(parts[0] if len(parts) == 1 else joined(parts))

    def condition(self, text: str) -> Term:
        """An expression."""
        try:
            return self._tree(parse_expression(text), self._unit, 0)
        except ExpressionError as error:
            raise NoTerm from error

    def path(self, read: Read, unit: Unit | None = None, depth: int = 0) -> Term:
        """A path of the context."""
        root, *rest = read
        if not rest:
            return self._item(root, (), depth)
        name, *below = rest
        if root == "input":
            return _below(("input", name), below)
        if root == "config":
            part = (unit or self._unit).find("config", name)
            return _below(literal(part.model), below) if part is not None else ("here", ".".join(read))
        sets = self._givers.get((root, name), ()) if root == "vars" else ()
        if len(sets) == 1 and depth < DEEPEST:
            return _below(self.value(sets[0].model.set[name], depth=depth + 1), below)
        if root in COMPUTED:
            return self._computed(read, unit or self._unit, depth)
        return self._item(root, rest, depth)

    def _item(self, root: str, rest: Iterable[str], depth: int) -> Term:
        loops = self._givers.get((root,), ())
        if len(loops) != 1 or depth >= DEEPEST:
            return ("here", ".".join((root, *rest)))
        return _below(("item", root, self.value(loops[0].model.for_each.items, depth=depth + 1)), rest)

    def _computed(self, read: Read, unit: Unit, depth: int) -> Term:
        part = unit.find(COMPUTED[read[0]], read[1])
        behind = through_computed(unit, read)
        if part is None or behind == (read,):
            return ("here", ".".join(read))
        reads = (self.path(one, part.unit, depth + 1) for one in behind)
        return ("computed", part.unit.name, ".".join(read), *reads)

    def _block(self, block: nodes.Block, unit: Unit, depth: int) -> Term:
        match block:
            case nodes.Plain():
                return literal(block.text)
            case nodes.Output():
                return self._tree(block.expr, unit, depth)
            case _:
                raise NoTerm

    def _tree(self, node: nodes.Expr, unit: Unit, depth: int) -> Term:
        keys = nodes.keys_of(node)
        if keys is not None:
            return self.path(tuple(map(str, keys)), unit, depth)
        if isinstance(node, nodes.Literal):
            return literal(node.value)
        parts = [self._tree(child, unit, depth) for child in nodes.children(node)]
        if isinstance(node, nodes.Concat):
            return joined(parts)
        told = (str(getattr(node, key, "")) for key in ("op", "name", "key", "negated"))
        return (type(node).__name__, " ".join(told).strip(), *parts)


def terms_of(unit: Unit) -> Terms:
    """The terms of a procedure, made once."""
    if "terms" not in unit.memo:
        unit.memo["terms"] = Terms(unit)
    found: Terms = unit.memo["terms"]
    return found


def _parsed(text: str) -> tuple[nodes.Block, ...]:
    try:
        return parse_template(text)
    except ExpressionError as error:
        raise NoTerm from error


def _below(term: Term, keys: Iterable[str]) -> Term:
    path = ".".join(keys)
    return ("get", path, term) if path else term
