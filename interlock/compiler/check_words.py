"""Vocabularies: CSV files beside the spec, phrases that can never be found, and phrases of two codes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from interlock.compiler.check_texts import title_gaps
from interlock.compiler.findings import suggestion
from interlock.compiler.vocabularies import place_of, sheet_of, terms_of
from interlock.text.phrases import phrase_problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from interlock.compiler.findings import Findings
    from interlock.compiler.project import Project
    from interlock.compiler.units import Part, Unit
    from interlock.compiler.vocabularies import WrittenTerm
    from interlock.diagnostics import Location
    from interlock.source import Sheet

COLUMNS = ("word", "code", "aliases", "title")
MOST_FINDINGS = 20
"""So many findings about one file are enough to see what is wrong with it."""


def check_vocabularies(project: Project, findings: Findings) -> None:
    """All vocabularies of all specs; those that are screened for must stand out without punctuation."""
    screened = {part for agent in project.agents for part in _screened(agent)}
    for unit in project.everything:
        for part in unit.parts("vocabularies").values():
            if part.model.csv is None or _sheet_is_good(part, findings):
                _phrases(part, "screen" if part in screened else "plain", findings)


def _screened(agent: Unit) -> Iterator[Part]:
    for item in agent.gates:
        for name in (item.model.screen, *(item.model.allow or ())):
            part = agent.find("vocabularies", name) if name is not None else None
            if part is not None:
                yield part


def _sheet_is_good(part: Part, findings: Findings) -> bool:
    sheet = sheet_of(part.unit, part.model.csv)
    if sheet is None:
        return False
    header = list(sheet.header)
    if len(header) == 1 and ";" in header[0]:
        return False
    before = len(findings.found)
    for index, name in enumerate(header):
        if name and (problem := _column_problem(part, header, name)):
            findings.error(problem[0], problem[1], sheet.at(-1, index), hint=problem[2])
    if "word" not in header and not {"code", "aliases"} <= set(header):
        message = "a vocabulary file has a column `word`, or the columns `code` and `aliases`"
        findings.error("missing-column", message, sheet.at(-1, 0))
        return False
    good = len(findings.found) == before
    _rows(sheet, header, findings)
    return good


def _column_problem(part: Part, header: list[str], name: str) -> tuple[str, str, str] | None:
    if name.startswith("title."):
        language = name.removeprefix("title.")
        if language not in part.unit.languages and "languages" not in part.unit.broken:
            return "unknown-language", f"{language!r} is not a language of {part.unit.name!r}", ""
    elif name not in COLUMNS:
        return "unknown-column", f"a vocabulary file has no column {name!r}", suggestion(name, COLUMNS)
    elif name == "word" and "code" in header:
        return "unknown-column", "`word` and `code` exclude each other", "keep `code` and `aliases`"
    return None


def _rows(sheet: Sheet, header: list[str], findings: Findings) -> None:
    needed = [header.index(name) for name in ("word", "code", "aliases") if name in header]
    told = 0
    for number, row in enumerate(sheet.rows):
        for column in needed:
            cell = row[column] if column < len(row) else ""
            if not cell.replace(";", "").strip() and told < MOST_FINDINGS:
                told += 1
                findings.error("empty-cell", f"the cell of {header[column]!r} is empty", sheet.at(number, column))


def _phrases(part: Part, mode: Literal["screen", "plain"], findings: Findings) -> None:
    seen: dict[str, tuple[str, int]] = {}
    told = 0
    for position, term in enumerate(terms := terms_of(part)):
        for index, phrase in enumerate(term.aliases):
            folded = phrase.casefold()
            if folded in seen and told < MOST_FINDINGS:
                told += 1
                _twice(part, seen[folded], (position, index), findings)
            elif told < MOST_FINDINGS and (problem := phrase_problem(phrase, mode)):
                told += 1
                findings.error("unfindable-phrase", problem[0], place_of(part, term, index), hint=problem[1])
            seen.setdefault(folded, (term.code, position))
    if part.model.csv is not None:
        _titles(part, findings)
        for term, missing in title_gaps(part.unit, terms)[:MOST_FINDINGS]:
            message = f"the title of {term.code!r} lacks {', '.join(map(repr, missing))}"
            findings.error("language-missing", message, place_of(part, term))


def _titles(part: Part, findings: Findings) -> None:
    """Rows of one code are one term, which has one title."""
    first: dict[str, WrittenTerm] = {}
    told = 0
    for term in terms_of(part):
        if term.title is None:
            continue
        known = first.setdefault(term.code, term)
        if term.title != known.title and told < MOST_FINDINGS:
            told += 1
            also = ((_title_place(part, known, term), "the other one"),)
            message = f"{term.code!r} has two titles: {_said(known.title)} and {_said(term.title)}"
            hint = "say the title once; the other rows of a code may leave it empty"
            findings.error("second-title", message, _title_place(part, term, known), also=also, hint=hint)


def _said(title: Any) -> str:
    return repr(title) if isinstance(title, str) else " / ".join(map(repr, title.values()))


def _title_place(part: Part, term: WrittenTerm, other: WrittenTerm) -> Location:
    """The first cell of a row's title that the other row's does not have."""
    sheet = sheet_of(part.unit, part.model.csv)
    assert sheet is not None
    columns = [name.strip() for name in sheet.header]
    if isinstance(term.title, str):
        return sheet.at(term.row, columns.index("title"))
    apart = [language for language, said in term.title.items() if said != other.title.get(language)]
    return sheet.at(term.row, columns.index(f"title.{[*apart, *term.title][0]}"))


def _twice(part: Part, first: tuple[str, int], second: tuple[int, int], findings: Findings) -> None:
    terms = terms_of(part)
    code, position = first
    term = terms[second[0]]
    phrase = term.aliases[second[1]]
    also = ((place_of(part, terms[position]), "the other one"),)
    place = place_of(part, term, second[1])
    if term.code.casefold() == code.casefold():
        findings.warning("duplicate-phrase", f"the phrase {phrase!r} stands twice", place, also=also)
    else:
        message = f"the phrase {phrase!r} means both {code!r} and {term.code!r}"
        hint = "a phrase has one code; take it out of one of them"
        findings.error("ambiguous-phrase", message, place, also=also, hint=hint)
