"""Large values stay outside the run: a reference comes back, a tool gets the value, what cannot be kept fails in words."""

import asyncio
import hashlib
import json
import os
import zlib

import pytest
from temporalio.exceptions import ApplicationError

from interlock.contract.calls import details_of
from interlock.contract.limits import STORED_LIMIT
from interlock.contract.stored import referenced
from interlock_activities.content_store import ContentStore, DamagedContentError

ROWS = [{"id": f"{n:020}", "名": "深圳", "big": 2**128 - 1 - n} for n in range(20_000)]
REFERENCE, CONTENT = referenced(ROWS)
LIST = {"rows": {"type": "list"}}


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "values"


@pytest.fixture
def store(folder):
    return ContentStore(folder, "value", marks_use=True)


@pytest.fixture
def ask(request_to, call, folder):
    """Calls a tool that keeps `fields` of its answer, on a worker with a value store."""

    def run(wire, fields=None, *, unwrap="", values=folder, **more):
        stored = {"unwrap": unwrap, "fields": fields} if fields else None
        functions = more.pop("functions", {})
        request = request_to(wire, stored=stored, **{"max_bytes": STORED_LIMIT if fields else 262_144, **more})
        return call(request, values=values, functions=functions)

    return run


def failing(run, *args, **more):
    with pytest.raises(ApplicationError) as failure:
        run(*args, **more)
    return failure.value


def sent(failure):
    return details_of(failure.details, "error").sent


def test_a_large_value_is_stored_and_its_reference_answered(serve, ask, store):
    answer = ask(serve(body={"rows": ROWS, "count": len(ROWS)}), LIST)
    assert answer.payload == {"rows": REFERENCE, "count": 20_000}
    assert (REFERENCE["length"], REFERENCE["bytes"]) == (20_000, len(CONTENT))
    assert len(CONTENT) > 1_000_000
    assert REFERENCE["digest"] == hashlib.sha256(CONTENT).hexdigest()
    assert store.get(REFERENCE["digest"]) == CONTENT


def test_a_small_value_is_stored_all_the_same(serve, ask):
    assert ask(serve(body={"rows": []}), LIST).payload["rows"]["length"] == 0


def test_only_what_is_declared_is_stored(serve, ask, store):
    shape = {"rows": {"type": "list", "items": {"type": "object", "fields": {"id": {"type": "string"}}}}}
    answer = ask(serve(body={"rows": [{"id": "07", "password": "x"}]}), shape)
    assert store.get(answer.payload["rows"]["digest"]) == b'[{"id":"07"}]'


def test_values_are_found_below_unwrap(serve, ask):
    body = {"data": [{"rows": [1], "n": 1}, {"rows": [2]}]}
    answer = ask(serve(body=body), LIST, unwrap="data.0")
    assert answer.payload == {"data": [{"rows": referenced([1])[0], "n": 1}, {"rows": [2]}]}


@pytest.mark.parametrize("body", [{}, {"rows": None}, {"data": []}, [], None, "x"])
def test_where_nothing_is_there_nothing_is_stored(serve, ask, folder, body):
    assert ask(serve(body=json.dumps(body).encode()), LIST, unwrap="").payload == body
    assert not folder.exists()


def test_a_reference_is_sent_as_the_value_it_stands_for(serve, ask, store):
    store.put(CONTENT)
    wire = serve(body={})
    ask(wire, method="POST", arguments=[("lines", "body", REFERENCE), ("kind", "body", "all")])
    assert json.loads(wire.seen[0].body) == {"lines": ROWS, "kind": "all"}


@pytest.mark.parametrize(
    ("value", "fields", "words"),
    [
        ({"rows": 7}, LIST, "the answer is not as `output` says: rows: not a list: 7"),
        ({"rows": [1]}, {"rows": {"type": "list", "items": {"type": "string"}}}, "rows.0: not a string: 1"),
        ({"rows": {"a": 1}}, {"rows": {"type": "object", "fields": {"b": {"type": "string"}}}}, "rows.b: missing"),
        ({"text": 1}, {"text": {"type": "string", "sensitive": True}}, "text: not a string"),
    ],
)
def test_a_value_that_is_not_as_declared_is_no_answer(serve, ask, folder, value, fields, words):
    failure = failing(ask, serve(body=value), fields)
    assert failure.message.endswith(words)
    assert (failure.type, failure.non_retryable, sent(failure)) == ("tool_error", True, True)
    assert not folder.exists()


