"""The screens of an agent: which gate's vocabulary stands in the raw text, longest first against what is allowed."""

from collections.abc import Iterable

from interlock.plan.plan import Plan
from interlock.plan.rules import Gate
from interlock.text.hits import Hit
from interlock.text.phrases import Phrases

_ALLOWED = ""


class Screens:
    """The phrases of all screens. Screens that allow the same vocabularies share one longest match."""

    def __init__(self, plan: Plan) -> None:
        groups: dict[frozenset[str], list[Gate]] = {}
        for gate in plan.gates:
            if gate.screen:
                groups.setdefault(frozenset(gate.allow), []).append(gate)
        self._phrases = [Phrases(_phrases(plan, gates, allowed), "screen") for allowed, gates in groups.items()]

    def scan(self, raw: str) -> dict[str, list[Hit]]:
        """Gate id to its hits; a hit that an allowed phrase covers with more letters is none."""
        found: dict[str, list[Hit]] = {}
        for phrases in self._phrases:
            for hit in phrases.scan(raw):
                if hit.tag != _ALLOWED:
                    found.setdefault(str(hit.tag), []).append(hit)
        return found


def _phrases(plan: Plan, gates: Iterable[Gate], allowed: frozenset[str]) -> list[tuple[str, str]]:
    tagged = [(gate.screen, gate.id) for gate in gates] + [(name, _ALLOWED) for name in sorted(allowed)]
    return [(alias, tag) for name, tag in tagged for term in plan.vocabularies[name].terms for alias in term.aliases]
