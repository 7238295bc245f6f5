"""Files that are left out of an index, and why: what cannot be read, and what parsers do wrong."""

import os

import pytest

from interlock_activities.retrieval import files
from interlock_activities.retrieval.documents import Block, NotReadableError, Parsed, Section
from interlock_activities.retrieval.ingestion import refresh
from interlock_activities.retrieval.parsers import Parsers
from tests.activities.retrieval.conftest import only_embedded


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
