"""Keeping an index up to date: what costs nothing, what is left out and why, and what happens meanwhile."""

import asyncio
import os
import random
import sqlite3
import subprocess
import sys
import threading

import pytest

from interlock_activities.retrieval import files
from interlock_activities.retrieval.documents import Block, NotReadableError, Parsed, Section
from interlock_activities.retrieval.ingestion import refresh
from interlock_activities.retrieval.parsers import Parsers
from interlock_activities.retrieval.store import VERSION, DamagedIndexError, StoreError

only_embedded = pytest.mark.parametrize("desk", ["sqlite"], indirect=True)


class Counting:
    """A parser that remembers what it has read, and may do something meanwhile."""

    def __init__(self, name="counting 1", meanwhile=lambda _: None):
        self.name = name
        self.read = []
        self.meanwhile = meanwhile

    def parse(self, content):
        self.read.append(content.decode())
        self.meanwhile(content.decode())
        return Parsed("", (Section((), (Block(content.decode()),)),))


@pytest.fixture
def counting(desk):
    parser = Counting()
    desk.parsers = Parsers({".note": parser})
    for name in ("one", "two", "three"):
        desk.write(f"{name}.note", f"about {name}")
    desk.refresh()
    assert len(parser.read) == 3
    parser.read.clear()
    return parser


def index_file(desk):
    return desk.opening().path(desk.index)


@only_embedded
def test_what_has_not_changed_is_neither_read_nor_written(desk, counting):
    before = index_file(desk).stat()
    for one in desk.folder.iterdir():
        one.chmod(0)
    summary = desk.refresh()
    after = index_file(desk).stat()
    assert (summary.files, summary.written, summary.passages, summary.skipped) == (3, 0, 0, [])
    assert counting.read == []
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


@only_embedded
def test_a_file_that_was_only_touched_is_not_parsed_again(desk, counting):
    desk.settle("one.note", ago=99)
    assert desk.refresh().written == 0
    assert counting.read == []


def test_only_what_has_changed_is_parsed(desk, counting):
    desk.write("two.note", "about zebras")
    desk.write("four.note", "about four")
    assert desk.refresh().written == 2
    assert sorted(counting.read) == ["about four", "about zebras"]
    assert desk.documents("zebras", 1) == ["two.note"]


def test_a_change_of_equal_size_within_one_tick_of_the_clock_is_seen(embedded):
    file = embedded.folder / "now.txt"
    file.write_text("about apples")
    embedded.refresh()
    before = file.stat()
    file.write_text("about grapes")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    embedded.refresh()
    assert embedded.documents("grapes") == ["now.txt"]


def test_another_version_of_a_parser_reads_its_files_again(desk, counting):
    desk.write("other.txt", "about other")
    desk.refresh()
    newer = Counting("counting 2")
    desk.parsers = Parsers({".note": newer})
    assert desk.refresh().written == 3
    assert len(newer.read) == 3


def test_a_renamed_file_is_found_under_its_new_name_only(desk, counting):
    (desk.folder / "one.note").rename(desk.folder / "uno.note")
    assert (desk.refresh().written, desk.documents("about one", 1)) == (1, ["uno.note"])


def test_files_in_folders_within_are_found_by_their_path(desk):
    desk.write("a/b/deep.txt", "very deep")
    desk.refresh()
    assert desk.documents("deep", 1) == ["a/b/deep.txt"]


def test_what_is_left_out_is_named_with_the_reason(embedded, tmp_path, monkeypatch):
    monkeypatch.setattr(files, "MOST_BYTES", 1_000)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.txt").write_text("a secret")
    embedded.write("good.md", "# Good\n\nfine")
    embedded.write("large.txt", "x" * 1_001)
    embedded.write("gbk.txt", "中文".encode("gbk"))
    embedded.write(".hidden.txt", "hidden")
    embedded.write(".git/config.txt", "hidden")
    embedded.write("picture.png", b"\x89PNG")
    (embedded.folder / "link.txt").symlink_to(outside / "secret.txt")
    (embedded.folder / "folder").symlink_to(outside)
    os.mkfifo(embedded.folder / "pipe.txt")
    (embedded.folder / os.fsdecode(b"\xff.txt")).write_text("no name")
    summary = embedded.refresh()
    assert summary.files == 1
    assert dict(summary.skipped) == {
        "large.txt": "1,001 bytes or more, 1,000 are allowed: divide it",
        "gbk.txt": "it is not UTF-8 (byte 0): save it as UTF-8",
        "link.txt": "a link is not followed: put the file itself into the folder",
        "folder": "a link is not followed: put the file itself into the folder",
        "pipe.txt": "it is not a regular file",
        "\ufffd.txt": "its name is not UTF-8: rename it",
    }
    assert embedded.search("secret hidden") == []


