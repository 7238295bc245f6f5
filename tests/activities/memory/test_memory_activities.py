"""The activities over a store, and the store that a setting names: bounded answers, failures that hold no words."""

import asyncio

import pytest
import structlog
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from interlock.contract.memory import MEMORY_FAILED, Memories, MemoryEntry, MemoryQuestion, Person
from interlock_activities.memory.opening import opened
from interlock_activities.memory.remember import Remembering
from interlock_activities.memory.sqlite_store import SqliteMemory
from interlock_activities.memory.store import MemoryStoreError
from interlock_activities.settings import Settings, settings_from

ANN = Person("desk", "user.id", "ann")


def entry(number, said="hello", found=()):
    return MemoryEntry(
        ANN, id=f"run/{number}", at_ms=number, said=said, answered="Hello!", found=list(found), chars=400, results=3
    )


def run(store, *requests):
    async def done():
        remembering = Remembering(store)
        answers = []
        for one in requests:
            activity = remembering.read if isinstance(one, MemoryQuestion) else remembering.write
            answers.append(await ActivityEnvironment().run(activity, one))
        await remembering.aclose()
        return answers

    return asyncio.run(done())


def test_what_is_written_is_read_within_the_bounds_of_the_question(tmp_path):
    store = SqliteMemory(tmp_path / "memory.db")
    found = [{"tool": "find", "result": number} for number in range(3)]
    _, _, answer = run(store, entry(1, found=found), entry(2, "again"), MemoryQuestion(ANN, chars=15, results=2))
    assert answer == Memories(
        [{"at_ms": 2, "said": "again", "answered": "Hello!"}],
        [{"at_ms": 1, "tool": "find", "result": 1}, {"at_ms": 1, "tool": "find", "result": 2}],
    )


def test_a_failure_says_why_and_nothing_of_what_was_said(tmp_path):
    (tmp_path / "memory.db").write_bytes(b"no database" * 100)
    store = SqliteMemory(tmp_path / "memory.db")
    for request in (entry(1, "a planted sentence"), MemoryQuestion(ANN, chars=15, results=2)):
        with structlog.testing.capture_logs() as logs, pytest.raises(ApplicationError) as caught:
            run(store, request)
        assert (caught.value.type, caught.value.non_retryable) == (MEMORY_FAILED, True)
        assert caught.value.message == "the memory cannot be used: file is not a database"
        assert "planted" not in str(logs)
        assert "ann" not in [str(value) for log in logs for value in log.values()]


# -- which store ------------------------------------------------------------------------------------------------------


def test_a_file_by_default_and_by_its_path(tmp_path):
    assert settings_from({}, ()).memory == ".interlock/memory.db"
    assert settings_from({"INTERLOCK_MEMORY": ""}, ()).memory == ".interlock/memory.db"
    store = opened(settings_from({"INTERLOCK_MEMORY": str(tmp_path / "kept.db")}, ()))
    assert isinstance(store, SqliteMemory)
    assert not (tmp_path / "kept.db").exists()


def test_a_database_by_its_address(line):
    address = f"postgresql://shop:x@127.0.0.1:{line.port}/shop?sslmode=disable"
    settings = Settings(memory=address)
    assert type(opened(settings)).__name__ == "PostgresMemory"
    assert address not in repr(settings)


@pytest.mark.parametrize("wrong", ["postgresql://db.example/shop", "postgres://ann:secret@db.example", "postgresql://"])
def test_an_address_that_is_none_is_refused_without_being_repeated(wrong):
    with pytest.raises(MemoryStoreError) as caught:
        opened(Settings(memory=wrong))
    assert str(caught.value).startswith("INTERLOCK_MEMORY is not of the form postgresql://user:password@")
    assert "secret" not in str(caught.value)
