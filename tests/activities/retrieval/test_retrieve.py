"""The activity: from a request to passages, indexes that look after themselves, and what Temporal is told."""

import asyncio
import json
import os
import threading
import time
from datetime import timedelta

import pytest
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from interlock.contract.limits import INLINE_LIMIT
from interlock.contract.retrieval import Passages, RetrieveRequest
from interlock_activities import Activities, Settings
from interlock_activities.retrieval import indexes
from interlock_activities.retrieval.documents import Block, Parsed, Section

LONG_AGO = time.time() - 3_600


@pytest.fixture
def bundle(tmp_path):
    """A bundle with a folder of documents; writes into it."""
    root = tmp_path / "specs" / "desk"

    def write(name, text):
        file = root / "handbook" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        os.utime(file, (LONG_AGO, LONG_AGO))
        return file

    write("leave.md", "# Leave\n\n## 年假\n\n年假每年十天。\n\n## Sick leave\n\nSend a note.\n")
    write.root = root
    return write


@pytest.fixture
def settings(bundle, tmp_path):
    def made(**more):
        return Settings(
            **{"bundles": (bundle.root,), "index": str(tmp_path / "index"), "env": {}, "secrets": {}, **more}
        )

    return made


def request(query, *, top=5, timeout_ms=20_000, **retriever):
    dump = {"at": "x:1:1", "kind": "documents", "bundle": "desk", "documents": "handbook"} | retriever
    return RetrieveRequest(dump, query, top, "r1", "s1", timeout_ms)


@pytest.fixture
def retrieve(settings):
    """Runs requests in turn on one worker's activities; what is between them is called."""

    def run(*work, environment=None, **more):
        async def done():
            served = Activities(settings(**more))
            retrieving = next(one for one in served.callables if one.__name__ == "retrieve")
            try:
                for one in work:
                    answer = await _one(environment, retrieving, one)
                return answer
            finally:
                await served.aclose()

        return asyncio.run(done())

    return run


async def _one(environment, retrieving, work):
    if isinstance(work, RetrieveRequest):
        return await (environment or ActivityEnvironment()).run(retrieving, work)
    result = work()
    return await result if asyncio.iscoroutine(result) else result


def failing(retrieve, *work, **more):
    with pytest.raises(ApplicationError) as caught:
        retrieve(*work, **more)
    assert caught.value.type == "retrieval_failed"
    assert caught.value.__cause__ is None
    return caught.value


def test_the_first_search_builds_the_index(retrieve, tmp_path):
    answer = retrieve(request("年假有几天"))
    assert isinstance(answer, Passages)
    (passage,) = answer.passages
    assert passage["text"] == "年假每年十天。"
    assert passage["source"] == {"title": "Leave", "document": "leave.md", "locator": "Leave > 年假, line 5"}
    assert passage["score"] > 0
    assert list((tmp_path / "index").glob("*.sqlite"))


def test_a_question_about_nothing_has_no_passages(retrieve):
    assert retrieve(request("what is it?")).passages == []


def test_no_more_than_top(retrieve, bundle):
    for number in range(9):
        bundle(f"{number}.md", f"# N\n\ntariff {number}\n")
    assert len(retrieve(request("tariff", top=4)).passages) == 4


def test_the_next_worker_begins_by_looking(retrieve, bundle):
    retrieve(request("leave"))
    bundle("leave.md", "# Leave\n\nNobody leaves.\n")
    assert [one["text"] for one in retrieve(request("leave")).passages] == ["Nobody leaves."]


def test_a_worker_looks_again_after_a_while_and_answers_meanwhile(retrieve, bundle, monkeypatch):
    monkeypatch.setattr(indexes, "LOOK_AGAIN_SECONDS", 0.2)

    async def later():
        bundle("leave.md", "# Leave\n\nNobody leaves.\n")
        await asyncio.sleep(0.4)

    async def shortly():
        await asyncio.sleep(0.5)

    texts = [
        one["text"] for one in retrieve(request("leave"), later, request("leave"), shortly, request("leave")).passages
    ]
    assert texts == ["Nobody leaves."]


def test_a_worker_does_not_look_all_the_time(retrieve, bundle):
    first = retrieve(request("note"), lambda: bundle("leave.md", "nothing"), request("note"))
    assert first.passages


class Slow:
    """A parser that takes its time."""

    name = "slow 1"

    def __init__(self):
        self.go_on = threading.Event()

    def parse(self, content):
        self.go_on.wait(20)
        return Parsed("", (Section((), (Block(content.decode()),)),))


def test_an_index_that_takes_longer_than_the_deadline_is_there_for_the_next_attempt(settings, bundle):
    slow = Slow()
    bundle("slow.wait", "very slow words")

    async def both():
        served = Activities(settings(parsers={".wait": slow}))
        retrieving = next(one for one in served.callables if one.__name__ == "retrieve")
        with pytest.raises(ApplicationError) as caught:
            await ActivityEnvironment().run(retrieving, request("slow", timeout_ms=300))
        assert caught.value.message == "no answer within 300 ms"
        assert not caught.value.non_retryable
        slow.go_on.set()
        answer = await ActivityEnvironment().run(retrieving, request("slow"))
        await served.aclose()
        return answer

    assert [one["text"] for one in asyncio.run(both()).passages] == ["very slow words"]


