"""Vectors: over the wire, in PostgreSQL, together with words, and when they cannot be had."""

import asyncio
import json

import pytest

from interlock_activities.addresses import AddressRules
from interlock_activities.http_client import HttpClient
from interlock_activities.retrieval.conformance import check_embedder
from interlock_activities.retrieval.embedding import AT_ONCE, EmbeddingError, ServedEmbedder
from interlock_activities.retrieval.ranking import fused
from interlock_activities.retrieval.store import StoreError
from tests.activities.retrieval.conftest import HashingEmbedder

KEY = "sk-0123456789"


def embedding(wire, texts, key=KEY):
    async def done():
        client = HttpClient(AddressRules())
        try:
            embedder = ServedEmbedder(client, f"http://127.0.0.1:{wire.port}/v1", "small", key)
            return await embedder.embed(texts)
        finally:
            await client.aclose()

    return asyncio.run(done())


async def answers(seen, writer):
    """A server that embeds a text as its length, in the wrong order."""
    texts = json.loads(seen.body)["input"]
    data = [{"index": number, "embedding": [len(text), 0.5]} for number, text in enumerate(texts)]
    body = json.dumps({"data": data[::-1], "model": "small"}).encode()
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % len(body) + body)
    await writer.drain()


def test_what_goes_over_the_wire(serve):
    wire = serve(handler=answers)
    assert embedding(wire, ["a", "年假"]) == [[1.0, 0.5], [2.0, 0.5]]
    (seen,) = wire.seen
    assert seen.line == "POST /v1/embeddings HTTP/1.1"
    assert seen.header("authorization") == f"Bearer {KEY}"
    assert json.loads(seen.body) == {"model": "small", "input": ["a", "年假"], "encoding_format": "float"}


def test_without_a_key_no_credential_is_sent(serve):
    wire = serve(handler=answers)
    embedding(wire, ["a"], key="")
    assert wire.seen[0].header("authorization") is None


def test_many_texts_are_asked_for_in_portions(serve):
    wire = serve(handler=answers)
    found = embedding(wire, ["x" * number for number in range(1, AT_ONCE * 2 + 2)])
    assert [int(vector[0]) for vector in found] == list(range(1, AT_ONCE * 2 + 2))
    assert len(wire.seen) == 3


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ({"status": 401, "body": {"error": KEY}}, "no embeddings: status 401"),
        ({"status": 500}, "no embeddings: status 500"),
        ({"body": {"data": []}}, "not one vector for each text"),
        ({"body": {"data": [{"index": 0, "embedding": []}]}}, "not one vector for each text"),
        ({"body": {"data": [{"index": 1, "embedding": [1]}]}}, "not one vector for each text"),
        ({"body": {"data": [{"index": 0, "embedding": ["x"]}]}}, "not one vector for each text"),
        ({"body": {"data": [{"index": 0, "embedding": [1e999]}]}}, "not one vector for each text"),
        ({"body": b"not json"}, "not one vector for each text"),
        ({"body": b"[1]"}, "not one vector for each text"),
    ],
)
def test_an_answer_that_is_none_is_told_without_its_text(serve, answer, says):
    with pytest.raises(EmbeddingError, match=says) as caught:
        embedding(serve(**answer), ["a"])
    assert KEY not in str(caught.value)


def test_nobody_there():
    async def done():
        embedder = ServedEmbedder(HttpClient(AddressRules()), "http://127.0.0.1:1/v1", "small")
        await embedder.embed(["a"])

    with pytest.raises(EmbeddingError, match="no connection"):
        asyncio.run(done())


def test_the_embedder_of_the_tests_does_what_one_must():
    asyncio.run(check_embedder(HashingEmbedder(), ["leave", "年假", ""]))


def test_fusion_prefers_what_several_rankings_name():
    assert [one for one, _ in fused([["a", "b", "c"], ["d", "b", "e"]])] == ["b", "a", "d", "c", "e"]
    assert fused([]) == fused([[], []]) == []


class Meaning(HashingEmbedder):
    """Knows that some words mean the same."""

    SAME = {"automobile": "car", "汽车": "car", "vehicle": "car"}

    async def embed(self, texts):
        for word, same in self.SAME.items():
            texts = [text.replace(word, same) for text in texts]
        return await super().embed(texts)


def test_other_words_of_the_same_meaning_are_found_by_vectors_alone(served):
    desk = served(Meaning())
    desk.write("a.txt", "Park the automobile behind the house.")
    for number in range(20):
        desk.write(f"{number}.txt", f"Something else, number {number}.")
    desk.refresh()
    assert desk.documents("汽车", 1) == ["a.txt"]


def test_without_vectors_words_must_do(served):
    embedder = HashingEmbedder()
    desk = served(embedder)
    desk.write("a.txt", "about apples")
    desk.write("b.txt", "about bees")
    desk.refresh()
    embedder.broken = True
    assert desk.documents("apples") == ["a.txt"]


def test_an_embedder_that_hangs_is_waited_for_only_so_long(served):
    embedder = HashingEmbedder()
    desk = served(embedder)
    desk.write("a.txt", "about apples")
    desk.refresh()
    embedder.hangs = True
    assert desk.documents("apples") == ["a.txt"]


def test_a_change_whose_texts_cannot_be_embedded_is_taken_back(served):
    embedder = HashingEmbedder()
    desk = served(embedder)
    desk.write("a.txt", "about apples")
    desk.refresh()
    embedder.broken = True
    desk.write("a.txt", "about bees")
    with pytest.raises(StoreError, match="no embeddings: status 500"):
        desk.refresh()
    assert desk.texts("apples") == ["about apples"]


def test_only_what_has_changed_is_embedded_and_all_of_it_by_another_model(served):
    embedder = HashingEmbedder()
    desk = served(embedder)
    for number in range(5):
        desk.write(f"{number}.txt", f"about {number}")
    desk.refresh()
    assert embedder.embedded == 5
    desk.write("3.txt", "about trees")
    desk.refresh()
    assert embedder.embedded == 6
    other = HashingEmbedder(length=32, name="hashing 2")
    again = served(other)
    assert again.refresh().written == 5
    assert other.embedded == 5
    assert again.documents("trees", 1) == ["3.txt"]


def test_an_index_with_vectors_of_two_lengths_is_searched(served):
    """A worker of the old model asks while the new one has been taken up already."""
    desk = served(HashingEmbedder(length=32, name="hashing 2"))
    desk.write("a.txt", "about apples")
    desk.refresh()
    assert served(HashingEmbedder(length=64)).documents("apples") == ["a.txt"]
