"""Which passages are looked at, and how several rankings of them become one."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Final, TypeVar

T = TypeVar("T", bound=Hashable)

CANDIDATES: Final = 50
"""Passages that each way of ranking proposes before they are put together."""

_ENOUGH: Final = 4 * CANDIDATES
"""From so many passages on, more common terms add none."""

_SMOOTHING: Final = 60
"""As in the paper (Cormack and others, 2009): how little the first places count more than those that follow."""


def needed(spread: Mapping[str, int]) -> list[str]:
    """Of the terms of a question, with the number of passages that hold each, those of which a passage must hold one.

    They are the rarest that together bring enough passages. Ranking takes most of a search, and a passage that holds
    nothing but common terms is hardly ever the best; the others only help to order what is found.
    """
    rare: list[str] = []
    passages = 0
    for term in sorted(spread, key=lambda term: (spread[term], term)):
        if passages >= _ENOUGH:
            break
        rare.append(term)
        passages += spread[term]
    return rare


def fused(rankings: Iterable[Sequence[T]]) -> list[tuple[T, float]]:
    """Reciprocal rank fusion, which needs no common scale: everything that stands in a ranking, best first, scored.

    Of equal ones that which was named first comes first.
    """
    scores: dict[T, float] = defaultdict(float)
    for ranking in rankings:
        for place, one in enumerate(ranking, 1):
            scores[one] += 1 / (_SMOOTHING + place)
    return sorted(scores.items(), key=lambda item: -item[1])
