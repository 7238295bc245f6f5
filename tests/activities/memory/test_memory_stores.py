"""Stores of memories: each person's own, bounded, the same however often it is written, and gone when it is to be."""

import asyncio
import sqlite3
from dataclasses import replace

import pytest

from interlock_activities.memory.store import MemoryStoreError, Row, contents


def exchange(number, said="hello", answered="Hello!"):
    return Row("exchange", f"run/{number}", 0, 1_000 + number, {"said": said, "answered": answered})


def result(number, place=1):
    return Row("result", f"run/{number}", place, 1_000 + number, {"tool": "find", "result": {"state": f"S{number}"}})


def test_nothing_is_remembered_at_first(store, ann):
    assert store.read(ann) == []
    assert store.held("ann") == {}
    assert store.forget("ann") == {}


def test_what_is_added_is_read_oldest_first_and_exact(store, ann):
    said = "你好 \u2028 \U0001f600 'quoted' \"and\" \\ %s ? $1"
    rows = [exchange(2, said), result(2), result(2, 2)]
    store.add(ann, rows, 1_000, 10)
    store.add(ann, [exchange(1)], 1_000, 10)
    assert store.read(ann) == [exchange(1), *rows]
    assert contents(store.read(ann), "result")[0] == {"at_ms": 1_002, "tool": "find", "result": {"state": "S2"}}


def test_what_is_written_twice_is_there_once(store, ann):
    for _ in range(2):
        store.add(ann, [exchange(1), result(1)], 1_000, 10)
    store.add(ann, [exchange(1, "changed")], 1_000, 10)
    assert store.read(ann) == [exchange(1), result(1)]


@pytest.mark.parametrize("other", [{"agent": "till"}, {"by": "user.team"}, {"value": "Ann"}, {"tenant": "north"}])
def test_nobody_reads_what_is_another_s(store, ann, other):
    store.add(ann, [exchange(1)], 1_000, 10)
    assert store.read(replace(ann, **other)) == []


def test_what_is_beyond_the_bounds_goes(store, ann):
    for number in range(10):
        store.add(ann, [exchange(number), result(number)], 30, 2)
    rows = store.read(ann)
    assert [row.id for row in rows if row.kind == "exchange"] == ["run/7", "run/8", "run/9"][-(30 // 11) :]
    assert [row.id for row in rows if row.kind == "result"] == ["run/8", "run/9"]
    store.add(ann, [exchange(10)], 30, 0)
    assert [row.kind for row in store.read(ann)] == ["exchange", "exchange"]


def test_one_that_does_not_fit_at_all_leaves_nothing_older_either(store, ann):
    store.add(ann, [exchange(1)], 100, 1)
    store.add(ann, [exchange(2, "x" * 200)], 100, 1)
    assert store.read(ann) == []


def test_many_at_once_lose_nothing(store, ann):
    async def all_at_once():
        stores = [store.opening() for _ in range(4)]
        await asyncio.gather(
            *(stores[number % 4].add(ann, [exchange(number)], 10_000, 1) for number in range(20)),
        )
        for one in stores:
            await one.aclose()

    asyncio.run(all_at_once())
    assert [row.id for row in store.read(ann)] == [f"run/{number}" for number in range(20)]


# -- forgetting -------------------------------------------------------------------------------------------------------


def test_a_person_is_forgotten_everywhere_or_at_one_place(store, ann):
    people = [ann, replace(ann, agent="till"), replace(ann, tenant="north"), replace(ann, value="bob")]
    for person in people:
        store.add(person, [exchange(1), result(1)], 1_000, 10)
    assert store.held("ann") == dict.fromkeys(people[:3], 2)
    assert store.held("ann", "desk") == {people[0]: 2, people[2]: 2}
    assert store.forget("ann", "desk", "north") == {people[2]: 2}
    assert store.forget("ann", tenant="") == {people[0]: 2, people[1]: 2}
    assert store.held("ann") == {}
    assert store.read(people[3]) == [exchange(1), result(1)]


def test_a_value_is_a_value_whatever_it_holds(store, ann):
    odd = replace(ann, value="' OR 1=1 -- %")
    store.add(ann, [exchange(1)], 1_000, 1)
    store.add(odd, [exchange(1)], 1_000, 1)
    assert store.forget(odd.value) == {odd: 1}
    assert store.read(ann) == [exchange(1)]


def test_what_is_forgotten_is_no_longer_in_the_file(embedded, ann, tmp_path):
    embedded.add(ann, [exchange(1, "a planted sentence 5173")], 1_000, 1)
    file = tmp_path / "kept" / "memory.db"
    assert b"planted sentence 5173" in file.read_bytes()
    embedded.forget("ann")
    assert b"planted" not in file.read_bytes()
    assert sorted(one.name for one in file.parent.iterdir()) == ["memory.db"]


# -- what goes wrong --------------------------------------------------------------------------------------------------


def test_only_its_owner_can_read_the_file(embedded, ann, tmp_path):
    embedded.add(ann, [exchange(1)], 1_000, 1)
    assert (tmp_path / "kept" / "memory.db").stat().st_mode & 0o777 == 0o600


def test_reading_makes_no_file(embedded, ann, tmp_path):
    embedded.read(ann)
    assert not (tmp_path / "kept").exists()


@pytest.mark.parametrize("use", ["read", "add", "held", "forget"])
def test_a_file_that_is_none_of_ours_is_told_as_such(embedded, ann, tmp_path, use):
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "memory.db").write_bytes(b"no database at all" * 100)
    given = {"read": (ann,), "add": (ann, [exchange(1)], 100, 1)}.get(use, ("ann",))
    with pytest.raises(MemoryStoreError, match="the memory cannot be used: file is not a database"):
        getattr(embedded, use)(*given)


def test_a_place_where_no_file_can_be_is_told_as_such(tmp_path, embedded, ann):
    (tmp_path / "kept").write_text("a file")
    with pytest.raises(MemoryStoreError, match="the memory cannot be used"):
        embedded.add(ann, [exchange(1)], 100, 1)


def test_a_damaged_row_is_told_as_such(embedded, ann, tmp_path):
    embedded.add(ann, [exchange(1)], 1_000, 1)
    with sqlite3.connect(tmp_path / "kept" / "memory.db") as connection:
        connection.execute("UPDATE memory SET content = '{'")
    with pytest.raises(MemoryStoreError, match="a row is no JSON"):
        embedded.read(ann)


def test_a_locked_file_is_waited_for_only_so_long(embedded, ann, tmp_path):
    embedded.add(ann, [exchange(1)], 1_000, 1)
    with sqlite3.connect(tmp_path / "kept" / "memory.db", isolation_level=None) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(MemoryStoreError, match="locked"):
            embedded.add(ann, [exchange(2)], 1_000, 1)
        other.execute("ROLLBACK")
    assert embedded.read(ann) == [exchange(1)]


def test_a_database_that_is_away_is_told_as_such(served, ann, line):
    served.add(ann, [exchange(1)], 1_000, 1)
    line.cut = b"SELECT kind"
    with pytest.raises(MemoryStoreError, match="the memory cannot be"):
        served.read(ann)


def test_a_user_who_may_make_no_table_is_told_so(served, ann, database):
    administrator, _ = database
    administrator.execute("REVOKE CREATE ON DATABASE shop FROM shop")
    administrator.execute("ALTER DATABASE shop OWNER TO CURRENT_USER")
    try:
        with pytest.raises(MemoryStoreError, match="the memory cannot be used"):
            served.read(ann)
    finally:
        administrator.execute("ALTER DATABASE shop OWNER TO shop")
