"""Indexes that are damaged, of another version, or may not be written to."""

import random
import sqlite3

import pytest

from interlock_activities.retrieval.store import VERSION, DamagedIndexError, StoreError
from tests.activities.retrieval.conftest import index_file


@pytest.mark.parametrize("content", [b"", b"garbage", b"SQLite format 3\0" + b"x" * 5_000])
def test_a_damaged_index_is_built_anew(embedded, content):
    embedded.write("a.txt", "about apples")
    embedded.refresh()
    index_file(embedded).write_bytes(content)
    summary = embedded.refresh()
    assert summary.written == 1
    assert embedded.documents("apples") == ["a.txt"]


def test_whatever_is_damaged_in_an_index_is_an_answer_or_an_error_of_the_store(embedded):
    for number in range(30):
        embedded.write(f"{number}.txt", f"about apples and number {number}. " * 20)
    embedded.refresh()
    whole = index_file(embedded).read_bytes()
    drawn = random.Random(1)
    noticed = 0
    for _ in range(150):
        spoilt = bytearray(whole)
        start = drawn.randrange(len(spoilt))
        spoilt[start : start + 200] = drawn.randbytes(len(spoilt[start : start + 200]))
        index_file(embedded).write_bytes(bytes(spoilt))
        try:
            embedded.search("apples number 7")
        except StoreError:
            noticed += 1
    assert noticed > 5


def test_an_index_of_another_version_is_no_index(embedded):
    embedded.write("a.txt", "about apples")
    embedded.refresh()
    with sqlite3.connect(index_file(embedded)) as connection:
        connection.execute(f"PRAGMA user_version = {VERSION - 1}")
    connection.close()
    assert embedded.refresh().written == 1
    assert embedded.documents("apples") == ["a.txt"]


def test_a_rebuilt_index_takes_the_place_of_those_of_other_versions(embedded):
    embedded.write("a.txt", "about apples")
    embedded.refresh()
    new = index_file(embedded)
    old = new.with_name(new.name.replace(f".v{VERSION}.", ".v1."))
    old.write_bytes(b"old")
    embedded.refresh()
    assert old.exists(), "workers of the old version may still read it"
    embedded.refresh(anew=True)
    assert (old.exists(), new.exists()) == (False, True)


def test_a_folder_that_cannot_be_written_to_is_told(embedded, tmp_path):
    (tmp_path / "index").write_text("a file where the folder should be")
    embedded.write("a.txt", "about apples")
    with pytest.raises(StoreError, match=r"the index cannot be (read|written)"):
        embedded.refresh()


def test_an_index_that_may_only_be_read_is_read(embedded, tmp_path):
    embedded.write("a.txt", "about apples")
    embedded.refresh()
    index_file(embedded).chmod(0o444)
    (tmp_path / "index").chmod(0o555)
    try:
        assert embedded.documents("apples") == ["a.txt"]
    finally:
        (tmp_path / "index").chmod(0o755)


def test_damage_is_told_apart_from_a_store_that_cannot_be_used(embedded):
    embedded.write("a.txt", "about apples")
    embedded.refresh()
    index_file(embedded).write_bytes(b"garbage")
    with pytest.raises(DamagedIndexError):
        embedded.search("apples")
