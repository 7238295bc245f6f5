"""From a document to the model of its kind: every mistake of shape, in an author's words and at its place."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from interlock.compiler.shape_keys import container_findings
from interlock.compiler.shape_values import value_finding
from interlock.compiler.shape_words import at_path, did_you_mean
from interlock.diagnostics import Diagnostic, Severity, in_order
from interlock.source import Document, KeyPath
from interlock.spec import KINDS, Spec
from interlock.spec.base import TAG, SpecModel
from interlock.spec.forms import form_at, is_text

MOST_FINDINGS = 100
"""Mistakes told of one spec; whoever has more reads the first ones anyway."""


def parse(document: Document) -> tuple[Spec | None, list[Diagnostic]]:
    """The spec in `document`, or None, and everything wrong or suspicious about its shape."""
    kind = document.data.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        return None, [_unknown_kind(document)]
    model = KINDS[kind]
    warnings = _swallowed(document, model)
    try:
        return model.model_validate(document.data), warnings
    except ValidationError as error:
        problems = error.errors(include_url=False, include_input=False)
        return None, in_order(shape_findings(document, model, problems) + warnings)


def _unknown_kind(document: Document) -> Diagnostic:
    kinds = f"one of {', '.join(KINDS)}"
    if "kind" not in document.data:
        hint = did_you_mean("kind", tuple(document.data), f"'kind' is {kinds}")
        return Diagnostic("missing-key", "the spec does not say its 'kind'", document.places.key(()), hint=hint)
    kind = document.data["kind"]
    hint = did_you_mean(kind, tuple(KINDS), kinds)
    return Diagnostic("unknown-kind", f"unknown kind {kind!r}", document.places.value(("kind",)), hint=hint)


def shape_findings(
    document: Document, model: type[SpecModel], problems: Sequence[Mapping[str, Any]]
) -> list[Diagnostic]:
    """What the validator has found wrong, in an author's words."""
    findings: list[Diagnostic] = []
    containers: dict[KeyPath, dict[str, list[str]]] = {}
    for problem in problems[:MOST_FINDINGS]:
        path, at_key = path_of(document, problem["loc"])
        if _was_refused(document, path):
            continue
        for length in range(len(path)):
            containers.setdefault(path[:length], {})
        if problem["type"] in ("extra_forbidden", "missing"):
            containers[path[:-1]].setdefault(problem["type"], []).append(str(path[-1]))
        elif problem["type"] in ("key_rule", "step_action") and isinstance(at_path(document.data, path), dict):
            containers.setdefault(path, {})
        else:
            findings.append(value_finding(document, model, path, problem, at_key=at_key))
    for path, keys in containers.items():
        findings += container_findings(
            document, model, path, unknown=keys.get("extra_forbidden", []), missing=keys.get("missing", [])
        )
    return findings


def path_of(document: Document, loc: tuple[str | int, ...]) -> tuple[KeyPath, bool]:
    """The path in the document that a place in a model means, and whether its key is meant."""
    path: KeyPath = tuple(step for step in loc if not str(step).startswith(TAG))
    if path and path[-1] == "[key]" and not document.places.has(path):
        return path[:-1], True
    return path, False


def _was_refused(document: Document, path: KeyPath) -> bool:
    return any(document.is_refused(path[:length]) for length in range(1, len(path) + 1))


def _swallowed(document: Document, model: type[SpecModel]) -> list[Diagnostic]:
    """Texts for people that end before a comment, which was perhaps meant to be text."""
    findings = []
    for path in sorted(document.commented, key=document.places.start):
        value: Any = at_path(document.data, path)
        if isinstance(value, str) and is_text(form_at(model, document.data, path)):
            place = document.places.inside(path, len(value))
            message = "an unquoted # begins a comment: what follows is not part of the text"
            hint = "quote the text, or put the comment on a line of its own"
            findings.append(Diagnostic("swallowed-comment", message, place, Severity.WARNING, hint))
    return findings[:MOST_FINDINGS]
