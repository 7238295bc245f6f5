"""`interlock check`: what it finds, how it says so, and how it ends."""

import gc
import json
from pathlib import Path

import pytest

from interlock.cli.checking import findings

SPECS = Path(__file__).parents[2] / "specs"
NINE = Path(__file__).parents[1] / "compiler" / "err" / "nine_mistakes"
WRONG = """
apiVersion: interlock/v1
kind: Agent
name: wrong
routes:
  - flow: hlep
flows:
  help:
    - reply: Hello
"""
UNUSED = """
apiVersion: interlock/v1
kind: Agent
name: careless
intents:
  order: {keywords: [order]}
routes:
  - flow: help
flows:
  help:
    - reply: Hello
"""


def test_a_sound_bundle_has_no_findings(desk):
    done = desk.run("check")
    assert (done.exit_code, done.output) == (0, "1 bundle: no findings\n")


@pytest.mark.parametrize("folder", ["logistics-support", "payroll"])
def test_a_checked_bundle_leaves_nothing_for_the_collector(folder):
    findings(str(SPECS / folder))  # what it loads stays
    gc.collect()
    gc.disable()
    try:
        findings(str(SPECS / folder))
        assert gc.collect() == 0
    finally:
        gc.enable()


def test_nine_mistakes_are_found_in_one_run(place):
    done = place.run("check", NINE)
    assert done.exit_code == 1
    assert done.output.count(": error[") == 9
    assert done.output.endswith("\n9 errors in 1 bundle\n")


def test_an_error_stands_with_its_line_a_caret_and_the_remedy(place):
    done = place.write(wrong__agent=WRONG).run("check")
    assert done.output.splitlines() == [
        "specs/wrong/agent.yaml:6:11: error[unknown-target]: there is no flow 'hlep'",
        "     6 |   - flow: hlep",
        "       |           ^",
        "  hint: did you mean 'help'?",
        "",
        "1 error in 1 bundle",
    ]


def test_the_other_place_is_shown_with_its_line(place):
    place.write(twice__agent=WRONG.replace("hlep", "help").replace("flows:", "title: A\ntitle: B\nflows:"))
    lines = place.run("check").output.splitlines()
    assert lines[0].startswith("specs/twice/agent.yaml:8:1: error[duplicate-key]: ")
    assert lines[1:3] == ["     8 | title: B", "       | ^"]
    assert lines[3].startswith("  specs/twice/agent.yaml:7:1: ")
    assert lines[4:6] == ["     7 | title: A", "       | ^"]


@pytest.mark.parametrize(("path", "code"), [("specs", 0), ("specs/careless", 0), ("specs/careless/agent.yaml", 0)])
def test_warnings_alone_are_no_failure(place, path, code):
    place.write(careless__agent=UNUSED)
    done = place.run("check", path)
    assert done.exit_code == code
    assert done.output.endswith("1 warning in 1 bundle\n")


def test_warnings_count_where_that_is_asked_for(place):
    place.write(careless__agent=UNUSED)
    assert place.run("check", "--strict").exit_code == 1
    assert place.run("check").exit_code == 0


def test_colours_are_for_terminals_only(place):
    place.write(wrong__agent=WRONG)
    assert "\x1b[" not in place.run("check").output
    assert "\x1b[31m\x1b[1merror[unknown-target]" in place.run("check", colour=True).output


def test_who_wants_no_colours_gets_none(place, monkeypatch):
    place.write(wrong__agent=WRONG)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in place.run("check", colour=True).output


def test_files_are_named_as_people_type_them(place, monkeypatch):
    place.write(wrong__agent=WRONG, other__agent=WRONG)
    assert place.run("check", place.folder / "specs" / "wrong").output.startswith("specs/wrong/agent.yaml:6:11: ")
    monkeypatch.chdir(place.folder / "specs" / "wrong")
    assert place.run("check", ".").output.startswith("agent.yaml:6:11: ")
    assert place.run("check", "../other").output.startswith("../other/agent.yaml:6:11: ")


# -- paths that lead to nothing ---------------------------------------------------------------------------------------


def test_without_a_specs_folder_it_says_where_to_run(place):
    done = place.run("check")
    assert done.exit_code == 2
    assert "Error: specs does not exist. Run this where your `specs` folder is, or name a path." in done.output


def test_a_path_that_is_not_there_gets_a_near_one(desk):
    done = desk.run("check", "specs/dsek")
    assert done.exit_code == 2
    assert "Error: specs/dsek does not exist. Did you mean 'desk'?" in done.output


def test_an_empty_folder_is_an_error(place):
    (place.folder / "specs").mkdir()
    done = place.run("check")
    assert done.exit_code == 1
    assert done.output.startswith("specs:1:1: error[empty-bundle]: no YAML file in this folder\n")


def test_a_folder_without_yaml_is_an_error(place):
    place.file("specs/readme.txt", "nothing here")
    done = place.run("check", "specs")
    assert done.exit_code == 1
    assert "error[empty-bundle]" in done.output


def test_a_file_that_is_no_spec_is_an_error(place):
    place.file("notes.txt", "nothing here")
    done = place.run("check", "notes.txt")
    assert done.exit_code == 1
    assert done.output.startswith("notes.txt:1:1: error[not-a-spec]: ")


# -- formats ----------------------------------------------------------------------------------------------------------


def test_json_has_a_version_and_every_finding(place):
    place.write(wrong__agent=WRONG)
    done = place.run("check", "--format", "json")
    assert done.exit_code == 1
    assert json.loads(done.output) == {
        "version": 1,
        "diagnostics": [
            {
                "code": "unknown-target",
                "severity": "error",
                "message": "there is no flow 'hlep'",
                "hint": "did you mean 'help'?",
                "file": "specs/wrong/agent.yaml",
                "line": 6,
                "column": 11,
                "also": [],
            }
        ],
    }


def test_github_gets_one_annotation_a_finding(place):
    place.write(wrong__agent=WRONG)
    done = place.run("check", "--format", "github")
    assert done.output == (
        "::error file=specs/wrong/agent.yaml,line=6,col=11,title=unknown-target::"
        "there is no flow 'hlep'%0Ahint: did you mean 'help'?\n"
    )


@pytest.mark.parametrize(
    ("form", "nothing"), [("github", ""), ("json", '{\n  "version": 1,\n  "diagnostics": []\n}\n')]
)
def test_formats_for_programs_say_nothing_else(desk, form, nothing):
    done = desk.run("check", "--format", form)
    assert (done.exit_code, done.output) == (0, nothing)


def test_an_unknown_format_is_wrong_usage(desk):
    done = desk.run("check", "--format", "xml")
    assert done.exit_code == 2
    assert "'text', 'json', 'github', 'sarif'" in done.output


def test_a_mistake_in_a_sheet_of_another_bundle_is_told_as_that_bundles(place):
    library = "apiVersion: interlock/v1\nkind: Library\nname: words\nvocabularies:\n  towns: {csv: towns.csv}\n"
    place.write(shared__words=library, mine__agent=WRONG.replace("hlep", "help") + "uses: [shared/words]\n")
    place.file("specs/shared/towns.csv", "town\nHamburg\n")
    assert "specs/shared/towns.csv:1:1: error[missing-column]" in place.run("check", "specs/shared").output
    mine = place.run("check", "specs/mine").output
    assert "error[broken-library]: Library 'words' of bundle 'shared' has errors of its own" in mine
    assert "towns.csv" not in mine
