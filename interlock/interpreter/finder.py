"""Everything an agent looks for in a message but screens: one automaton for all phrases, one set for all patterns.

Vocabularies, intents and labels do not compete: the longest phrase wins within each list, never across lists.
"""

from collections.abc import Iterator
from typing import NamedTuple

from interlock.plan.plan import Plan
from interlock.text.hits import Hit, leftmost_longest, longest_first
from interlock.text.patterns import Patterns
from interlock.text.phrases import Phrases


class Wanted(NamedTuple):
    """What a phrase or pattern is looked for: a vocabulary's term, an intent's keyword, a slot's label or pattern."""

    kind: str
    name: str
    code: str = ""


class Finder:
    """The phrases and patterns of one agent, ready to be looked for."""

    def __init__(self, plan: Plan) -> None:
        self._phrases = Phrases(_phrases(plan))
        self._patterns = Patterns(_patterns(plan))
        bare = [(pattern, name, slot.exact_case) for name, slot in plan.slots.items() for pattern in slot.in_context]
        self._bare = Patterns(bare) if bare else None
        shapes = [(pattern, name, False) for name, slot in plan.slots.items() for pattern in slot.looks_like]
        self._shaped = Patterns(shapes) if shapes else None

    def words(self, text: str) -> dict[tuple[str, str], list[Hit]]:
        """Hits by kind and name; the longest of each list where its phrases overlap."""
        found = _grouped(self._phrases.every(text))
        for group, hits in found.items():
            if len(hits) > 1:
                found[group] = leftmost_longest(hits)
        return found

    def shapes(self, text: str) -> dict[tuple[str, str], list[Hit]]:
        """Hits of patterns by kind and name; slots compete for overlapping text, the longest wins, intents do not."""
        every = self._patterns.every(text)
        if len(every) > 1:
            slots = longest_first(hit for hit in every if hit.tag.kind == "slot")
            every = [*slots, *(hit for hit in every if hit.tag.kind != "slot")]
        return _grouped(every)

    def shaped(self, text: str) -> list[Hit]:
        """Hits of `looks_like` patterns, the longest where they overlap; the tag is the slot."""
        return self._shaped.find(text) if self._shaped is not None else []

    def bare(self, text: str) -> list[Hit]:
        """Hits of `in_context` patterns that are the whole of `text`; the tag is the slot."""
        return self._bare.whole(text) if self._bare is not None else []


def _grouped(hits: list[Hit]) -> dict[tuple[str, str], list[Hit]]:
    found: dict[tuple[str, str], list[Hit]] = {}
    for hit in hits:
        found.setdefault(hit.tag[:2], []).append(hit)
    return found


def _phrases(plan: Plan) -> Iterator[tuple[str, Wanted]]:
    used = {slot.vocabulary for slot in plan.slots.values()} | {intent.follow_up for intent in plan.intents.values()}
    for name in sorted(used - {""}):
        for term in plan.vocabularies[name].terms:
            yield from ((alias, Wanted("vocabulary", name, term.code)) for alias in term.aliases)
    for name, intent in plan.intents.items():
        yield from ((keyword, Wanted("intent", name)) for keyword in intent.keywords)
    for name, slot in plan.slots.items():
        yield from ((label, Wanted("label", name)) for label in slot.labels)


def _patterns(plan: Plan) -> Iterator[tuple[str, Wanted, bool]]:
    for name, slot in plan.slots.items():
        yield from ((pattern, Wanted("slot", name), slot.exact_case) for pattern in slot.patterns)
    for name, intent in plan.intents.items():
        yield from ((pattern, Wanted("intent", name), True) for pattern in intent.patterns)
