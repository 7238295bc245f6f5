"""Forms of findings: carets under every script, escapes, and SARIF as its schema wants it."""

import json
import re
import unicodedata

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.cli.excerpts import WIDEST, excerpt, printable
from interlock.cli.formats import entry, github, restored, text
from interlock.cli.sarif import sarif
from interlock.diagnostics import Diagnostic, Location, Severity


def finding(message="wrong", file="a.yaml", line=1, column=1, **more):
    return Diagnostic("wrong-type", message, Location(file, line, column), **more)


def width(line):
    """Cells of a terminal that a line takes."""
    wide = sum(2 if unicodedata.east_asian_width(one) in "WF" else 1 for one in line)
    return wide - sum(unicodedata.category(one) in ("Mn", "Me", "Cf") for one in line)


# -- the caret --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "sign"),
    [("key: x", "x"), ("键: 值 x", "x"), ("ｆｕｌｌ: x", "x"), ("e\u0301te\u0301: x", "x"), ("a\u200bb: x", "x")],
)
def test_the_caret_stands_under_its_character_on_a_terminal(line, sign):
    column = line.index(sign)
    shown, blank = excerpt(Location("a.yaml", 1, column + 1), [line])
    assert shown == line
    assert width(blank) == width(line[:column])


def test_tabs_stay_tabs_so_that_the_caret_moves_with_them():
    assert excerpt(Location("a.yaml", 1, 5), ["\tk:\tx"]) == ("\tk:\tx", "\t  \t")


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=400), st.integers(1, 401))
def test_any_line_is_cut_to_a_width_that_fits_and_the_caret_stays_in_it(line, column):
    shown, blank = excerpt(Location("a.yaml", 1, column), [line])
    assert len(shown) <= WIDEST + 2
    assert shown.isprintable() or any(unicodedata.category(one)[0] in "CZ" for one in shown)
    if column <= len(line):
        assert len(blank) <= len(shown)


def test_of_a_long_line_the_part_around_the_place_is_shown():
    line = "x" * 500 + "HERE" + "y" * 500
    shown, blank = excerpt(Location("a.yaml", 1, 501), [line])
    assert shown[len(blank) :].startswith("HERE")
    assert (shown[0], shown[-1]) == ("…", "…")


def test_a_line_that_is_not_there_is_not_shown(tmp_path):
    shown = click.unstyle(text([finding(file=str(tmp_path / "gone.yaml"), line=3)]))
    assert shown == f"{tmp_path}/gone.yaml:3:1: error[wrong-type]: wrong"


def test_lines_are_counted_as_the_reader_of_yaml_counts_them(tmp_path):
    path = tmp_path / "a.yaml"
    path.write_bytes("a: \u2028 1\r\nb: 2\rc: 3\n".encode())
    assert "     3 | c: 3" in text([finding(file=str(path), line=3)])


def test_nothing_in_a_file_or_a_name_acts_on_the_terminal(tmp_path):
    path = tmp_path / "a.yaml"
    path.write_text("a: \x1b[31mred\u202e\n")
    shown = click.unstyle(text([finding("\x1b[2J", file=str(path), hint="\x07")]))
    assert "\x1b" not in shown
    assert "\x07" not in shown
    assert "\u202e" not in shown
    assert printable("plain 文字\t") == "plain 文字\t"


# -- formats for programs ---------------------------------------------------------------------------------------------

FINDINGS = st.builds(
    Diagnostic,
    st.just("wrong-type"),
    st.text(),
    st.builds(Location, st.text(), st.integers(1), st.integers(1)),
    st.sampled_from(Severity),
    st.text(),
    st.lists(st.tuples(st.builds(Location, st.text(), st.integers(1), st.integers(1)), st.text()), max_size=2).map(
        tuple
    ),
)


@given(FINDINGS)
def test_a_finding_comes_back_from_its_json(one):
    assert restored(json.loads(json.dumps(entry(one)))) == one


@given(FINDINGS)
def test_an_annotation_is_one_line_whatever_it_says(one):
    assert re.fullmatch(r"::(error|warning) file=[^:,\r\n]*,line=\d+,col=\d+,title=wrong-type::[^\r\n]*", github([one]))


def test_annotations_escape_what_github_would_read():
    one = finding("50% of a,b\nis: c", file="a,b:c.yaml", hint="x", also=((Location("d.yaml", 2, 3), "first"),))
    assert github([one]) == (
        "::error file=a%2Cb%3Ac.yaml,line=1,col=1,title=wrong-type::50%25 of a,b%0Ais: c%0Ad.yaml:2:3: first%0Ahint: x"
    )


def test_sarif_names_the_rule_the_place_and_the_other_place():
    other = (Location("b.yaml", 7, 2), "the other one")
    log = json.loads(
        sarif([finding("名字", file="specs/我的/a b.yaml", line=3, column=5, hint="rename", also=(other,))])
    )
    run = log["runs"][0]
    assert (log["version"], run["columnKind"]) == ("2.1.0", "unicodeCodePoints")
    [rule] = run["tool"]["driver"]["rules"]
    [result] = run["results"]
    assert rule["id"] == result["ruleId"] == "wrong-type"
    assert rule["shortDescription"]["text"]
    assert result["ruleIndex"] == 0
    assert result["level"] == "error"
    assert result["message"]["text"] == "名字 (rename)"
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "specs/%E6%88%91%E7%9A%84/a%20b.yaml"
    assert place["region"] == {"startLine": 3, "startColumn": 5}
    [related] = result["relatedLocations"]
    assert related["message"]["text"] == "the other one"
    assert related["physicalLocation"]["region"] == {"startLine": 7, "startColumn": 2}


def test_sarif_points_at_files_elsewhere_by_their_whole_address(tmp_path):
    log = json.loads(sarif([finding(file=str(tmp_path / "a.yaml"))]))
    uri = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri == (tmp_path / "a.yaml").as_uri()


def test_sarif_without_findings_is_a_log_of_a_run_without_results():
    run = json.loads(sarif([]))["runs"][0]
    assert run["results"] == run["tool"]["driver"]["rules"] == []
