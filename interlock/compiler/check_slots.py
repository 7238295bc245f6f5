"""Slots and intents: patterns that RE2 refuses, unknown extractors, questions never asked, slots that look alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

from interlock.compiler.check_fields import check_timezone
from interlock.compiler.closure import reached
from interlock.compiler.written import has_template
from interlock.text.extractors import TIMELESS, extractor_problem
from interlock.text.patterns import pattern_problem
from interlock.text.phrases import phrase_problem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from interlock.compiler.findings import Findings
    from interlock.compiler.project import Project
    from interlock.compiler.units import Part


def check_slots(project: Project, findings: Findings) -> None:
    """All slots of all specs; those of an Agent also against each other."""
    for unit in project.everything:
        for part in unit.parts("slots").values():
            _patterns(part, "patterns", part.model.patterns, findings)
            _patterns(part, "in_context", part.model.in_context, findings)
            _patterns(part, "looks_like", part.model.looks_like, findings)
            _extractor(part, findings)
            _questions(part, findings)
    for agent in project.agents:
        _told_apart(list(reached(agent).get("slots", {}).values()), findings)


def check_intents(project: Project, findings: Findings) -> None:
    """All intents of all specs."""
    for unit in project.everything:
        for part in unit.parts("intents").values():
            _patterns(part, "patterns", part.model.patterns, findings)
            for index, keyword in enumerate(part.model.keywords or ()):
                if problem := phrase_problem(keyword):
                    place = part.value("keywords", index)
                    findings.error("unfindable-phrase", problem[0], place, hint=problem[1])


def _patterns(part: Part, key: str, patterns: Sequence[str] | None, findings: Findings) -> None:
    seen: set[str] = set()
    for index, pattern in enumerate(patterns or ()):
        if problem := pattern_problem(pattern):
            findings.error("bad-pattern", problem[0], part.value(key, index), hint=problem[1])
        elif pattern in seen:
            findings.warning("duplicate-pattern", f"the pattern {pattern!r} stands twice", part.value(key, index))
        seen.add(pattern)


def _extractor(part: Part, findings: Findings) -> None:
    kind = part.model.extract
    if kind is not None and (problem := extractor_problem(kind)):
        findings.error("unknown-extractor", problem[0], part.value("extract"), hint=problem[1])
    if kind is None or part.model.timezone is None:
        return
    if kind in TIMELESS:
        message = f"'timezone' means nothing for `extract: {kind}`"
        findings.error("key-without-effect", message, part.key("timezone"), hint="it is for what is counted from now")
    check_timezone(part.model.timezone, part.value("timezone"), findings)


def _questions(part: Part, findings: Findings) -> None:
    """Questions that are never asked."""
    slot = part.model
    if slot.many and slot.clarify is not None:
        message = "`clarify` is never asked: this slot takes several values"
        findings.error("never-asked", message, part.key("clarify"), hint="leave out `many` or `clarify`")
    if slot.ask is not None and slot.default is not None and not has_template(slot.default):
        message = "`ask` is never asked: `default` fills the slot in"
        findings.error("never-asked", message, part.key("ask"), hint="leave out `default` or `ask`")


def _told_apart(slots: list[Part], findings: Findings) -> None:
    first: dict[str, Part] = {}
    unlabelled: dict[str, Part] = {}
    for part in slots:
        patterns = part.model.patterns or ()
        for other in dict.fromkeys((unlabelled if part.model.labels else first).get(pattern) for pattern in patterns):
            if other is not None:
                message = f"slots {other.name!r} and {part.name!r} have one pattern, and no `labels` tell them apart"
                also = ((other.key(), "the other one"),)
                hint = "give both `labels`, or take one of the values from a cell"
                findings.warning("same-pattern", message, part.key(), also=also, hint=hint)
        for pattern in patterns:
            first.setdefault(pattern, part)
            if not part.model.labels:
                unlabelled.setdefault(pattern, part)