def test_too_many_files_are_told(embedded, monkeypatch):
    monkeypatch.setattr(files, "MOST_FILES", 2)
    for number in range(4):
        embedded.write(f"{number}.txt", f"about {number}")
    summary = embedded.refresh()
    assert summary.files == 2
    assert [path for path, _ in summary.skipped] == ["2.txt", "3.txt"]


def test_a_file_that_cannot_be_read_is_told_each_time_and_read_once(desk, counting):
    def refuse(_):
        raise NotReadableError("it is odd: mend it")

    counting.meanwhile = refuse
    desk.write("odd.note", "odd")
    for _ in range(3):
        assert desk.run(lambda store: refresh(store, desk.shelf)).skipped == [("odd.note", "it is odd: mend it")]
    counting.read.clear()

    async def thrice(store):
        return [await refresh(store, desk.shelf) for _ in range(3)]

    assert all(one.skipped == [("odd.note", "it is odd: mend it")] for one in desk.run(thrice))
    assert counting.read == []
    counting.meanwhile = lambda _: None
    desk.write("odd.note", "mended")
    assert desk.refresh().skipped == []
    assert desk.documents("mended", 1) == ["odd.note"]


def test_a_parser_that_raises_costs_its_file_only(desk, counting):
    counting.meanwhile = lambda text: 1 / 0 if "bad" in text else None
    desk.write("bad.note", "bad")
    desk.write("new.note", "about news")
    summary = desk.refresh()
    ((path, reason),) = summary.skipped
    assert path == "bad.note"
    assert reason.startswith("its parser raised ZeroDivisionError at ")
    assert desk.documents("news", 1) == ["new.note"]


@pytest.mark.parametrize("returned", [None, "text", Parsed(None, ()), Parsed("", (Section((1,), (Block("a"),)),))])
@only_embedded
def test_a_parser_that_returns_no_document_costs_its_file_only(desk, counting, returned):
    class Wrong:
        name = "wrong 1"

        def parse(self, content):
            return returned

    desk.parsers = Parsers({".note": counting, ".wrong": Wrong()})
    desk.write("a.wrong", "a")
    desk.write("new.note", "about news")
    ((path, reason),) = desk.refresh().skipped
    assert path == "a.wrong"
    assert reason.startswith("its parser raised ")
    assert desk.documents("news") == ["new.note"]


def test_whatever_text_a_parser_gives_can_be_stored(desk):
    class Odd:
        name = "odd 1"

        def parse(self, content):
            if content == b"refuse":
                raise NotReadableError("a\0b\ud800")
            return Parsed("a\0b\ud800" * 1_000, (Section(("x\0\ud800",), (Block("about \0apples\ud800"),)),))

    desk.parsers = Parsers({".odd": Odd()})
    desk.write("a.odd", "x")
    desk.write("b.odd", "refuse")
    assert desk.refresh().skipped == [("b.odd", "ab?")]
    (found,) = desk.search("apples")
    assert (found.text, found.locator) == ("about apples?", "x?")


def test_folders_too_deep_are_told(embedded):
    embedded.write("/".join(["a"] * 40 + ["deep.txt"]), "very deep")
    ((_, reason),) = embedded.refresh().skipped
    assert reason == "more than 32 folders within one another"


def test_a_parser_by_entry_point_reads_its_ending(embedded, installed):
    module = """
from interlock_activities.retrieval.documents import Block, Parsed, Section
class Upper:
    name = "upper 1"
    def parse(self, content):
        return Parsed("", (Section((), (Block(content.decode().upper()),)),))
"""
    installed("upper-parser", module, "up = upper_parser:Upper", "interlock.parsers")
    embedded.parsers = Parsers()
    embedded.write("a.UP", "words")
    embedded.refresh()
    assert embedded.texts("words") == ["WORDS"]


def test_a_parser_that_cannot_be_loaded_is_the_reason(embedded, installed):
    installed("broken-parser", "1 / 0", "up = broken_parser:Upper", "interlock.parsers")
    embedded.parsers = Parsers()
    embedded.write("a.up", "words")
    assert embedded.refresh().skipped == [("a.up", "entry point 'up' cannot be loaded: ZeroDivisionError")]


def test_files_deleted_and_changed_while_others_are_read(desk, counting):
    def meanwhile(text):
        if text == "about a":
            (desk.folder / "b.note").unlink()
            desk.write("c.note", "about cherries")

    for name in "abc":
        desk.write(f"{name}.note", f"about {name}")
    counting.meanwhile = meanwhile
    summary = desk.refresh()
    assert ("b.note", "it was removed meanwhile") in summary.skipped
    desk.refresh()
    assert desk.documents("cherries", 1) == ["c.note"]
    assert "b.note" not in desk.documents("b")


