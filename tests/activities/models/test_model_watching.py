"""What a model is writing is seen while it writes: in the process, and in the heartbeats."""

import asyncio
from datetime import timedelta

import pytest

from interlock_activities.failures import Failure
from interlock_activities.models.drafts import Draft, Drafts, Piece
from tests.activities.models import services

SECRET = "planted-secret"


def draft(call="c", attempt=1, secrets=(), max_bytes=1_000_000):
    return Draft(call, attempt, secrets, max_bytes)


def followed(work, call_id=""):
    """The pieces that one who watches `run` sees of what `work` does."""

    async def run():
        drafts, seen = Drafts(), []

        async def watch():
            note = seen.append
            async for piece in drafts.follow("run", call_id):
                note(piece)

        watching = asyncio.ensure_future(watch())
        await asyncio.sleep(0)
        await work(drafts)
        for _ in range(3):
            await asyncio.sleep(0)
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)
        return seen, drafts

    return asyncio.run(run())


async def writing(drafts, one, *pieces, run="run"):
    with drafts.begun(run, one):
        for piece in pieces:
            one.add(piece)
            await asyncio.sleep(0)


def test_pieces_are_seen_one_by_one_and_then_the_end():
    seen, _ = followed(lambda drafts: writing(drafts, draft(), "It ", "is."))
    assert "".join(piece.text for piece in seen) == "It is."
    assert seen[-1] == Piece("c", 1, "", "whole")
    assert len(seen) >= 2


def test_what_is_written_without_a_pause_is_seen_as_well():
    async def at_once(drafts):
        one = draft()
        with drafts.begun("run", one):
            one.add("a")
            one.add("b")

    assert followed(at_once)[0] == [Piece("c", 1, "ab", "whole")]


def test_who_comes_late_sees_what_stands_already():
    async def run():
        drafts, one = Drafts(), draft()
        with drafts.begun("run", one):
            one.add("already ")
            following = drafts.follow("run", "c")
            first = await anext(following)
            one.add("more")
            second = await anext(following)
            await following.aclose()
        return first.text, second.text

    assert asyncio.run(run()) == ("already ", "more")


def test_other_runs_and_calls_are_not_seen():
    async def three(drafts):
        await writing(drafts, draft("a"), "x", run="other")
        await writing(drafts, draft("b"), "y")
        await writing(drafts, draft("c"), "z")

    assert {piece.text for piece in followed(three, "c")[0]} == {"z", ""}


def test_another_attempt_begins_anew():
    async def twice(drafts):
        with pytest.raises(Failure), drafts.begun("run", draft(attempt=1)) as _:
            raise Failure("error", "x", retryable=True)
        await writing(drafts, draft(attempt=2), "x")

    seen, _ = followed(twice)
    assert (seen[0].attempt, seen[0].ending) == (1, "broken")
    assert (seen[-1].attempt, seen[-1].ending) == (2, "whole")


def test_nothing_is_kept_of_what_is_over():
    _, drafts = followed(lambda drafts: writing(drafts, draft(), "x"))
    assert (dict(drafts._live), dict(drafts._watching)) == ({}, {})


def test_who_watches_and_does_not_read_holds_up_nobody_and_is_kept_little_of():
    async def run():
        drafts = Drafts()
        following = drafts.follow("run")
        first = asyncio.ensure_future(anext(following))
        await asyncio.sleep(0)
        for number in range(100):
            await writing(drafts, draft(f"c{number}"), "x" * 100)
        (watching,) = drafts._watching["run"]
        await first
        kept = len(watching.drafts)
        await following.aclose()
        return kept

    assert asyncio.run(run()) <= 16


def add_all(one, text, size):
    for start in range(0, len(text), size):
        one.add(text[start : start + size])


