"""What is wrong with the keys of one part: unknown, missing, too many, or alone."""

from collections.abc import Sequence
from typing import Any

from interlock.compiler.shape_words import at_path, named, nearest, one_of, takes
from interlock.diagnostics import Diagnostic
from interlock.source import Document, KeyPath
from interlock.spec import KINDS
from interlock.spec.base import SpecModel
from interlock.spec.forms import form_at, keys_of, model_of
from interlock.spec.rules import Broken
from interlock.spec.specs import Head
from interlock.spec.steps import ACTIONS, BaseStep, offered

OTHER_WORDS = {
    "if": "when",
    "condition": "when",
    "name": "id",
    "then": "do",
    "steps": "do",
    "args": "with",
    "arguments": "with",
    "params": "input",
    "parameters": "input",
    "source": "from",
    "url": "http",
    "endpoint": "http",
    "regex": "patterns",
    "say": "reply",
    "text": "reply",
    "tool": "call",
    "on_error": "catch",
    "otherwise": "else",
    "message": "else",
    "synonyms": "aliases",
}
"""What authors who come from elsewhere call a key; a hint is given where the key may stand."""


def container_findings(
    document: Document, kind: type[SpecModel], path: KeyPath, *, unknown: Sequence[str], missing: Sequence[str]
) -> list[Diagnostic]:
    """Everything wrong with the keys of the part at `path`."""
    model = model_of(form_at(kind, document.data, path))
    written = at_path(document.data, path)
    if model is None or not isinstance(written, dict):
        return []
    keys = tuple(keys_of(model))
    meant = {meant_key(key, keys) for key in unknown}
    if model is BaseStep:
        return _no_action(document, path, written)
    findings = [_several_actions(document, path, written)] if issubclass(model, BaseStep) else []
    others = _of_other_actions(written) if findings and findings[0] else set()
    findings += [_unknown(document, kind, model, (*path, key)) for key in unknown if key not in others]
    for key in missing:
        if key not in meant:
            message = f"{named(model)} needs {key!r}"
            findings.append(Diagnostic("missing-key", message, document.places.key(path)))
    for rule in model.key_rules:
        broken = rule.check(written.keys())
        if broken and rule.check(written.keys() | meant):
            findings.append(_broken(document, path, broken))
    return [finding for finding in findings if finding]


def meant_key(key: str, keys: Sequence[str]) -> str:
    """The one of `keys` that was plainly meant; "" if none was."""
    other = OTHER_WORDS.get(key, "")
    return other if other in keys else nearest(key, keys)


def fitting_key(model: type[SpecModel], part: dict[str, Any], key: str) -> str:
    """The key that was plainly meant, is not there, and takes such a value; "" if none was."""
    return meant_key(
        key, [free for free, form in keys_of(model).items() if free not in part and takes(form, part[key])]
    )


def _unknown(document: Document, kind: type[SpecModel], model: type[SpecModel], path: KeyPath) -> Diagnostic:
    key = str(path[-1])
    keys = tuple(keys_of(model))
    near = fitting_key(model, at_path(document.data, path[:-1]), key) or meant_key(key, keys)
    hint = f"did you mean {near!r}?" if near else _elsewhere(key, kind, model) or one_of(_own(keys))
    return Diagnostic("unknown-key", f"unknown key {key!r} in {named(model)}", document.places.key(path), hint=hint)


def _elsewhere(key: str, kind: type[SpecModel], model: type[SpecModel]) -> str:
    """Where else a key belongs, if it is one of the language."""
    if model is kind:
        kinds = [name for name, other in KINDS.items() if key in keys_of(other)]
        return f"{key!r} is a key of kind {' and '.join(kinds)}" if kinds else ""
    if issubclass(model, BaseStep):
        actions = [action for action, other in ACTIONS.items() if key in keys_of(other)]
        return f"{key!r} goes with {' or '.join(map(repr, actions))}" if actions else ""
    own = _own(tuple(keys_of(kind)))
    return f"{key!r} is a key of the spec itself: move it to the left" if key in own else ""


def _own(keys: Sequence[str]) -> list[str]:
    """The keys without those of every spec's head, or all where a head is not meant."""
    head = keys_of(Head)
    return [key for key in keys if key not in head] if set(head) <= set(keys) else list(keys)


def _no_action(document: Document, path: KeyPath, step: dict[str, Any]) -> list[Diagnostic]:
    """A step without an action that we know: its foreign keys are the trouble, or it has none."""
    known = keys_of(BaseStep)
    foreign = [key for key in step if key not in known]
    if not foreign:
        return [
            Diagnostic(
                "missing-key",
                "a step needs an action",
                document.places.value(path),
                hint=one_of(offered(document.data.get("kind"))),
            )
        ]
    named_one, meant = meant_action(foreign)
    hint = f"did you mean {meant!r}?" if meant else one_of(offered(document.data.get("kind")))
    place = document.places.key((*path, named_one))
    return [Diagnostic("unknown-action", f"unknown action {named_one!r}", place, hint=hint)]


def meant_action(foreign: Sequence[str]) -> tuple[str, str]:
    """Which of the keys of a step without an action was to be it, and the key that was meant; "" if none was."""
    meant = {key: meant_key(key, (*ACTIONS, *keys_of(BaseStep))) for key in foreign}
    named_one = next((key for key in foreign if meant[key] in ACTIONS), foreign[0])
    return named_one, meant[named_one]


def _several_actions(document: Document, path: KeyPath, step: dict[str, Any]) -> Diagnostic | None:
    first, *more = [key for key in step if key in ACTIONS]
    if not more:
        return None
    message = f"one action a step: this one has {first!r} and {more[0]!r}"
    hint = "make them two steps"
    return Diagnostic("exactly-one", message, document.places.key((*path, more[0])), hint=hint)


def _of_other_actions(step: dict[str, Any]) -> set[str]:
    return {key for action in step if action in ACTIONS for key in keys_of(ACTIONS[action])}


def _broken(document: Document, path: KeyPath, broken: Broken) -> Diagnostic:
    written = list(at_path(document.data, path))
    at_fault = sorted(broken.keys, key=written.index)
    place = document.places.key((*path, at_fault[-1])) if at_fault else document.places.key(path)
    also = ((document.places.key((*path, at_fault[0])), f"{at_fault[0]!r} stands here"),) if len(at_fault) > 1 else ()
    return Diagnostic(broken.code, broken.message, place, hint=broken.hint, also=also)