@only_embedded
def test_a_link_put_in_the_place_of_a_file_meanwhile_is_not_followed(desk, counting, tmp_path):
    desk.parsers = Parsers({".note": counting})
    (tmp_path / "secret").write_text("a secret")

    def meanwhile(text):
        if text == "about a":
            (desk.folder / "b.note").unlink()
            (desk.folder / "b.note").symlink_to(tmp_path / "secret")

    desk.write("a.note", "about a")
    desk.write("b.note", "about b")
    counting.meanwhile = meanwhile
    desk.refresh()
    assert desk.search("secret") == []


def test_a_folder_that_is_not_there_is_an_error_and_the_index_stays(desk, counting):
    desk.folder.rename(desk.folder.with_name("away"))
    with pytest.raises(FileNotFoundError):
        desk.refresh()
    assert desk.documents("about one", 1) == ["one.note"]


def test_readers_see_one_generation_or_the_next_never_both(desk):
    def write(generation):
        for number in range(12):
            desk.write(f"{number}.txt", f"number {number} of generation{generation} " + "and so on " * 40)
            desk.settle(f"{number}.txt", ago=generation)

    async def reading(store, over):
        seen = []
        while not over.is_set():
            found = await store.search(desk.index, "number generation", 12)
            seen.append({word for one in found for word in one.text.split() if word.startswith("generation")})
            assert len(found) == 12
            await asyncio.sleep(0)
        return seen

    async def both(store):
        over = asyncio.Event()
        other = desk.opening()
        readers = [asyncio.create_task(reading(other, over)) for _ in range(3)]
        for generation in range(1, 7):
            await asyncio.to_thread(write, generation)
            await refresh(store, desk.shelf)
        over.set()
        try:
            return [one for seen in await asyncio.gather(*readers) for one in seen]
        finally:
            await other.aclose()

    write(0)
    desk.refresh()
    seen = desk.run(both)
    assert all(len(generations) == 1 for generations in seen)
    assert len({next(iter(generations)) for generations in seen}) > 1, "the readers read while it was written"


def test_processes_that_refresh_at_once_do_the_work_once(embedded, tmp_path):
    for number in range(60):
        embedded.write(f"{number}.txt", f"about {number} " + "words " * 50)
    program = """
import asyncio, sys, pathlib
from interlock_activities.retrieval.ingestion import Shelf, refresh
from interlock_activities.retrieval.parsers import Parsers
from interlock_activities.retrieval.sqlite_store import SqliteStore
done = asyncio.run(refresh(SqliteStore(pathlib.Path(sys.argv[1])), Shelf("desk/documents", pathlib.Path(sys.argv[2]), Parsers())))
print(done.files, done.written)
"""
    command = [sys.executable, "-c", program, str(tmp_path / "index"), str(embedded.folder)]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    told = sorted(one.communicate(timeout=120)[0].split() for one in running)
    assert told == [["60", "0"], ["60", "0"], ["60", "60"]]
    assert embedded.documents("about 59 words", 1) == ["59.txt"]


def test_who_is_killed_while_writing_leaves_the_old_index_and_no_litter(embedded, tmp_path):
    embedded.write("a.txt", "about apples")
    embedded.refresh()
    program = """
import asyncio, os, signal, sys, pathlib
from interlock_activities.retrieval.chunks import Passage
from interlock_activities.retrieval.sqlite_store import SqliteStore
from interlock_activities.retrieval.store import Mark
async def main():
    async with SqliteStore(pathlib.Path(sys.argv[1])).changing("desk/documents") as change:
        await change.put(Mark("b.txt", "x", "x", "x"), "", [Passage("about bees", "", "")])
        os.kill(os.getpid(), signal.SIGKILL)
asyncio.run(main())
"""
    subprocess.run([sys.executable, "-c", program, str(tmp_path / "index")], check=False, timeout=60)
    assert list((tmp_path / "index").glob("*.new"))
    assert (embedded.documents("apples"), embedded.search("bees")) == (["a.txt"], [])
    embedded.write("c.txt", "about cats")
    embedded.refresh()
    assert embedded.documents("cats") == ["c.txt"]
    assert not list((tmp_path / "index").glob("*.new"))


@only_embedded
def test_who_is_cancelled_leaves_the_old_index(desk, counting):
    desk.parsers = Parsers({".note": counting})
    going, hold = threading.Event(), threading.Event()

    def meanwhile(_):
        going.set()
        hold.wait(10)

    desk.write("a.note", "about apples")
    counting.meanwhile = meanwhile

    async def cancelled(store):
        work = asyncio.create_task(refresh(store, desk.shelf))
        await asyncio.to_thread(going.wait, 10)
        work.cancel()
        hold.set()
        with pytest.raises(asyncio.CancelledError):
            await work

    desk.run(cancelled)
    counting.meanwhile = lambda _: None
    assert desk.search("apples") == []
    assert desk.refresh().written == 1
    assert desk.documents("apples") == ["a.note"]


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
