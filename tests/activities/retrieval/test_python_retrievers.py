"""Retrievers in Python: what they are given, what they may answer, and how they fail."""

import asyncio

import pytest

from interlock_activities.retrieval.failing import RetrievalError
from interlock_activities.retrieval.python_retriever import PythonRetrievers


def search(function=None, name="wiki", query="leave", top=3):
    return asyncio.run(PythonRetrievers({"wiki": function} if function else {}).search(name, query, top))


def failing(*args, **more):
    with pytest.raises(RetrievalError) as caught:
        search(*args, **more)
    return caught.value


def test_a_plain_function_and_an_async_one():
    def plain(query, top):
        return [{"text": f"{query} {top}", "source": {"title": "T", "document": "d", "locator": "l"}, "score": 2}]

    async def later(query, top):
        await asyncio.sleep(0)
        return plain(query, top)

    expected = [{"text": "leave 3", "source": {"title": "T", "document": "d", "locator": "l"}, "score": 2.0}]
    assert search(plain) == search(later) == expected


def test_what_is_left_out_is_filled_in():
    found = search(lambda query, top: ({"text": "a", "source": {"title": "T"}, "more": 1},))
    assert found == [{"text": "a", "source": {"title": "T", "document": "", "locator": ""}, "score": 0.0}]


def test_one_by_entry_point(installed):
    module = "def find(query, top):\n    return [{'text': query.upper()}]\n"
    installed("wiki-search", module, "wiki = wiki_search:find", "interlock.retrievers")
    assert search()[0]["text"] == "LEAVE"


def test_one_that_nobody_declares_is_named():
    failure = failing()
    assert str(failure) == "no installed package declares 'wiki' under 'interlock.retrievers'"
    assert not failure.retryable


def test_one_that_takes_other_arguments_is_told():
    assert "does not take these arguments" in str(failing(lambda question: []))


@pytest.mark.parametrize("error", [ValueError("a secret"), SystemExit("a secret"), KeyError("a secret")])
def test_one_that_raises_is_told_by_class_alone(error):
    def raising(query, top):
        raise error

    failure = failing(raising)
    assert str(failure) == f"retriever 'wiki' raised {type(error).__name__}"
    assert failure.retryable


@pytest.mark.parametrize(
    ("returned", "says"),
    [
        (None, "it returned no list of passages"),
        ("text", "it returned no list of passages"),
        (["text"], "a passage is no object with a `text`"),
        ([{"text": 1}], "a passage is no object with a `text`"),
        ([{"text": "a", "source": "s"}], "the `source` of a passage is no object of texts"),
        ([{"text": "a", "source": {"title": 1}}], "the `source` of a passage is no object of texts"),
        ([{"text": "a", "score": "1"}], "the `score` of a passage is no number"),
        ([{"text": "a", "score": float("nan")}], "the `score` of a passage is no number"),
        ([{"text": "a", "score": True}], "the `score` of a passage is no number"),
    ],
)
def test_an_answer_that_is_none_is_refused_with_the_reason(returned, says):
    failure = failing(lambda query, top: returned)
    assert str(failure) == f"retriever 'wiki': {says}"
    assert not failure.retryable
