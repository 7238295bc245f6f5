"""How a call of a flow may end other than well, and what of it the person is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from interlock.compiler.copied_slots import copied_slots
from interlock.compiler.written import has_template, strings
from interlock.expressions.paths import paths_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from interlock.compiler.units import Part, Unit

UNCALLED = ("missing", "ambiguous", "requires")
"""Failures before the call is made."""

ASKED = ("missing", "ambiguous", "blocked")
"""Failures that come to a question where no `catch` takes them and the person can give what is lacking."""


def failures(tool: Part | None) -> tuple[str, ...]:
    """The kinds of error that a call of a tool may end in."""
    if tool is None:
        return ("timeout", "error", "blocked", *UNCALLED, "ensures")
    model = tool.model
    sources = [argument.from_ or "" for argument in (model.input or {}).values()]
    kinds = ["timeout", "error"]
    kinds += ["blocked"] if any(outcome.outcome == "blocked" for outcome in model.outcomes or ()) else []
    kinds += ["missing"] if model.input or model.requires else []
    kinds += ["ambiguous"] if any(source.startswith("slots.") for source in sources) else []
    kinds += ["requires"] if model.requires else []
    kinds += ["ensures"] if model.ensures else []
    return tuple(kinds)


def takes_identifier(unit: Unit, tool: Part, bound: Mapping[str, Any]) -> bool:
    """Whether an argument is copied from a slot with patterns, by the tool or by `with`."""
    return any(slot.model.patterns is not None for slot in copied_slots(unit, tool, bound).values())


def questions(unit: Unit, tool: Part, bound: Mapping[str, Any], expand: Sequence[str]) -> dict[str, str]:
    """The kinds of failure that a call asks the person about, each with a slot that it asks for.

    `bound` gives `caller` arguments, `expand` the slots whose values get a call each.
    """
    copied = copied_slots(unit, tool, bound)
    slots = [*copied.values(), *_computed(unit, tool, bound)]
    expanded = [slot for name in expand if (slot := unit.find("slots", name))]
    asked: dict[str, str] = {}
    for slot in (*slots, *expanded):
        if not _always_filled(slot):
            asked.setdefault("missing", slot.name)
        if not slot.model.many or slot in expanded:
            asked.setdefault("ambiguous", slot.name)
    for outcome in tool.model.outcomes or ():
        if outcome.outcome == "blocked" and outcome.missing in copied:
            asked.setdefault("blocked", copied[outcome.missing].name)
    return asked


def _computed(unit: Unit, tool: Part, bound: Mapping[str, Any]) -> Iterator[Part]:
    """The slots that the values of arguments are computed from."""
    own = [(tool.unit, argument.value) for argument in (tool.model.input or {}).values()]
    for reader, value in (*own, *((unit, value) for value in bound.values())):
        for _, text in strings(value, ()):
            for root, *rest in paths_of(text, template=True) if has_template(text) else ():
                if root == "slots" and rest and (slot := reader.find("slots", rest[0])):
                    yield slot


def _always_filled(slot: Part) -> bool:
    """Whether a value is there, and a good one, whatever was said."""
    fallback = slot.model.assume if slot.model.assume is not None else slot.model.default
    return fallback is not None and not has_template(fallback) and not slot.model.checks
