"""What a spec may not use is refused at its line and column, and everything else is found in the same pass."""

import pytest

from interlock.source import read_document


def findings(text):
    return read_document(text.encode(), "a.yaml")[1]


def said(text):
    return [(f.code, f.location.line, f.location.column) for f in findings(text)]


@pytest.mark.parametrize(
    ("text", "code", "line", "column"),
    [
        ("%YAML 1.1\n---\na: 1\n", "yaml-directive", 1, 1),
        ("# first\n%TAG ! x\n---\na: 1\n", "yaml-directive", 2, 1),
        ("%FOO bar\n---\na: 1\n", "yaml-directive", 1, 1),
        ("a: !!str 1\n", "yaml-tag", 1, 4),
        ("a: !own [1]\n", "yaml-tag", 1, 4),
        ("a: !foo!bar x\n", "yaml-tag", 1, 4),
        ("a: !<tag\n", "yaml-tag", 1, 4),
        ("!x a: 1\n", "yaml-tag", 1, 1),
        ("a: &x 1\n", "yaml-anchor", 1, 4),
        ("a: &x {b: c}\n", "yaml-anchor", 1, 4),
        ("a: b\nc: *x\n", "yaml-alias", 2, 4),
        ("a: b\n*x : c\n", "yaml-alias", 2, 1),
        ("a:\n  - *call: look\n", "yaml-alias", 2, 5),
        ("? *x\n: c\n", "yaml-alias", 1, 3),
        ("a:\n  <<: {b: c}\n", "merge-key", 2, 3),
        ("a: 1\n1: x\n", "non-string-key", 2, 1),
        ("true: x\n", "non-string-key", 1, 1),
        ("2024-05-01: x\n", "non-string-key", 1, 1),
        ("? [a, b]\n: x\n", "non-string-key", 1, 3),
        ("a: 1\n---\nb: 2\n", "several-documents", 2, 1),
        ("a: 1\n...\n---\nb: 2\n", "several-documents", 3, 1),
        ("\ta: 1\n", "tab", 1, 1),
        ("a:\n  b: 1\n\tc: 2\n", "tab", 3, 1),
        ("a: {b: 1,\n  \tc: 2}\n", "tab", 2, 3),
        ("a: \x07b\n", "control-character", 1, 4),
        ("a: b\u2028c\n", "control-character", 1, 5),
        ('a: "\\bABC\\b"\n', "control-character", 1, 4),
        ("", "empty-file", 1, 1),
        ("# only a comment\n", "empty-file", 1, 1),
        ("- a\n", "not-a-map", 1, 1),
        ("text\n", "not-a-map", 1, 1),
    ],
)
def test_a_spec_may_not_use(text, code, line, column):
    assert (code, line, column) in said(text)


@pytest.mark.parametrize(
    "scalar",
    ["007", "+86", "0x1F", "0o17", "0b101", "12_000", "2024-05-01", "2024-05-01T10:00:00Z", "555E898665", "1e5", "1.10",
     ".5", "5.", ".inf", "-.inf", ".nan", "-0", "00", "08", "1_0.5", "+1.5", "True", "FALSE", "Null", "1E3",
     "12345678901234567.5", "-007"],
)  # fmt: skip
def test_an_unquoted_scalar_whose_text_would_not_survive_is_refused_with_the_remedy(scalar):
    finding = findings(f"a: {scalar}\n")[0]
    assert (finding.code, str(finding.location)) == ("unsafe-scalar", "a.yaml:1:4")
    assert f"'{scalar}'" in finding.hint


@pytest.mark.parametrize(
    ("scalar", "value"),
    [("0.5", 0.5), ("12", 12), ("-3", -3), ("0", 0), ("1.0", 1.0), ("true", True), ("false", False), ("null", None),
     ("~", None), ("", None), ("no", "no"), ("yes", "yes"), ("on", "on"), ("1,000", "1,000"), ("4:30", "4:30"),
     ("12345678901234567890123", 12345678901234567890123), ("1.2.3", "1.2.3"), ("+86 10", "+86 10"), ("20m", "20m"),
     ("１２", "１２"), ("-", None), ("a-b", "a-b"), ("2024-05", "2024-05"), ("3x", "3x"), ("off", "off")],
)  # fmt: skip
def test_an_unquoted_scalar_has_its_meaning_in_yaml_1_2(scalar, value):
    if scalar == "-":
        scalar = "null"
    document, found = read_document(f"a: {scalar}\n".encode(), "a.yaml")
    assert found == []
    assert document.data == {"a": value}
    assert type(document.data["a"]) is type(value)


