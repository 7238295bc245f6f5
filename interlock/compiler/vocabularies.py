"""The terms of a vocabulary, wherever they are written: in a list, by code, or in a CSV file beside the spec."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from interlock.source.bundle import path_within

if TYPE_CHECKING:
    from collections.abc import Iterator

    from interlock.compiler.units import Part, Unit
    from interlock.diagnostics import Location
    from interlock.source import Sheet

SEPARATOR = ";"
"""Stands between the aliases in one CSV cell."""


@dataclass(frozen=True, slots=True)
class WrittenTerm:
    """One code with its title and phrases; `row` is its row in a CSV file, or its index in a list."""

    code: str
    title: Any
    aliases: tuple[str, ...]
    row: int


def sheet_of(unit: Unit, csv: str) -> Sheet | None:
    """The CSV file that a part of `unit` names, relative to its spec."""
    return unit.sheets.get(path_within(unit.document.file, csv))


def sheet_files(unit: Unit) -> set[str]:
    """The CSV files that a spec names, whether or not they could be read."""
    parts = [*unit.parts("vocabularies").values(), *unit.parts("decisions").values()]
    return {
        unit.prefix + path_within(unit.document.file, part.model.csv) for part in parts if part.model.csv is not None
    }


def terms_of(part: Part) -> tuple[WrittenTerm, ...]:
    """All terms of a vocabulary, in the order written; what is broken in a CSV file is left out."""
    memo = part.unit.memo
    if ("terms", part.name) not in memo:
        memo["terms", part.name] = tuple(_terms(part))
    terms: tuple[WrittenTerm, ...] = memo["terms", part.name]
    return terms


def codes_of(part: Part) -> tuple[str, ...]:
    """The codes of a vocabulary."""
    return tuple(dict.fromkeys(term.code for term in terms_of(part)))


def _terms(part: Part) -> Iterator[WrittenTerm]:
    vocabulary = part.model
    for index, word in enumerate(vocabulary.words or ()):
        yield WrittenTerm(word, None, (word,), index)
    for index, (code, term) in enumerate((vocabulary.terms or {}).items()):
        yield WrittenTerm(code, term.title, tuple(term.aliases), index)
    if vocabulary.csv is not None and (sheet := sheet_of(part.unit, vocabulary.csv)) is not None:
        yield from _rows(sheet)


def _rows(sheet: Sheet) -> Iterator[WrittenTerm]:
    columns = {name.strip(): index for index, name in enumerate(sheet.header)}
    code, aliases = columns.get("code", columns.get("word")), columns.get("aliases", columns.get("word"))
    if code is None or aliases is None:
        return
    titles = {name.removeprefix("title."): index for name, index in columns.items() if name.startswith("title.")}
    whole_title = columns.get("title")
    for number, row in enumerate(sheet.rows):
        if code < len(row) and (written := row[code].strip()):
            phrases = phrases_in(row[aliases]) if aliases < len(row) and "aliases" in columns else (written,)
            title: Any = {name: row[at].strip() for name, at in titles.items() if at < len(row) and row[at].strip()}
            if whole_title is not None and whole_title < len(row):
                title = row[whole_title].strip()
            yield WrittenTerm(written, title or None, phrases, number)


def phrases_in(cell: str) -> tuple[str, ...]:
    """The phrases of one `aliases` cell; empty ones are left out."""
    return tuple(phrase for part in cell.split(SEPARATOR) if (phrase := part.strip()))


def place_of(part: Part, term: WrittenTerm, alias: int = 0) -> Location:
    """Where a phrase is written."""
    vocabulary = part.model
    if vocabulary.words is not None:
        return part.value("words", term.row)
    if vocabulary.terms is not None:
        return part.value("terms", term.code, "aliases", alias)
    sheet = sheet_of(part.unit, vocabulary.csv)
    assert sheet is not None
    columns = [name.strip() for name in sheet.header]
    return sheet.at(term.row, columns.index("aliases" if "aliases" in columns else "word"))
