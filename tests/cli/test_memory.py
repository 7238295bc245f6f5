"""`interlock memory`: how much is remembered of a person, and that it is forgotten."""

import asyncio

import pytest

from interlock.contract.memory import Person
from interlock_activities.memory.sqlite_store import SqliteMemory
from interlock_activities.memory.store import Row


@pytest.fixture
def kept(place):
    """A memory of two people, with two agents and a tenant."""
    store = SqliteMemory(place.folder / ".interlock" / "memory.db")
    rows = [Row("exchange", "r/1", 0, 1, {"said": "a secret", "answered": "b"}), Row("result", "r/1", 1, 1, {})]
    for person in (
        Person("desk", "user.id", "ann"),
        Person("desk", "user.id", "ann", "north"),
        Person("till", "user.id", "ann"),
        Person("desk", "user.id", "b\x1bob"),
    ):
        asyncio.run(store.add(person, rows, 1_000, 5))
    return place


def test_how_much_is_remembered_is_shown_without_a_word_of_it(kept):
    done = kept.run("memory", "show", "ann")
    assert done.exit_code == 0
    assert done.output.splitlines() == [
        "desk, user.id ann: 2 rows remembered",
        "desk, user.id ann, tenant north: 2 rows remembered",
        "till, user.id ann: 2 rows remembered",
    ]


def test_a_person_is_forgotten_everywhere(kept):
    assert kept.run("memory", "forget", "ann").output.count("2 rows forgotten") == 3
    assert kept.run("memory", "show", "ann").output == "nothing is remembered\n"
    assert "\x1b" not in kept.run("memory", "show", "b\x1bob").output


@pytest.mark.parametrize(
    ("options", "left"), [(("--agent", "till"), 2), (("--tenant", "north"), 2), (("--tenant", ""), 1)]
)
def test_or_only_at_one_place(kept, options, left):
    assert kept.run("memory", "forget", "ann", *options).exit_code == 0
    assert kept.run("memory", "show", "ann").output.count("2 rows") == left


def test_another_store_is_named_by_the_setting(kept, monkeypatch):
    monkeypatch.setenv("INTERLOCK_MEMORY", "elsewhere.db")
    assert kept.run("memory", "show", "ann").output == "nothing is remembered\n"
    monkeypatch.setenv("INTERLOCK_MEMORY", "postgresql://db")
    done = kept.run("memory", "forget", "ann")
    assert done.exit_code == 1
    assert "INTERLOCK_MEMORY is not of the form" in done.output


def test_a_store_that_is_none_is_told_as_such(kept):
    kept.file(".interlock/memory.db", "no database" * 100)
    done = kept.run("memory", "forget", "ann")
    assert (done.exit_code, done.output) == (1, "Error: the memory cannot be used: file is not a database.\n")
