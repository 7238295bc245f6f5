"""Passages as they go into a run: plain JSON, each of bounded size, all of them within the inline limit, none cut."""

import math
from collections.abc import Iterable
from typing import Any, Final

from interlock.contract import strict_json
from interlock.contract.calls import Json
from interlock.contract.limits import INLINE_LIMIT
from interlock_activities.retrieval.store import Found

PASSAGE_LIMIT: Final = 16 * 1024
"""Bytes of one passage as JSON; a longer one is left out."""

_MARGIN: Final = 1_024
"""Bytes of what stands around the passages."""


def fitting(passages: Iterable[Json], top: int) -> list[Json]:
    """The first `top` passages of those that are not too long, as many as fit together."""
    kept: list[Json] = []
    left = INLINE_LIMIT - _MARGIN
    for passage in passages:
        size = len(strict_json.dumps(passage)) + 1
        if size <= PASSAGE_LIMIT and size <= left and len(kept) < top:
            kept.append(passage)
            left -= size
    return kept


def of_index(found: Iterable[Found]) -> list[Json]:
    """What a store found."""
    return [
        {
            "text": one.text,
            "source": {"title": one.title, "document": one.document, "locator": one.locator},
            "score": one.score,
        }
        for one in found
    ]


def of_plug_in(value: Any) -> list[Json]:
    """What a plug-in returned, as it must be; raises TypeError with the reason for anything else."""
    if not isinstance(value, list | tuple):
        raise TypeError("it returned no list of passages")
    return [_passage(one) for one in value]


def _passage(one: Any) -> Json:
    if not isinstance(one, dict) or not isinstance(one.get("text"), str):
        raise TypeError("a passage is no object with a `text`")
    source, score = one.get("source", {}), one.get("score", 0.0)
    if not isinstance(source, dict) or not all(isinstance(said, str) for said in source.values()):
        raise TypeError("the `source` of a passage is no object of texts")
    if isinstance(score, bool) or not isinstance(score, int | float) or not math.isfinite(score):
        raise TypeError("the `score` of a passage is no number")
    return {
        "text": one["text"],
        "source": {key: source.get(key, "") for key in ("title", "document", "locator")},
        "score": float(score),
    }
