"""Which effects have the same key: each by what its key is made of, and under which conditions there is one at all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from interlock.compiler.apart import conditions_around
from interlock.compiler.keyed_calls import key_reads
from interlock.compiler.terms import NOTHING, NoTerm, literal, put_in, terms_of

if TYPE_CHECKING:
    from interlock.compiler.keyed_calls import Keyed
    from interlock.compiler.terms import Term
    from interlock.compiler.units import Unit
    from interlock.compiler.walk import Written
    from interlock.compiler.written import Path

MOST_CONDITIONS = 16
"""Conditions of one effect; one that stands under more is not compared."""

MOST_BRANCHES = 4
"""Branches before one of which it is known that they do not hold there."""


@dataclass(frozen=True, slots=True)
class Effect:
    """An effect with a key: what that is made of, and the conditions that all hold where it is made."""

    key: Term
    under: frozenset[Term]


def effect_of(call: Keyed) -> Effect | None:
    """The effect of a call, in terms of the procedure that makes it; None where that cannot be told."""
    try:
        return Effect(_key(call), _conditions(call.unit, call.step.path))
    except NoTerm:
        return None


def effect_of_child(unit: Unit, step: Written, effect: Effect | None) -> Effect | None:
    """An effect of the procedure that a step runs, in terms of the procedure that runs it.

    None too for one that depends on what only that run knows: whether it is made cannot be told from here.
    """
    child = unit.procedures.get(step.model.run)
    if effect is None or child is None:
        return None
    written, terms = step.model.with_ or {}, terms_of(unit)
    left_out = {
        name: NOTHING if field.default is None else literal(field.default) for name, field in child.input.items()
    }
    try:
        given = left_out | {name: terms.value(value) for name, value in written.items()}
        under = frozenset(put_in(one, given) for one in effect.under) | _conditions(unit, step.path)
        found = Effect(put_in(effect.key, given), under)
    except NoTerm:
        return None
    return found if len(under) <= MOST_CONDITIONS else None


def never_both(one: Effect | None, other: Effect | None) -> bool:
    """Whether what one stands under keeps the other from being made, or one of them is never made."""
    if one is None or other is None:
        return False
    both = one.under | other.under
    return any(_never(term) or _contrary(term) in both for term in both) or _of_two_values(both)


def _key(call: Keyed) -> Term:
    terms, tool = terms_of(call.unit), call.tool
    arguments = tool.model.input or {}
    found: list[Term] = []
    for read in key_reads(tool):
        argument = arguments.get(read[1]) if read[0] == "args" and len(read) > 1 else None
        if argument is None:
            found.append(terms.path(read, tool.unit))
        elif argument.from_ is None:
            found.append(terms.value(argument.value, tool.unit))
        elif argument.from_ == "caller":
            found.append(terms.value(call.given(read[1])))
        else:
            found.append(terms.path(tuple(argument.from_.split("."))))
    return ("key", *found)


def _conditions(unit: Unit, path: Path) -> frozenset[Term]:
    """The conditions around a step, as far as they can be told."""
    found = []
    for text, holds in conditions_around(unit, path, MOST_BRANCHES):
        try:
            term = terms_of(unit).condition(text)
        except NoTerm:
            continue
        found += _parts(term) if holds else [_contrary(term)]
    return frozenset(found)


def _parts(term: Term) -> list[Term]:
    return [inner for part in term[2:] for inner in _parts(part)] if term[:2] == ("Logic", "and") else [term]


def _contrary(term: Term) -> Term:
    return term[2] if term[0] == "Not" else ("Not", "", term)


def _equality(term: Term) -> tuple[Term, Term] | None:
    """What must be equal to which constant."""
    if term[:2] != ("Compare", "=="):
        return None
    one, other = term[2:]
    return (one, other) if other[0] == "literal" else (other, one) if one[0] == "literal" else None


def _never(term: Term) -> bool:
    """Whether a condition cannot hold for what is given."""
    if term[0] == "Not":
        return bool(term[2] == ("literal", "true"))
    pair = _equality(term)
    unequal = pair is not None and pair[0][0] == "literal" and pair[0] != pair[1]
    return unequal or term == ("literal", "false")


def _of_two_values(terms: frozenset[Term]) -> bool:
    """Whether one thing would have to be equal to two constants."""
    values: dict[Term, Term] = {}
    pairs = (pair for term in terms if (pair := _equality(term)) is not None)
    return any(values.setdefault(what, constant) != constant for what, constant in pairs)
