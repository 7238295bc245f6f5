"""Agents ask a model over HTTP on a real Temporal server: turns in which it answers, in the end or not at all."""

import asyncio
import json
import logging
import time

import pytest

from tests.activities.models import services
from tests.activities.wire import raw
from tests.workflows.models.desk import (
    AWAY,
    SAID,
    SECRET,
    asked_of,
    bytes_of,
    clever,
    history_of,
    said,
    turn_of,
    written,
)
from tests.workflows.runs import replayed

pytestmark = pytest.mark.server

A_CHUNK = services.event_bytes("openai", [{"choices": [{"index": 0, "delta": {"content": "word " * 800}}]}])
ENDLESS = {
    "words": (A_CHUNK.removesuffix(b"data: [DONE]\n\n"), "text/event-stream", "larger than it may be"),
    "line": (b"x" * 4_000, "text/event-stream", "an event of more than 262,144 bytes"),
    "whole": (b" " * 4_000, "application/json", "an answer of more than 262,144 bytes"),
    "judged": (b" " * 4_000, "application/json", "an answer of more than 262,144 bytes"),
}


async def test_a_model_chooses_a_tool_proposes_its_argument_and_writes_and_the_key_is_kept_nowhere(
    stage, serve, desk, monkeypatch, caplog, capsys, s1
):
    caplog.set_level(logging.DEBUG)
    model, notes = serve(handler=clever), serve.start(body={"found": "Fog comes tonight."})
    monkeypatch.setenv("NOTES_URL", f"http://127.0.0.1:{notes.port}")
    async with stage.serving(desk()):
        talk = await stage.talk()
        reply, record = await turn_of(talk, s1, "do the notes speak of fog?")
        history = await history_of(talk, s1)
    assert (reply["outcome"], reply["text"]) == ("answer", SAID["text"])
    assert [one.line for one in notes.seen] == ["GET /notes/fog HTTP/1.1"]
    stages = [(one["stage"], one["role"], one["model"]) for one in record["model_stage_decisions"]]
    assert stages == [
        ("selection", "tool_call", "tiny"),
        ("arguments", "tool_call", "tiny"),
        ("generation", "general", "small"),
    ]
    assert [one["stage"] for one in record["generations"]] == ["selection", "arguments", "generation"]
    assert {(one["attempts"], one["input_tokens"], one["output_tokens"]) for one in record["generations"]} == {
        (1, 11, 7)
    }
    assert [one["model"] for one in asked_of(model)] == ["tiny", "tiny", "small"]
    assert "Fog comes tonight." in json.dumps(asked_of(model)[-1])

    assert {one.header("authorization") for one in model.seen} == {f"Bearer {SECRET}"}
    assert notes.seen[0].header("authorization") is None
    kept = bytes_of(history)
    assert b"secrets.LLM_KEY" in kept
    assert b"Fog comes tonight." in kept
    assert SECRET.encode() not in kept
    assert SECRET not in json.dumps(record)
    printed = capsys.readouterr()
    log = printed.out + printed.err + caplog.text
    assert "model_called" in log
    assert SECRET not in log
    await replayed(history)


async def test_an_overloaded_model_is_asked_again_when_it_says_and_then_answers(stage, serve, desk, s1):
    times = []
    waiting = [raw(status=503, retry_after="0"), raw(status=429, retry_after="4"), said()]

    async def answer(_request, writer):
        times.append(time.monotonic())
        await written(writer, waiting.pop(0))

    serve(handler=answer)
    async with stage.serving(desk()):
        talk = await stage.talk()
        reply, record = await turn_of(talk, s1, "hello")
        await replayed(await history_of(talk, s1))
    assert (reply["outcome"], reply["text"]) == ("answer", "Good day.")
    assert record["generations"][0]["attempts"] == 3
    assert times[2] - times[1] > 3.9  # of itself it would be asked again after two seconds


async def test_a_model_that_fails_three_times_degrades_the_turn_and_one_that_refuses_is_asked_once(
    stage, serve, desk, s1, s2
):
    async def answer(request, writer):
        await written(
            writer, raw(status=401 if b"refuse" in request.body else 503, body={"error": {"message": SECRET}})
        )

    model = serve(handler=answer)
    async with stage.serving(desk()):
        talk = await stage.talk()
        turns = await asyncio.gather(turn_of(talk, s1, "hello"), turn_of(talk, s2, "refuse"))
        histories = [await history_of(talk, one) for one in (s1, s2)]
    for reply, _ in turns:
        assert (reply["outcome"], reply["text"]) == ("degraded", AWAY)
    asked = [sum(word in json.dumps(one) for one in asked_of(model)) for word in ("hello", "refuse")]
    assert asked == [3, 1]
    for (_, record), history in zip(turns, histories, strict=True):
        assert "the answer repeats a credential" in record["generations"][0]["error"]
        assert SECRET.encode() not in bytes_of(history)
    await replayed(*histories)


async def test_an_answer_without_end_is_cut_at_the_cap_and_not_asked_for_again(stage, serve, desk, s1):
    sent = dict.fromkeys(ENDLESS, 0)

    async def answer(request, writer):
        name = json.loads(request.body)["messages"][-1]["content"].split()[-1]
        piece, kind, _ = ENDLESS[name]
        await written(writer, raw(content_type=kind, content_length=None, body=b""))
        while True:
            await written(writer, piece)
            sent[name] += len(piece)
            await asyncio.sleep(0)

    model = serve(handler=answer)
    async with stage.serving(desk()):
        talk = await stage.talk()
        turns = await asyncio.gather(*(turn_of(talk, f"{s1}-{name}", f"say {name}") for name in ENDLESS))
        histories = [await history_of(talk, f"{s1}-{name}") for name in ENDLESS]
    for (reply, record), (name, (_, _, why)) in zip(turns, ENDLESS.items(), strict=True):
        assert (reply["outcome"], reply["text"]) == ("degraded", AWAY), name
        assert why in record["generations"][0]["error"], name
    assert len(model.seen) == len(ENDLESS)
    assert max(sent.values()) < 64 << 20, sent  # what lay in buffers when it was hung up on
    assert max(len(bytes_of(history)) for history in histories) < 1 << 20
    await replayed(*histories)
