"""`interlock index`: what it makes, what it says, and with which exit code."""

import pytest

LIBRARY = """
apiVersion: interlock/v1
kind: Library
name: knowledge
retrievers:
  handbook: {documents: handbook}
  again: {documents: ./handbook/, top: 3}
  wiki: {python: wiki}
"""


@pytest.fixture
def shelf(place):
    place.write(desk__knowledge=LIBRARY)
    place.file("specs/desk/handbook/leave.md", "# Leave\n\nTen days.\n")
    place.file("specs/desk/handbook/travel.txt", "By train.\n")
    return place


def told(done):
    """The output, without seconds."""
    import re

    return re.sub(r"\d+\.\d\d s", "N s", done.output)


def test_every_folder_is_indexed_once(shelf):
    done = shelf.run("index")
    assert (done.exit_code, told(done)) == (0, "desk/handbook: 2 files, 2 read, 2 passages made, in N s\n")


def test_only_what_has_changed_is_read(shelf):
    shelf.run("index")
    assert told(shelf.run("index", "specs/desk")) == "desk/handbook: 2 files, nothing has changed, in N s\n"
    shelf.file("specs/desk/handbook/new.md", "# New\n\none\n\n## B\n\ntwo\n")
    (shelf.folder / "specs/desk/handbook/travel.txt").unlink()
    assert told(shelf.run("index")) == "desk/handbook: 2 files, 1 read, 2 passages made, 1 removed, in N s\n"


def test_all_is_read_again_on_demand(shelf):
    shelf.run("index")
    assert told(shelf.run("index", "--rebuild")) == "desk/handbook: 2 files, 2 read, 2 passages made, in N s\n"


def test_what_is_left_out_is_named(shelf):
    for number in range(22):
        (shelf.folder / f"specs/desk/handbook/{number:02}.txt").write_bytes(b"\xff")
    (shelf.folder / "specs/desk/handbook/\x1b[31m.txt").write_bytes(b"\xff")
    done = shelf.run("index")
    assert done.exit_code == 0
    assert "  left out: 00.txt: it is not UTF-8 (byte 0): save it as UTF-8\n" in done.output
    assert done.output.endswith("  left out: 3 more files\n")
    assert "\x1b" not in done.output


def test_a_damaged_index_is_built_anew_with_a_warning(shelf):
    shelf.run("index")
    (file,) = (shelf.folder / ".interlock/index").glob("*.sqlite")
    file.write_bytes(b"garbage")
    done = shelf.run("index")
    assert done.exit_code == 0
    assert "desk/handbook: the index was damaged and has been built anew\n" in done.output
    assert "2 files, 2 read" in done.output


def test_without_documents_there_is_nothing_to_do(desk):
    done = desk.run("index")
    assert (done.exit_code, done.output) == (0, "no retriever has documents\n")


def test_specs_with_errors_are_not_indexed(shelf):
    shelf.write(
        desk__other="apiVersion: interlock/v1\nkind: Library\nname: other\nretrievers: {a: {documents: nowhere}}\n"
    )
    done = shelf.run("index")
    assert done.exit_code == 1
    assert "error[missing-file]" in done.output
    assert not (shelf.folder / ".interlock/index").exists()


def test_a_folder_that_is_not_there_is_wrong_usage(shelf):
    assert shelf.run("index", "spec").exit_code == 2


def test_an_index_that_cannot_be_made_is_told(shelf):
    shelf.file(".interlock/index", "a file")
    done = shelf.run("index")
    assert done.exit_code == 1
    assert "desk/handbook: the index cannot be" in done.output


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("postgresql://user@host/db", "INTERLOCK_INDEX is not of the form"),
        ("postgresql://user:hidden@127.0.0.1:1/db", "the index cannot be reached: no connection to 127.0.0.1:1"),
    ],
)
def test_a_store_that_is_not_there_is_told_without_its_password(shelf, address, says):
    pytest.importorskip("psycopg")
    shelf.environment["INTERLOCK_INDEX"] = address
    done = shelf.run("index")
    assert done.exit_code == 1
    assert says in done.output
    assert "hidden" not in done.output


def test_two_bundles_of_one_name_cannot_share_an_index(shelf):
    shelf.write(more__desk__knowledge=LIBRARY.replace("knowledge", "others"))
    shelf.file("specs/more/desk/handbook/a.txt", "text")
    done = shelf.run("index")
    assert done.exit_code == 1
    assert "two bundles are called 'desk'" in done.output
