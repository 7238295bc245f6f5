"""A CSV file beside a spec: a header, rows of text, and the place of every cell."""

import csv
from dataclasses import dataclass, field

from interlock.diagnostics import Diagnostic, Location
from interlock.source.decode import MOST_FINDINGS, Text, decode

MOST_BYTES = 16 * 1024 * 1024


@dataclass(frozen=True)
class Sheet:
    """The cells of a CSV file, without white space around them. Empty lines are no rows."""

    file: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    _lines: tuple[str, ...] = field(repr=False)
    _starts: tuple[int, ...] = field(repr=False)
    """Number of the line on which each row begins, from 0; the header's first."""

    def at(self, row: int, column: int) -> Location:
        """Place of a cell; row -1 is the header."""
        line = self._starts[row + 1]
        position, quoted = 0, False
        text = self._lines[line]
        for _ in range(column):
            while quoted or text[position : position + 1] != ",":
                if position >= len(text):
                    if line + 1 == len(self._lines):
                        return Location(self.file, line + 1, position + 1)
                    line, position, text = line + 1, 0, self._lines[line + 1]
                    continue
                quoted ^= text[position] == '"'
                position += 1
            position += 1
        return Location(self.file, line + 1, position + 1)


def read_sheet(content: bytes, file: str) -> tuple[Sheet | None, list[Diagnostic]]:
    """The sheet in `content`, and everything found wrong with it. Never raises, whatever the bytes."""
    text, findings = decode(content, file, MOST_BYTES)
    if text is None or findings:
        return None, findings
    lines = tuple(text.content.splitlines(keepends=True))
    rows: list[tuple[str, ...]] = []
    starts: list[int] = []
    reader = csv.reader(lines, strict=True)
    start = 0
    try:
        for row in reader:
            if row:
                rows.append(tuple([cell.strip() for cell in row]))
                starts.append(start)
            start = reader.line_num
    except csv.Error as error:
        return None, [_broken(Location(file, start + 1), str(error))]
    if not rows:
        return None, [Diagnostic("empty-file", "the file is empty", Location(file), hint="begin with the column names")]
    sheet = Sheet(file, rows[0], tuple(rows[1:]), lines, tuple(starts))
    return sheet, _header_findings(sheet, text) + _row_findings(sheet)


def _broken(place: Location, problem: str) -> Diagnostic:
    hint = 'a cell with a comma, a quote or a line break stands in "…", and a quote in it is doubled'
    return Diagnostic("bad-csv", f"this row is not CSV: {problem}", place, hint=hint)


def _header_findings(sheet: Sheet, text: Text) -> list[Diagnostic]:
    if len(sheet.header) == 1 and ";" in sheet.header[0]:
        return [Diagnostic("bad-csv", "columns are separated by ';'", text.at(0), hint="separate them by ','")]
    findings = []
    for column, name in enumerate(sheet.header):
        first = sheet.header.index(name)
        if not name:
            findings.append(Diagnostic("bad-csv", "a column without a name", sheet.at(-1, column)))
        elif first != column:
            also = ((sheet.at(-1, first), f"{name!r} stands here first"),)
            findings.append(Diagnostic("duplicate-key", f"duplicate column {name!r}", sheet.at(-1, column), also=also))
    return findings


def _row_findings(sheet: Sheet) -> list[Diagnostic]:
    width = len(sheet.header)
    ragged = [number for number, row in enumerate(sheet.rows) if len(row) != width]
    hint = "a cell with a comma in it needs double quotes"
    return [
        Diagnostic(
            "ragged-row",
            f"{len(sheet.rows[number])} cells in this row, {width} in the header",
            sheet.at(number, 0),
            hint=hint,
        )
        for number in ragged[:MOST_FINDINGS]
    ]
