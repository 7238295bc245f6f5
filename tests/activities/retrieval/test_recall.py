"""How much is found: questions in two languages about two thousand documents, each with one right passage."""

import pytest

from benchmarks.documents import corpus

DOCUMENTS, QUESTIONS = 2_000, 400
FIRST, FIVE = 0.97, 0.99


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """The share of questions whose passage is the first, and is among the first five, by language."""
    from interlock_activities.retrieval.sqlite_store import SqliteStore
    from tests.activities.retrieval.conftest import Desk

    folder = tmp_path_factory.mktemp("recall")
    desk = Desk(folder / "documents", lambda: SqliteStore(folder / "index"), "desk/documents")
    return shares(desk, corpus(DOCUMENTS, QUESTIONS))


def shares(desk, made):
    for name, text in made.files.items():
        desk.write(name, text)
    assert desk.refresh().files == len(made.files)

    async def places(store):
        return [_place(await store.search(desk.index, one.text, 5), one) for one in made.questions]

    found = list(zip(made.questions, desk.run(places), strict=True))
    by_language = {}
    for language in ("zh", "en"):
        ranks = [rank for question, rank in found if question.language == language]
        by_language[language] = tuple(sum(rank <= most for rank in ranks) / len(ranks) for most in (1, 5))
    return by_language


def _place(found, question):
    right = (n for n, one in enumerate(found, 1) if one.document == question.document and question.answer in one.text)
    return next(right, 99)


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_right_passage_is_found_among_two_thousand_documents(asked, language):
    first, five = asked[language]
    assert first >= FIRST, f"{first:.1%} of the questions have their passage first"
    assert five >= FIVE, f"{five:.1%} have it among five"


@pytest.mark.parametrize("language", ["zh", "en"])
def test_postgresql_finds_as_much(served, language):
    first, five = shares(served(), corpus(400, 200))[language]
    assert first >= FIRST
    assert five >= FIVE
