"""Intents that meet the intent of the same name in a Library: appended to it, or in its place."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from interlock.compiler.units import Part, Unit
    from interlock.spec.words import Intent


def inherited(part: Part) -> Part | None:
    """The intent of the same name in the Libraries of the intent's own spec."""
    for library in part.unit.closure()[1:]:
        if part.name in library.parts(part.plural):
            return library.parts(part.plural)[part.name]
    return None


def merged(part: Part) -> Intent:
    """The intent with what it takes over from the Library's."""
    own: Intent = part.model
    base_part = inherited(part) if own.merge == "append" else None
    if base_part is None:
        return own
    base = merged(base_part)
    return own.model_copy(
        update={
            "keywords": [*(base.keywords or ()), *(own.keywords or ())] or None,
            "patterns": [*(base.patterns or ()), *(own.patterns or ())] or None,
            "follow_up": own.follow_up or base.follow_up,
        }
    )


def merged_parts(unit: Unit, part: Part) -> list[Part]:
    """The vocabularies that an intent takes over with its Library's follow-up."""
    if part.plural != "intents":
        return []
    follow_up = merged(part).follow_up
    found = unit.find("vocabularies", follow_up) if follow_up else None
    return [found] if found else []