def test_what_is_not_stored_keeps_its_limit(serve, ask):
    failure = failing(ask, serve(body={"rows": [], "note": "x" * 300_000}), LIST)
    assert "the answer is refused, but for what is stored of it" in failure.message
    assert "more than 262,144" in failure.message


def test_an_answer_over_the_limit_of_stored_values_is_not_read_to_its_end(serve, ask):
    failure = failing(ask, serve(body={"rows": ["x" * (STORED_LIMIT + 1)]}), LIST)
    assert "an answer of more than 16,777,216 bytes" in failure.message


@pytest.mark.parametrize("status", [404, 503])
def test_a_failed_answer_is_as_ever(serve, ask, folder, status):
    wire = serve(status=status, body={"code": 7})
    if status == 404:
        assert ask(wire, LIST).payload == {"code": 7}
    else:
        assert failing(ask, wire, LIST).type == "tool_error"
    assert not folder.exists()


def test_without_a_store_nothing_is_sent(serve, ask):
    wire = serve(body={"rows": []})
    for more in ({"fields": LIST}, {"arguments": [("lines", "body", REFERENCE)], "method": "POST"}):
        failure = failing(ask, wire, values=None, **more)
        assert (failure.type, sent(failure)) == ("tool_misconfigured", False)
        assert "INTERLOCK_VALUE_STORE" in failure.message
    assert wire.seen == []


def test_an_unknown_or_damaged_reference_is_not_sent_and_tried_again(serve, ask, store, folder):
    wire = serve(body={})
    more = {"method": "POST", "arguments": [("lines", "body", REFERENCE)]}
    missing = failing(ask, wire, **more)
    assert f"argument 'lines': nothing is stored here under {REFERENCE['digest'][:12]}" in missing.message
    store.put(CONTENT)
    (path,) = folder.iterdir()
    for wrong in (b"x", zlib.compress(b"[]"), zlib.compress(CONTENT)[:-9]):
        path.write_bytes(wrong)
        damaged = failing(ask, wire, **more)
        assert "is damaged" in damaged.message
        assert (damaged.type, damaged.non_retryable, sent(damaged)) == ("tool_error", False, False)
        with pytest.raises(DamagedContentError):
            store.get(REFERENCE["digest"])
    assert wire.seen == []


def test_arguments_are_limited_together(serve, ask, store):
    reference, content = referenced("x" * (STORED_LIMIT // 2))
    store.put(content)
    wire = serve(body={})
    arguments = [("one", "body", reference), ("two", "body", reference)]
    failure = failing(ask, wire, method="POST", arguments=arguments)
    assert (failure.type, sent(failure)) == ("tool_misconfigured", False)
    assert wire.seen == []


def test_an_answer_that_cannot_be_stored_may_have_had_its_effect(serve, ask, folder):
    folder.write_text("a file where the folder should be")
    failure = failing(ask, serve(body={"rows": []}), LIST)
    assert "the answer cannot be stored" in failure.message
    assert str(folder) not in failure.message
    assert (failure.non_retryable, sent(failure)) == (False, True)


def test_python_tools_give_and_take_stored_values(ask):
    seen = []
    python = {"transport": "python", "python": "move"}

    async def give():
        return {"rows": ROWS}

    answer = ask(None, LIST, functions={"move": give}, **python)

    def take(rows):
        seen.append(rows)

    ask(None, functions={"move": take}, arguments=[("rows", "argument", answer.payload["rows"])], **python)
    assert seen == [ROWS]


def test_storing_again_marks_the_time_and_writes_nothing(store, folder):
    store.put(CONTENT)
    (path,) = folder.iterdir()
    number = path.stat().st_ino
    for use in (lambda: store.put(CONTENT), lambda: store.get(REFERENCE["digest"])):
        os.utime(path, (0, 0))
        use()
        assert path.stat().st_mtime > 1_000_000
    assert (path.stat().st_ino, list(folder.iterdir())) == (number, [path])


def test_many_workers_may_store_the_same_at_once(store, folder):
    async def all_at_once():
        return await asyncio.gather(*(asyncio.to_thread(store.put, CONTENT) for _ in range(8)))

    assert set(asyncio.run(all_at_once())) == {REFERENCE["digest"]}
    assert [path.suffixes for path in folder.iterdir()] == [[".json", ".z"]]
