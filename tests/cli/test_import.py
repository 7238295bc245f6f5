"""`interlock import openapi`: where it writes, what it tells, how it ends."""

import json
from pathlib import Path

import pytest

DOCUMENT = Path(__file__).parents[1] / "importing" / "documents" / "people.yaml"
GOLDEN = DOCUMENT.with_suffix(".out").read_text(encoding="utf-8")


@pytest.fixture
def people(place):
    place.file("people.yaml", DOCUMENT.read_text(encoding="utf-8"))
    return place


def test_it_writes_to_the_terminal_and_says_what_is_to_do(people):
    for words in ((), ("--output", "-")):
        done = people.run("import", "openapi", "people.yaml", *words)
        assert (done.exit_code, done.stdout) == (0, GOLDEN)
        assert done.stderr == "4 tools, 19 arguments to give a source; 3 operations left out\n"


def test_it_writes_a_file_and_over_one_only_when_told(people):
    assert people.run("import", "openapi", "people.yaml", "--output", "specs.yaml").stdout == ""
    target = people.folder / "specs.yaml"
    assert target.read_text(encoding="utf-8") == GOLDEN
    target.write_text("mine", encoding="utf-8")
    done = people.run("import", "openapi", "people.yaml", "--output", "specs.yaml")
    assert (done.exit_code, target.read_text(encoding="utf-8")) == (1, "mine")
    assert "specs.yaml is there already. Name another file, or say --force." in done.stderr
    assert people.run("import", "openapi", "people.yaml", "--output", "specs.yaml", "--force").exit_code == 0
    assert target.read_text(encoding="utf-8") == GOLDEN


def test_names_are_as_told(people):
    done = people.run("import", "openapi", "people.yaml", "--name", "staff-desk", "--server", "hr")
    assert "\nname: staff-desk\n" in done.stdout
    assert '  hr:\n    http: "{{ env.HR_URL }}"\n    auth: {bearer: "{{ secrets.HR_TOKEN }}"}\n' in done.stdout


@pytest.mark.parametrize(
    ("only", "tools"),
    [
        (["getPersonByID"], ["get_person_by_id"]),
        (["get_*"], ["get_person_by_id"]),
        (["/people"], ["post_people"]),
        (["DELETE /people*", "none"], ["delete_people_person_id", "none_"]),
    ],
)
def test_some_operations_alone(people, only, tools):
    words = [word for pattern in only for word in ("--only", pattern)]
    done = people.run("import", "openapi", "people.yaml", *words)
    lines = done.stdout.splitlines()
    start = lines.index("tools:") + 1
    named = [line.strip()[:-1] for line in lines[start:] if line.startswith("  ") and line[2] not in " #"]
    assert named == tools


def test_a_pattern_that_nothing_fits_is_an_error(people):
    done = people.run("import", "openapi", "people.yaml", "--only", "/persons*", "--output", "x.yaml")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "error[nothing-to-import]: no operation fits '/persons*'" in done.stderr
    assert not (people.folder / "x.yaml").exists()


def test_mistakes_are_shown_with_their_line_and_nothing_is_written(place):
    document = {"openapi": "3.0.0", "paths": {"/a": {"$ref": "https://example.com/a.json"}}}
    place.file("a.json", json.dumps(document, indent=1))
    done = place.run("import", "openapi", "a.json", "--output", "a.yaml")
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr.startswith("a.json:5:4: error[outside-reference]: 'https://example.com/a.json' leads out")
    assert '\n     5 |    "$ref": "https://example.com/a.json"\n       |    ^\n' in done.stderr
    assert done.stderr.endswith("\n1 error: nothing was written\n")
    assert not (place.folder / "a.yaml").exists()


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["nowhere.yaml"], 1, "cannot read nowhere.yaml: No such file or directory."),
        (["."], 1, "cannot read .: Is a directory."),
        (["people.yaml", "--name", "Staff Desk"], 2, "the name of a Library is kebab-case"),
        (["people.yaml", "--server", "hr-1"], 2, "--server is snake_case"),
        (["people.yaml", "--output", "no/folder.yaml"], 1, "cannot write no/folder.yaml: No such file or directory."),
        ([], 2, "Missing argument 'FILE'"),
    ],
)
def test_wrong_usage_and_files(people, words, code, told):
    done = people.run("import", "openapi", *words)
    assert done.exit_code == code
    assert told in done.stderr


def test_other_formats_are_not_known(place):
    done = place.run("import", "wsdl", "x")
    assert done.exit_code == 2
    assert "No such command 'wsdl'" in done.stderr
