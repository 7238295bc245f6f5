"""What `check` remembers: nothing is checked again that has not changed, and everything that has."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from interlock.cli import checking
from interlock.cli.checking import WORTH_A_POOL
from interlock.cli.marks import Marks, engine_mark
from interlock.cli.remembered import FILE
from interlock.cli.unchanged import told as told_at_once

LIBRARY = """
apiVersion: interlock/v1
kind: Library
name: words
vocabularies:
  greetings: {csv: words.txt}
intents:
  greeting: {keywords: [hello]}
"""
AGENT = """
apiVersion: interlock/v1
kind: Agent
name: user
uses: [shared/words]
routes:
  - {id: greeting, when: intents.greeting, flow: help}
  - flow: help
flows:
  help:
    - reply: Hello
"""
SINGLE = """
apiVersion: interlock/v1
kind: Agent
name: agent-{number}
routes:
  - flow: {flow}
flows:
  help:
    - reply: Hello
"""


@pytest.fixture
def checked(monkeypatch):
    """The names of the bundles that were really checked."""
    seen = []
    real = checking.findings

    def findings(folder):
        seen.append(Path(folder).name)
        return real(folder)

    monkeypatch.setattr(checking, "findings", findings)
    return seen


def test_what_has_not_changed_is_not_checked_again(desk, checked):
    first = desk.run("check")
    again = desk.run("check")
    assert checked == ["desk"]
    assert (again.exit_code, again.output) == (first.exit_code, first.output)


def test_findings_are_remembered_to_the_letter(place, checked):
    place.write(wrong__agent=SINGLE.format(number=1, flow="hlep"), fine__agent=SINGLE.format(number=2, flow="help"))
    first = place.run("check", "--format", "json")
    again = place.run("check", "--format", "json")
    assert sorted(checked) == ["fine", "wrong"]
    assert (again.exit_code, again.output) == (1, first.output)
    assert "hlep" in again.output


def test_a_changed_bundle_alone_is_checked_again(place, checked):
    place.write(a__agent=SINGLE.format(number=1, flow="help"), b__agent=SINGLE.format(number=2, flow="help"))
    place.run("check")
    place.write(b__agent=SINGLE.format(number=2, flow="hlep"))
    assert place.run("check").exit_code == 1
    assert checked == ["a", "b", "b"]


def test_without_the_cache_everything_is_checked(desk, checked):
    desk.run("check", "--no-cache")
    assert not FILE.exists()
    desk.run("check")
    desk.run("check", "--no-cache")
    assert checked == ["desk"] * 3


def test_a_change_in_a_bundle_that_is_used_counts(place, checked):
    place.write(shared__words=LIBRARY, mine__agent=AGENT).file("specs/shared/words.txt", "word\nhello\n")
    assert place.run("check", "specs/mine").exit_code == 0
    place.write(shared__words=LIBRARY.replace("greeting:", "parting:"))
    assert "'greeting'" in place.run("check", "specs/mine").output
    assert checked == ["mine", "mine"]


def test_a_bundle_that_is_used_and_only_now_there_counts(place, checked):
    place.write(mine__agent=AGENT)
    assert "unknown-bundle" in place.run("check", "specs/mine").output
    place.write(shared__words=LIBRARY).file("specs/shared/words.txt", "word\nhello\n")
    assert place.run("check", "specs/mine").exit_code == 0
    assert checked == ["mine", "mine"]


def mark(place, change):
    """The fingerprints of the bundle `desk` before and after a change."""
    folder = place.folder / "specs" / "desk"
    before = Marks().of(folder)
    assert Marks().of(folder) == before
    change(folder)
    return before, Marks().of(folder)


def renamed(folder):
    (folder / "agent.yaml").rename(folder / "other.yaml")


def capital_ending(folder):
    (folder / "MORE.YAML").write_text("a: 1")


def sheet_of_any_name(folder):
    (folder / "words.txt").write_text("phrase")


def linked_folder(folder):
    (folder / "link").symlink_to(folder.parent)


def folder_made(folder):
    (folder / "sub").mkdir()


def emptied(folder):
    (folder / "agent.yaml").write_text("")


def now_a_link(folder):
    (folder / "agent.yaml").rename(folder.parent / "agent.yaml")
    (folder / "agent.yaml").symlink_to(folder.parent / "agent.yaml")


@pytest.mark.parametrize(
    "change", [renamed, capital_ending, sheet_of_any_name, linked_folder, folder_made, emptied, now_a_link]
)
def test_every_change_that_a_finding_may_depend_on_changes_the_mark(desk, change):
    before, after = mark(desk, change)
    assert before != after


def test_touching_a_spec_or_making_a_cache_changes_nothing(desk):
    def touched(folder):
        os.utime(folder / "agent.yaml", (1, 1))
        (folder / ".interlock").mkdir()
        (folder / ".git").mkdir()

    before, after = mark(desk, touched)
    assert before == after


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_that_becomes_unreadable_changes_the_mark(desk):
    before, after = mark(desk, lambda folder: (folder / "agent.yaml").chmod(0))
    assert before != after


def test_another_engine_checks_everything_again(desk, checked, monkeypatch):
    desk.run("check")
    monkeypatch.setattr(checking, "engine_mark", lambda: "another")
    desk.run("check")
    desk.run("check")
    assert checked == ["desk", "desk"]


def test_the_engine_is_its_code_its_version_and_what_is_installed(tmp_path, monkeypatch):
    stamp = engine_mark()
    assert engine_mark() == stamp
    monkeypatch.setattr("interlock.__version__", "another")
    assert engine_mark() != stamp
    monkeypatch.undo()
    package = tmp_path / "interlock"
    package.mkdir()
    monkeypatch.setattr("interlock.__file__", str(package / "__init__.py"))
    empty = engine_mark()
    (package / "module.py").write_text("")
    assert engine_mark() != empty
    monkeypatch.undo()
    (tmp_path / "site-packages").mkdir()
    monkeypatch.syspath_prepend(tmp_path / "site-packages")
    assert engine_mark() != stamp


@pytest.mark.parametrize(
    "content",
    [b"", b"\xff", b"[]", b"{}", b"7", b'{"engine": 1}', b"[" * 100_000, b'{"engine": "X", "bundles": []}'],
)
def test_a_cache_that_cannot_be_read_counts_as_none(desk, checked, content):
    FILE.parent.mkdir(parents=True)
    FILE.write_bytes(content.replace(b"X", engine_mark().encode()))
    assert desk.run("check").exit_code == 0
    desk.run("check")
    assert checked == ["desk"]


@pytest.mark.parametrize(
    "entry", [None, 7, {}, {"mark": 1}, {"mark": "M", "findings": [{}]}, {"mark": "M", "findings": 1}]
)
def test_an_entry_that_cannot_be_read_counts_as_none(desk, checked, entry):
    desk.run("check")
    kept = json.loads(FILE.read_text())
    mark = kept["bundles"]["specs/desk"]["mark"]
    if isinstance(entry, dict) and entry.get("mark") == "M":
        entry = {**entry, "mark": mark}
    FILE.write_text(json.dumps({**kept, "bundles": {"specs/desk": entry}}))
    assert desk.run("check").exit_code == 0
    assert checked == ["desk", "desk"]


def test_a_folder_that_cannot_be_written_to_costs_time_only(desk, checked):
    desk.file(".interlock", "a file where the folder should be")
    assert desk.run("check").exit_code == 0
    assert desk.run("check").exit_code == 0
    assert checked == ["desk", "desk"]


def test_what_is_gone_is_forgotten(place):
    place.write(a__agent=SINGLE.format(number=1, flow="help"), b__agent=SINGLE.format(number=2, flow="help"))
    place.run("check")
    (place.folder / "specs" / "a" / "agent.yaml").unlink()
    (place.folder / "specs" / "a").rmdir()
    place.write(b__agent=SINGLE.format(number=3, flow="help"))
    place.run("check")
    assert list(json.loads(FILE.read_text())["bundles"]) == ["specs/b"]
    assert [path.name for path in FILE.parent.iterdir()] == [FILE.name]


def test_many_changed_bundles_are_shared_between_processes(place):
    for number in range(WORTH_A_POOL):
        flow = "hlep" if number == 7 else "help"
        place.file(f"specs/b{number}/agent.yaml", SINGLE.format(number=number, flow=flow))
    done = place.run("check")
    assert done.exit_code == 1
    assert done.output.startswith("specs/b7/agent.yaml:6:11: error[unknown-target]")
    assert done.output.endswith(f"1 error in {WORTH_A_POOL} bundles\n")
    assert place.run("check").output == done.output


def test_what_has_not_changed_is_told_before_click_is_loaded(tmp_path):
    specs = tmp_path / "specs"
    specs.mkdir()
    (specs / "a.yaml").write_text("apiVersion: interlock/v1\nkind: Library\nname: a\nconfig: {x: 1}\n")
    checks = "import sys, atexit\nfrom interlock.cli import main\natexit.register(lambda: print('click' in sys.modules))\nmain()"

    def checked(*arguments):
        command = [sys.executable, "-c", checks, "check", *arguments]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout

    assert checked() == (0, "1 bundle: no findings\nTrue\n")
    assert checked() == (0, "1 bundle: no findings\nFalse\n")
    assert checked("specs") == (0, "1 bundle: no findings\nFalse\n")
    assert checked("specs", "--strict") == (0, "1 bundle: no findings\nTrue\n")
    assert checked("nowhere")[0] == 2
    (specs / "a.yaml").write_text("apiVersion: interlock/v1\nkind: Library\nname: a\nconfg: {x: 1}\n")
    assert checked()[0] == 1
    assert checked()[0] == 1


def test_two_specs_of_one_name_are_told_at_both_places_whatever_is_remembered(place):
    place.write(a__agent=SINGLE.format(number=1, flow="help"), b__agent=SINGLE.format(number=1, flow="help"))
    assert [place.run("check", f"specs/{name}").exit_code for name in "ab"] == [0, 0]
    assert told_at_once(["specs/a"])
    assert not told_at_once(["specs"])
    for options in ([], [], ["--no-cache"]):
        told = place.run("check", *options)
        assert told.exit_code == 1
        assert "specs/b/agent.yaml:4:7: error[duplicate-spec]: two specs are called 'agent-1'" in told.output
        assert "specs/a/agent.yaml:4:7: the other one" in told.output
    place.write(b__agent=SINGLE.format(number=2, flow="help"))
    assert place.run("check").exit_code == 0


def test_libraries_of_one_name_in_two_bundles_are_none_of_each_others_business(place):
    place.write(a__words=LIBRARY, b__words=LIBRARY)
    for name in "ab":
        place.file(f"specs/{name}/words.txt", "word\nhello\n")
    assert "duplicate-spec" not in place.run("check").output
