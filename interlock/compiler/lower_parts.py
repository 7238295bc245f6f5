"""Vocabularies, slots, intents, conditions, responses and retrievers of the plan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from interlock.compiler.intents import merged
from interlock.compiler.lower_fields import maybe_text, text, texts
from interlock.compiler.vocabularies import terms_of
from interlock.plan.rules import Condition
from interlock.plan.tools import Facts, Response, Retriever
from interlock.plan.words import Intent, Slot, SlotCheck, Term, Vocabulary
from interlock.source.bundle import path_within

if TYPE_CHECKING:
    from interlock.compiler.units import Part


def vocabulary(part: Part) -> Vocabulary:
    """A vocabulary with all its terms; rows of one code are one term, whose title is in the first that has one."""
    terms: dict[str, dict[str, Any]] = {}
    for term in terms_of(part):
        known = terms.setdefault(term.code, {"title": None, "aliases": ()})
        known["title"] = known["title"] or maybe_text(term.title)
        known["aliases"] = (*known["aliases"], *term.aliases)
    return Vocabulary(at=str(part.key()), terms=tuple(Term(code=code, **known) for code, known in terms.items()))


def slot(part: Part) -> Slot:
    """A slot."""
    written = part.model
    checks = [
        SlotCheck(at=str(part.value("checks", index)), that=check.that, otherwise=text(check.else_))
        for index, check in enumerate(written.checks or ())
    ]
    return Slot(
        at=str(part.key()),
        kind=_kind(written),
        vocabulary=written.vocabulary or "",
        patterns=tuple(written.patterns or ()),
        in_context=tuple(written.in_context or ()),
        looks_like=tuple(written.looks_like or ()),
        extract=written.extract or "",
        timezone=written.timezone or "",
        title=maybe_text(written.title),
        labels=tuple(written.labels or ()),
        exact_case=written.case == "exact",
        normalise=tuple(written.normalise or ()),
        many=written.many,
        sensitive=written.sensitive,
        ask=maybe_text(written.ask),
        clarify=maybe_text(written.clarify),
        options=texts(written.options),
        assume=written.assume,
        note=maybe_text(written.note),
        default=written.default,
        checks=tuple(checks),
        keep=written.keep,
    )


def _kind(written: Any) -> Any:
    return next(kind for kind in ("vocabulary", "patterns", "extract") if getattr(written, kind) is not None)


def intent(part: Part) -> Intent:
    """An intent, with what it takes over from a Library."""
    found = merged(part)
    return Intent(
        at=str(part.key()),
        keywords=tuple(dict.fromkeys(found.keywords or ())),
        patterns=tuple(dict.fromkeys(found.patterns or ())),
        follow_up=found.follow_up or "",
    )


def condition(part: Part) -> Condition:
    """A named condition."""
    written = part.model
    return Condition(
        at=str(part.key()),
        that=written.that,
        otherwise=maybe_text(written.else_),
        call=written.call or "",
        bind=written.with_ or {},
    )


def response(part: Part) -> Response:
    """A response."""
    written = part.model
    kind: Any = next(kind for kind in ("raw", "fields", "text", "facts") if getattr(written, kind) is not None)
    return Response(
        at=str(part.key()),
        kind=kind,
        fields=tuple(written.fields or ()),
        text=maybe_text(written.text),
        facts=None if written.facts is None else _facts(written.facts),
        fenced=written.fenced,
    )


def _facts(written: Any) -> Facts:
    said = {"found": text(written.found), "not_found": text(written.not_found)}
    return Facts(**said, unrecognized=maybe_text(written.unrecognized))


def retriever(part: Part) -> Retriever:
    """A retriever; its folder by the bundle it lies in and its path there, for each worker knows where bundles are."""
    written = part.model
    common: dict[str, Any] = {"at": str(part.key()), "top": written.top, "description": written.description}
    if written.documents is None:
        return Retriever(**common, kind="python", python=written.python)
    folder = path_within(part.unit.document.file, written.documents)
    return Retriever(**common, kind="documents", bundle=part.unit.bundle, documents=folder)
