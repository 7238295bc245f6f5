"""Questions in Chinese and English to 20,000 passages: what they cost, and how often the right passage is found."""

import asyncio
import re
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from heapq import nlargest
from pathlib import Path

from benchmarks.documents import HAN, Corpus, corpus
from benchmarks.measuring import Effort, cpu_seconds, in_turn
from benchmarks.table import Row
from interlock_activities.retrieval.analysis import asked
from interlock_activities.retrieval.chunks import passages
from interlock_activities.retrieval.ingestion import Shelf, refresh
from interlock_activities.retrieval.markdown import Markdown
from interlock_activities.retrieval.parsers import Parsers
from interlock_activities.retrieval.sqlite_store import SqliteStore

PASSAGES_A_DOCUMENT = 6
FIVE = 5
_WORD = re.compile(r"\w+")

Search = Callable[[str], list[tuple[str, str]]]
"""From a question to the best documents and texts."""


def rows(effort: Effort) -> Iterator[Row]:
    """Time of a question; shares of the questions answered; time to build and to look an index after."""
    size = effort.of(20_000, 600)
    made = corpus(size // PASSAGES_A_DOCUMENT, effort.of(400, 40))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "documents"
        for path, text in made.files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")
        store, shelf = SqliteStore(Path(name) / "index"), Shelf("desk/documents", folder, Parsers())
        loop = asyncio.new_event_loop()
        try:
            seconds = loop.run_until_complete(refresh(store, shelf)).seconds
            yield Row(f"index of {size:,} passages, built", seconds)
            yield from _asked(_contenders(store, loop, made), made, f"{size:,} passages", effort)
        finally:
            loop.close()


def _contenders(store: SqliteStore, loop: asyncio.AbstractEventLoop, made: Corpus) -> dict[str, Search]:
    texts = [
        (name, f"{one.headings}\n{one.text}")
        for name, text in made.files.items()
        for one in passages(Markdown().parse(text.encode()))
    ]

    def ours(question):
        found = loop.run_until_complete(store.search("desk/documents", question, FIVE))
        return [(one.document, f"{one.title}\n{one.locator}\n{one.text}") for one in found]

    folded = [(name, text, text.lower()) for name, text in texts]

    def scan(question):
        terms = asked(question)
        counted = ((sum(term in low for term in terms), name, text) for name, text, low in folded)
        return [(name, text) for count, name, text in nlargest(FIVE, counted) if count]

    return {
        "ours": ours,
        "plain scan": scan,
        "FTS5 unicode61": _fts(texts, "unicode61", _WORD.findall),
        "FTS5 trigram": _fts(texts, "trigram", _trigrams),
    }


def _fts(texts: list[tuple[str, str]], tokenizer: str, words: Callable[[str], list[str]]) -> Search:
    connection = sqlite3.connect(":memory:")
    connection.execute(f"CREATE VIRTUAL TABLE passage USING fts5 (name UNINDEXED, text, tokenize = '{tokenizer}')")
    connection.executemany("INSERT INTO passage VALUES (?, ?)", texts)
    statement = f"SELECT name, text FROM passage WHERE passage MATCH ? ORDER BY rank LIMIT {FIVE}"

    def search(question):
        quoted = [f'"{word}"' for word in words(question)]
        return connection.execute(statement, (" OR ".join(quoted),)).fetchall() if quoted else []

    return search


def _trigrams(question: str) -> list[str]:
    return [word[n : n + 3] for word in _WORD.findall(question) for n in range(max(1, len(word) - 2))]


def _asked(contenders: dict[str, Search], made: Corpus, where: str, effort: Effort) -> Iterator[Row]:
    calls = {}
    for name, search in contenders.items():
        question = in_turn([one.text for one in made.questions])
        calls[name] = lambda search=search, question=question: search(question())
    times = cpu_seconds(calls, effort)
    yield Row(f"a question to {where}", times.pop("ours"), 2e-3, times)
    for language, called in (("zh", "Chinese"), ("en", "English")):
        some = [one for one in made.questions if one.language == language]
        shares = {
            name: _share(any(d == one.document and one.answer in t for d, t in search(one.text)) for one in some)
            for name, search in contenders.items()
        }
        work = f"{called} questions to {where} whose passage is among the first {FIVE}"
        yield Row(work, shares.pop("ours"), 99, shares, unit="%", more_is_better=True)
    words = HAN.first.split()
    shares = {
        name: _share(any(word in text for _, text in search(word)) for word in words)
        for name, search in contenders.items()
    }
    work = f"Chinese words of two characters that are found in {where}"
    yield Row(work, shares.pop("ours"), 100, shares, unit="%", more_is_better=True)


def _share(hits: Iterator[bool]) -> float:
    found = list(hits)
    return 100 * sum(found) / len(found)