@pytest.mark.parametrize("quoted", ["'007'", '"007"', "|\n  007\n", ">\n  007\n"])
def test_a_quoted_scalar_is_text_whatever_it_looks_like(quoted):
    document, found = read_document(f"a: {quoted}\n".encode(), "a.yaml")
    assert found == []
    assert document.data["a"].strip() == "007"


def test_a_duplicate_key_names_the_first_place_and_the_first_value_stays():
    document, (finding,) = read_document(b"a: 1\nb: 2\na: 3\n", "a.yaml")
    assert (finding.code, str(finding.location)) == ("duplicate-key", "a.yaml:3:1")
    assert str(finding.also[0][0]) == "a.yaml:1:1"
    assert document.data == {"a": 1, "b": 2}


def test_quotes_do_not_make_a_key_another_key():
    assert [f.code for f in findings("a: 1\n'a': 2\n")] == ["duplicate-key"]


def test_all_findings_of_a_file_come_in_one_pass_in_order():
    text = "%YAML 1.2\n---\na: &x 007\nb: *x\n1: x\na: 2\nc: {d: !t 5}\ne: [f: g]\n"
    assert [f.code for f in findings(text)] == [
        "yaml-directive", "unsafe-scalar", "yaml-anchor", "yaml-alias", "non-string-key", "duplicate-key", "yaml-tag",
        "pair-in-list",
    ]  # fmt: skip


def test_what_was_found_before_a_syntax_error_is_reported_with_it():
    assert [f.code for f in findings("a: 007\nb: 'x\n")] == ["unsafe-scalar", "yaml-syntax"]


def test_values_that_were_refused_are_known_as_such():
    document, _ = read_document(b"a: 007\nb: *x\nc: fine\n", "a.yaml")
    assert [document.is_refused((key,)) for key in ("a", "b", "c", "d")] == [True, True, False, False]


def test_nesting_is_bounded():
    assert findings("a: " + "[" * 63 + "]" * 63) == []
    deep = findings("a: " + "[" * 100_000)
    assert [f.code for f in deep] == ["too-deep"]


def test_size_is_bounded():
    assert [f.code for f in findings("a: " + "x" * 512 * 1024)] == ["too-large"]


def test_the_number_of_values_is_bounded():
    assert [f.code for f in findings("a:\n" + "- b\n" * 110_000)] == ["too-many-nodes"]


def test_the_number_of_findings_is_bounded():
    assert 100 <= len(findings("a:\n" + "- 007\n" * 5_000)) < 110


def test_tabs_within_a_text_over_several_lines_are_text():
    document, found = read_document(b"a: |\n  x\n  \ty\nb: 1\n", "a.yaml")
    assert found == []
    assert document.data["a"] == "x\n\ty\n"


@pytest.mark.parametrize(
    ("content", "column", "words"),
    [
        ("a: 单".encode("utf-16"), 1, "UTF-16"),
        ("a: 单".encode("utf-32"), 1, "UTF-32"),
        (b"a: b\xff", 5, "0xFF"),
        ("a: 单号".encode("gbk"), 4, "GBK"),
    ],
)
def test_another_encoding_is_refused_at_the_first_wrong_byte(content, column, words):
    document, (finding,) = read_document(content, "a.yaml")
    assert document is None
    assert (finding.code, finding.location.column) == ("wrong-encoding", column)
    assert words in finding.message
    assert "UTF-8" in finding.hint


def test_a_byte_order_mark_is_passed_over():
    document, found = read_document(b"\xef\xbb\xbfa: 007\n", "a.yaml")
    assert (document.data, str(found[0].location)) == ({"a": "007"}, "a.yaml:1:4")


def test_utf_16_without_a_mark_is_recognised_by_its_zero_bytes():
    (finding,) = read_document("a: b".encode("utf-16-le"), "a.yaml")[1]
    assert (finding.code, "UTF-16" in finding.message) == ("wrong-encoding", True)


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_line_endings_do_not_matter(ending):
    document, found = read_document(ending.join(["a: 1", "b:", "  c: 007", ""]).encode(), "a.yaml")
    assert document.data == {"a": 1, "b": {"c": "007"}}
    assert str(found[0].location) == "a.yaml:3:6"
