"""Whatever the bytes, reading ends with a document or findings that have places, and never raises."""

from hypothesis import example, given, settings
from hypothesis import strategies as st

from interlock.source import read_document
from interlock.source.sheet import read_sheet

PIECES = st.sampled_from(
    ["a: ", "b", "- ", "{", "}", "[", "]", ", ", ": ", "'", '"', "|", ">", "&x ", "*x", "!t ", "<<", "\n", "\n  ", "\t",
     "#", "007", "%YAML 1.1\n", "---\n", "...\n", "? ", "{{ x }}", "：", "，", "您好", "\\", "\ufeff", "\0", "\r", "1e5"]
)  # fmt: skip


def reads(content, file):
    document, found = read_document(content, file)
    assert document is not None or found
    for finding in found:
        assert finding.location.file == file
        assert finding.location.line >= 1
        assert finding.location.column >= 1
        assert finding.code == finding.code.lower()
    if document:
        document.commented  # noqa: B018
        for path in document.places.paths().values():
            document.places.inside(path, 3)


@settings(max_examples=400, deadline=None)
@given(st.lists(PIECES, max_size=25).map(lambda pieces: "".join(pieces).encode()))
@example(b"? - a\n: b")
@example(b"&a : b")
@example(b"{[a]: b}")
@example(b"? {a: 1}\n")
@example(b"*a : b")
@example(b'"')
@example(b"a: !")
@example(b"%")
@example(b"a: " + b"9" * 6000)
@example(b"a: 0x" + b"F" * 6000)
@example(b"a: 1" + b"0" * 6000 + b".5")
@example(b"a: 9" + b"_0" * 5000)
def test_pieces_of_yaml(content):
    reads(content, "a.yaml")


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=60))
def test_any_bytes(content):
    reads(content, "a.yaml")


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from([",", "a", '"', "\n", "\r\n", " ", ";", "\0", "您", "\ufeff"])).map("".join))
def test_any_sheet(text):
    sheet, found = read_sheet(text.encode(), "a.csv")
    assert sheet is not None or found
    for row in range(-1, len(sheet.rows) if sheet else -1):
        for column in range(len(sheet.header)):
            assert sheet.at(row, column).line >= 1
