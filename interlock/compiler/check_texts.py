"""Texts for people: every language there, none too many, and no sentence that only some can read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from interlock.compiler.prose import prose
from interlock.compiler.written import strings
from interlock.text.languages import named_language

if TYPE_CHECKING:
    from interlock.compiler.findings import Findings
    from interlock.compiler.project import Project
    from interlock.compiler.units import Unit
    from interlock.compiler.vocabularies import WrittenTerm
    from interlock.compiler.written import Path

_TEMPLATE = re.compile(r"\{\{.*?\}\}|\{%.*?%\}", re.DOTALL)
_WORDS = re.compile(r"[A-Za-z]{2,}[,;:]?\s+[A-Za-z]{2,}")
_HAN = re.compile(r"[\u3400-\u9fff\u3040-\u30ff\uac00-\ud7af]{3,}")


def check_texts(project: Project, findings: Findings) -> None:
    """Languages of every text, and of the Libraries that an Agent or Procedure speaks with."""
    for unit in project.everything:
        _declared(unit, findings)
        for path, text in prose(unit):
            _check(unit, path, text, findings)
        for part in unit.parts("config").values():
            _constant(unit, part.path, part.model, findings)
    for agent in project.runnable:
        for library in agent.closure()[1:]:
            _spoken(agent, library, findings)


def _declared(unit: Unit, findings: Findings) -> None:
    seen: set[str] = set()
    for index, language in enumerate(unit.languages):
        if language in seen:
            findings.error("duplicate-language", f"{language!r} stands twice", unit.value("languages", index))
        seen.add(language)
    if unit.work is not None and unit.work.language is not None and "languages" not in unit.broken:
        _language_of_runs(unit, unit.work.language, findings)


def _language_of_runs(unit: Unit, language: str, findings: Findings) -> None:
    """A procedure has a choice among its languages, and a language that it names is one of them."""
    if len(unit.languages) < 2:
        message = "`language` is one of `languages`, and there are not two to choose from"
        findings.error("key-without-effect", message, unit.key("language"), hint="declare them, or take it out")
    elif "{" not in language and named_language(unit.languages, language) is None:
        hint = f"`languages` are {_listed(unit.languages)}"
        message = f"{language!r} is not a language of this spec"
        findings.error("unknown-language", message, unit.value("language"), hint=hint)


def _check(unit: Unit, path: Path, text: Any, findings: Findings) -> None:
    if "languages" in unit.broken:
        return
    if isinstance(text, str):
        if len(unit.languages) > 1 and sentence(text):
            message = f"this text is the same for {_listed(unit.languages)}"
            hint = "write it as a map of languages; a code or a name may stand alone"
            findings.warning("untranslated", message, unit.value(*path), hint=hint)
        return
    if not unit.languages:
        hint = f"write `languages: [{', '.join(text)}]` at the top of the spec"
        findings.error(
            "undeclared-languages", "a text per language, and no `languages` are declared", unit.key(*path), hint=hint
        )
        return
    missing = [language for language in unit.languages if language not in text]
    if missing:
        findings.error(
            "language-missing",
            f"this text lacks {_listed(missing)}",
            unit.key(*path),
            hint="every text has all languages of the spec",
        )
    for language in text:
        if language not in unit.languages:
            hint = f"`languages` are {_listed(unit.languages)}"
            findings.error(
                "unknown-language", f"{language!r} is not a language of this spec", unit.key(*path, language), hint=hint
            )


def sentence(text: str) -> bool:
    """Whether a text holds words of a language, not just codes, names or signs."""
    plain = _TEMPLATE.sub(" ", text)
    return bool(_WORDS.search(plain) or _HAN.search(plain))


def _constant(unit: Unit, path: Path, value: Any, findings: Findings) -> None:
    for inner, text in strings(value, path):
        if "{{" in text:
            hint = "compute it where it is used"
            findings.error("template-not-here", "a constant of `config` is not computed", unit.value(*inner), hint=hint)


def _spoken(agent: Unit, library: Unit, findings: Findings) -> None:
    """A Library whose texts lack a language of the Agent would be silent in it."""
    if "languages" in agent.broken or "languages" in library.broken:
        return
    missing = [language for language in agent.languages or ("",) if language not in library.languages]
    if not missing or not any(isinstance(text, dict) for _, text in prose(library)):
        return
    spoken = f"lack {_listed(missing)}" if agent.languages else f"are in {_listed(library.languages)}"
    message = f"the texts of Library {library.name!r} {spoken}"
    also = ((library.key("languages"), "its languages"),)
    hint = "" if agent.languages else "declare `languages` here too"
    findings.error("library-language", message, agent.key("languages"), also=also, hint=hint)


def _listed(names: Any) -> str:
    return ", ".join(repr(name) for name in names)


def title_gaps(unit: Unit, terms: tuple[WrittenTerm, ...]) -> list[tuple[WrittenTerm, list[str]]]:
    """The terms whose titles, as a CSV file has them, lack a language."""
    return [
        (term, missing)
        for term in terms
        if isinstance(term.title, dict) and (missing := [name for name in unit.languages if name not in term.title])
    ]
