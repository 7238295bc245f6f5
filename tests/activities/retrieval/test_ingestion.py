"""Keeping an index up to date: what costs nothing, and what happens meanwhile."""

import asyncio
import os
import subprocess
import sys
import threading

import pytest

from interlock_activities.retrieval.ingestion import refresh
from interlock_activities.retrieval.parsers import Parsers
from tests.activities.retrieval.conftest import Counting, index_file, only_embedded


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