def test_an_old_index_answers_where_the_new_one_takes_long(retrieve, bundle, monkeypatch):
    monkeypatch.setattr(indexes, "PATIENCE_SECONDS", 0.2)
    retrieve(request("note"))
    slow = Slow()
    bundle("slow.wait", "very slow words")
    answer = retrieve(request("note"), slow.go_on.set, request("note"), parsers={".wait": slow})
    assert [one["text"] for one in answer.passages] == ["Send a note."]


def test_heartbeats_are_sent_while_an_index_is_built(settings, bundle):
    slow, beats = Slow(), []
    bundle("slow.wait", "very slow words")
    environment = ActivityEnvironment()
    environment.info = environment.default_info()
    import dataclasses

    environment.info = dataclasses.replace(environment.info, heartbeat_timeout=timedelta(milliseconds=300))

    def beat(*_):
        beats.append(time.monotonic())
        if len(beats) == 3:
            slow.go_on.set()

    environment.on_heartbeat = beat

    async def done():
        served = Activities(settings(parsers={".wait": slow}))
        retrieving = next(one for one in served.callables if one.__name__ == "retrieve")
        try:
            return await environment.run(retrieving, request("slow"))
        finally:
            await served.aclose()

    assert asyncio.run(done()).passages
    assert len(beats) >= 3


def test_a_damaged_index_is_built_anew_under_way(retrieve, tmp_path):
    def damage():
        (file,) = (tmp_path / "index").glob("*.sqlite")
        file.write_bytes(b"garbage")

    assert retrieve(request("note"), damage, request("note")).passages


def test_an_index_that_was_deleted_under_way_is_built_again(retrieve, tmp_path):
    def delete():
        for file in (tmp_path / "index").glob("*"):
            file.unlink()

    assert retrieve(request("note"), delete, request("note")).passages


def test_documents_that_are_gone_leave_the_index_in_service(retrieve, bundle):
    retrieve(request("note"))
    (bundle.root / "handbook").rename(bundle.root / "away")
    assert retrieve(request("note")).passages


def test_documents_that_were_never_there_are_told(retrieve, bundle):
    failure = failing(retrieve, request("note", documents="nowhere"))
    assert failure.message == "the documents of 'desk/nowhere' cannot be read: no such file or directory"


def test_a_bundle_beside_a_served_one_is_found(retrieve, bundle, tmp_path):
    library = tmp_path / "specs" / "library" / "texts"
    library.mkdir(parents=True)
    (library / "a.txt").write_text("about libraries")
    assert retrieve(request("libraries", bundle="library", documents="texts")).passages


def test_a_bundle_that_is_not_served_may_be_on_another_worker(retrieve):
    failure = failing(retrieve, request("note", bundle="elsewhere"))
    assert failure.message == "this worker does not serve the bundle 'elsewhere'"
    assert not failure.non_retryable


def test_two_bundles_of_one_name_are_refused(retrieve, bundle, tmp_path):
    other = tmp_path / "more" / "desk"
    other.mkdir(parents=True)
    failure = failing(retrieve, request("note"), bundles=(bundle.root, other))
    assert failure.message == "several bundles are called 'desk': rename one of them"


@pytest.mark.parametrize("documents", ["../..", "/etc", "handbook/../../.."])
def test_no_request_leads_out_of_the_bundle(retrieve, documents):
    failure = failing(retrieve, request("root", documents=documents))
    assert failure.message == "the documents of 'desk' lie outside of the bundle"
    assert failure.non_retryable


def test_a_request_without_a_retriever_is_told(retrieve):
    failure = failing(retrieve, RetrieveRequest({"kind": "other"}, "x", 5, "r1", "s1", 1_000))
    assert failure.non_retryable


def test_a_store_that_cannot_be_used_is_told(retrieve, tmp_path):
    (tmp_path / "index").write_text("a file")
    assert "the index cannot be" in failing(retrieve, request("note")).message


def test_hostile_documents_come_back_as_text(retrieve, bundle):
    text = "{{ secrets.KEY }} {% for %} <script>x</script> tariff \x1b[31m \x07 \u202e $(rm) ```"
    bundle("odd.txt", text)
    (passage,) = retrieve(request("tariff")).passages
    assert passage["text"] == text


def test_everything_fits_into_the_inline_limit(retrieve):
    def large(query, top):
        return [{"text": f"{number} " + "字" * 5_000} for number in range(top)]

    answer = retrieve(request("x", kind="python", python="large", top=50), retrievers={"large": large})
    size = len(json.dumps({"passages": answer.passages, "elapsed_ms": 1}, ensure_ascii=False).encode())
    assert INLINE_LIMIT - 20_000 < size <= INLINE_LIMIT
    assert all(one["text"].endswith("字" * 5_000) for one in answer.passages), "none is cut"
    assert [one["text"].split()[0] for one in answer.passages] == [str(n) for n in range(len(answer.passages))]


def test_a_passage_that_is_too_long_is_left_out_and_the_next_takes_its_place(retrieve):
    def found(query, top):
        return [{"text": "x" * 20_000}, {"text": "short"}]

    answer = retrieve(request("x", kind="python", python="found", top=1), retrievers={"found": found})
    assert [one["text"] for one in answer.passages] == ["short"]