@pytest.mark.parametrize("size", [1, 2, 5, 100])
@pytest.mark.parametrize("secret", [SECRET, SECRET.upper()])
def test_no_piece_of_a_credential_is_ever_seen(size, secret):
    one, text = draft(secrets=(SECRET,)), f"Your key is {secret} and more"
    with pytest.raises(Failure, match="repeats a credential"):
        add_all(one, text, size)
    assert "".join(one.pieces) in ("Your key is ", "Your key is "[: 12 // size * size], "")
    assert SECRET[:4] not in str(one.details())


def test_what_only_begins_like_a_credential_is_seen_in_the_end():
    seen, _ = followed(lambda drafts: writing(drafts, draft(secrets=(SECRET,)), "a planted", "-sec", "ond pla"))
    assert "".join(piece.text for piece in seen) == "a planted-second pla"


def test_short_credentials_prove_nothing():
    one = draft(secrets=("key",))
    one.add("a key")
    assert one.pieces == ["a key"]


def test_a_draft_has_a_cap():
    one = draft(max_bytes=10)
    one.add("深圳")
    with pytest.raises(Failure, match="larger than it may be"):
        one.add("深圳")


def test_details_are_the_end_of_the_text_and_its_length():
    one = draft()
    assert one.details() == ()
    one.add("深" * 5_000)
    one.add("end")
    (details,) = one.details()
    assert details["length"] == 5_003
    assert details["text"].endswith("深end")
    assert 4_000 < len(details["text"].encode()) <= 4_096


def slowly(provider, pause=0.12):
    async def answer(_request, writer):
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n")
        for event in services.EVENTS[provider](pieces=[f"{word} " for word in ["one", "two", "three", "four", "five"]]):
            writer.write(services.event_bytes(provider, [event]).removesuffix(b"data: [DONE]\n\n"))
            await writer.drain()
            await asyncio.sleep(pause)
        writer.close()

    return answer


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_who_watches_a_run_sees_the_words_as_they_come(serve, asking, generate, provider, watch):
    wire = serve(handler=slowly(provider, pause=0.02))
    answer = generate(asking(wire, provider, streamed=True), during=watch)
    assert "".join(piece.text for piece in watch.seen) == answer.text == "one two three four five "
    assert len([piece for piece in watch.seen if piece.text]) >= 3
    assert (watch.seen[-1].ending, watch.seen[-1].call_id) == ("whole", "c1")


def test_heartbeats_tell_what_is_written_not_more_often_than_is_useful(serve, asking, generate, environment):
    made = environment(heartbeat_timeout=timedelta(seconds=30))
    generate(asking(serve(handler=slowly("openai")), streamed=True), environment=made)
    told = [beat[0] for beat in made.beats if beat]
    assert 2 <= len(told) <= 6
    assert all(one["text"] == "one two three four five "[: one["length"]] for one in told)
    assert [one["length"] for one in told] == sorted({one["length"] for one in told})
    assert len(made.beats) <= len(told) + 1


def test_what_is_written_is_told_even_where_no_heartbeat_is_asked_for(serve, asking, generate, environment):
    made = environment()
    generate(asking(serve(handler=slowly("openai")), streamed=True), environment=made)
    assert any(beat for beat in made.beats)


def test_a_call_that_is_not_streamed_tells_nothing(serve, asking, generate, environment):
    made = environment(heartbeat_timeout=timedelta(milliseconds=90))

    async def slow(_request, writer):
        await asyncio.sleep(0.2)
        writer.write(services.raw(body=services.openai()))

    generate(asking(serve(handler=slow)), environment=made)
    assert made.beats
    assert not any(beat for beat in made.beats)


def test_an_answer_that_is_refused_in_the_end_was_broken_for_those_who_watched(serve, asking, failing, watch):
    told = list(services.openai_chunks())[:3]
    body = services.event_bytes("openai", told).removesuffix(b"data: [DONE]\n\n")
    failing(asking(serve(services.stream_of(body)), streamed=True), during=watch)
    assert [piece.ending for piece in watch.seen if piece.ending] == ["broken"]
