"""The sources of prose: which passages it cites, and what is added because it did not."""

import re
from typing import TYPE_CHECKING

from interlock.interpreter.texts import engine_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from interlock.interpreter.state import Json
    from interlock.interpreter.turn import Turn

CITATION = re.compile(r"[\[【]\s?([0-9]{1,3}(?:\s?[,，、]\s?[0-9]{1,3}){0,20})\s?[\]】]")
"""One citation: `[1]`, `[1, 3]` or `【1】`."""


def with_sources(turn: "Turn", text: str, passages: "Sequence[Json]") -> str:
    """The prose, and behind it every source of `passages` that it has not cited."""
    cited = _cited(text)
    missing = [
        one["source"]
        for number, one in enumerate(passages, 1)
        if number not in cited and not _named(text, one["source"])
    ]
    lines = list(dict.fromkeys(_line(source) for source in missing))
    if not lines:
        return text
    return "\n".join([text, "", engine_text(turn.program, turn.language, "sources"), *(f"- {line}" for line in lines)])


def without_citations(text: str, passages: int) -> str:
    """The prose without the numbers of its passages, which are no figures; others stay."""
    known = frozenset(range(1, passages + 1))
    return CITATION.sub(lambda found: " " if known.issuperset(_numbers(found)) else found[0], text)


def unknown_citations(text: str, passages: int) -> list[str]:
    """The citations of passages that there are not."""
    known = frozenset(range(1, passages + 1))
    return [found[0] for found in CITATION.finditer(text) if not known.issuperset(_numbers(found))]


def _cited(text: str) -> set[int]:
    return {number for found in CITATION.finditer(text) for number in _numbers(found)}


def _numbers(found: re.Match[str]) -> list[int]:
    return [int(number) for number in re.findall("[0-9]+", found[1])]


def _named(text: str, source: "Json") -> bool:
    return any(name and name in text for name in (source.get("title"), source.get("document")))


def _line(source: "Json") -> str:
    title, document, locator = (str(source.get(key) or "") for key in ("title", "document", "locator"))
    where = ", ".join(part for part in (document, locator) if part)
    return f"{title} ({where})" if title and where else title or where
