"""A CSV file beside a spec: header, rows, the place of every cell, and what is wrong with it."""

import pytest

from interlock.source.sheet import read_sheet

SHEET = 'code,title,aliases\nA, first ,"x, y"\n\n"B","two\nlines",z\nC,"say ""hi""",w\n'


def test_cells_are_text_without_white_space_around_them():
    sheet, found = read_sheet(SHEET.encode(), "w.csv")
    assert found == []
    assert sheet.header == ("code", "title", "aliases")
    assert sheet.rows == (("A", "first", "x, y"), ("B", "two\nlines", "z"), ("C", 'say "hi"', "w"))


def test_every_cell_has_its_place():
    sheet, _ = read_sheet(SHEET.encode(), "w.csv")
    assert [str(sheet.at(*cell)) for cell in [(-1, 2), (0, 0), (0, 2), (1, 1), (1, 2), (2, 2)]] == [
        "w.csv:1:12", "w.csv:2:1", "w.csv:2:11", "w.csv:4:5", "w.csv:5:8", "w.csv:6:16",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("content", "code", "place"),
    [
        ("", "empty-file", "1:1"),
        ("\n\n", "empty-file", "1:1"),
        ("a,b\n1\n", "ragged-row", "2:1"),
        ("a,b\n1,2\n\n1,2,3\n", "ragged-row", "4:1"),
        ("a,a\n1,2\n", "duplicate-key", "1:3"),
        ("a,,b\n1,2,3\n", "bad-csv", "1:3"),
        ("a;b\n1;2\n", "bad-csv", "1:1"),
        ('a,b\n"1,2\n', "bad-csv", "2:1"),
        ('a,b\n"1"x,2\n', "bad-csv", "2:1"),
        ("a,b\n1,\0\n", "control-character", "2:3"),
    ],
)
def test_a_mistake_is_told_at_its_place(content, code, place):
    finding = read_sheet(content.encode(), "w.csv")[1][0]
    assert (finding.code, f"{finding.location.line}:{finding.location.column}") == (code, place)


def test_a_sheet_in_another_encoding_is_refused():
    assert [f.code for f in read_sheet("词\n竞安\n".encode("gbk"), "w.csv")[1]] == ["wrong-encoding"]


def test_a_hundred_thousand_phrases_fit():
    content = "word\n" + "".join(f"phrase number {n}, with more\n".replace(",", "") for n in range(100_000))
    sheet, found = read_sheet(content.encode(), "w.csv")
    assert found == []
    assert len(sheet.rows) == 100_000
    assert sheet.at(99_999, 0).line == 100_001


def test_size_is_bounded():
    assert [f.code for f in read_sheet(b"w\n" * 9_000_000, "w.csv")[1]] == ["too-large"]
