"""What is wrong with one value: its type, its form, or that only some words may stand there."""

import re
from collections.abc import Mapping
from typing import Any, get_origin

from interlock.compiler.shape_words import at_path, did_you_mean, expected, found, named, nearest, one_of
from interlock.diagnostics import Diagnostic
from interlock.source import Document, KeyPath
from interlock.spec import patterns
from interlock.spec.base import SpecModel
from interlock.spec.forms import bare, choices_of, form_at, item_of, model_of
from interlock.spec.patterns import FORMS, SOURCE_ROOTS
from interlock.spec.steps import Step

_RANGES = {
    "greater_than_equal": ("ge", "at least"),
    "less_than_equal": ("le", "at most"),
}
_SWITCHES = {"yes": "true", "on": "true", "y": "true", "no": "false", "off": "false", "n": "false"}
_EMPTY = {"string_too_short": ("empty-text", "an empty text says nothing", "leave the key out, or say something")}


def value_finding(
    document: Document, kind: type[SpecModel], path: KeyPath, problem: Mapping[str, Any], *, at_key: bool
) -> Diagnostic:
    """The finding about the value at `path`, or about its key."""
    value = path[-1] if at_key else at_path(document.data, path)
    form = form_at(kind, document.data, path)
    place = document.places.key(path) if at_key else document.places.value(path)
    code, message, hint = _said(document, path, form, value, problem)
    return Diagnostic(code, message, place, hint=hint)


def _said(document: Document, path: KeyPath, form: Any, value: Any, problem: Mapping[str, Any]) -> tuple[str, str, str]:
    error, context = problem["type"], problem.get("ctx", {})
    if error == "literal_error" and isinstance(value, str):
        return _not_allowed(path, form, value)
    if error == "string_pattern_mismatch":
        code, what, looks = FORMS[context["pattern"]]
        return code, f"{value!r} is not {what}", _mended(context["pattern"], value, looks)
    if error in _EMPTY:
        return _EMPTY[error]
    if error == "too_short":
        what = "map" if isinstance(value, dict) else "list"
        return f"empty-{what}", f"an empty {what} says nothing", "leave the key out, or say what it holds"
    if error in _RANGES:
        bound, words_ = _RANGES[error]
        return "out-of-range", f"{value!r} is not {words_} {context[bound]}", ""
    if error == "literal_error":
        return "wrong-type", f"expected {one_of(_words(form))}, found {found(value)}", _type_hint(document, path, value)
    message = f"expected {expected(form, error)}, found {found(value)}"
    return "wrong-type", message, _type_hint(document, path, value, form)


def _words(form: Any) -> list[str]:
    return ["true" if choice is True else str(choice) for choice in choices_of(form)]


def _not_allowed(path: KeyPath, form: Any, value: str) -> tuple[str, str, str]:
    choices = _words(form)
    hint = did_you_mean(value, choices, one_of(choices))
    if path == ("apiVersion",):
        return "unknown-version", f"unknown version {value!r} of the language", f"write {choices[0]!r}"
    key = next(step for step in reversed(path) if isinstance(step, str))
    return "not-allowed", f"{value!r} may not stand at {key!r}", hint


def _type_hint(document: Document, path: KeyPath, value: Any, form: Any = None) -> str:
    if value is None and path in document.commented:
        return "an unquoted # begins a comment: quote the value"
    if value is None:
        return "give it a value, or leave the key out"
    if isinstance(value, str) and "：" in value:
        return "a full-width colon separates nothing: write ': ' with a space after it"
    if isinstance(value, str) and re.match(r"\s*[A-Za-z_]\w*:\S", value):
        return "a space is missing after the colon"
    if isinstance(value, bool | int | float):
        return f"if it is text, quote it: '{found(value).removeprefix('the number ')}'"
    if isinstance(value, str) and value.lower() in _SWITCHES:
        return f"write {_SWITCHES[value.lower()]}" if bare(form) is bool else ""
    if isinstance(value, dict) and item_of(form) is not None:
        return "begin each item with '- '"
    if isinstance(value, dict) and len(value) == 1:
        return "a colon makes a map: if it is text, quote it"
    if isinstance(value, str) and expected(form, "").startswith("a list"):
        return f"write a list: [{value}]" if len(value) < 30 else "begin each item with '- '"
    if isinstance(value, list) and (model := model_of(form)):
        return f"write the keys of {named(model)}, without '-'"
    return ""


def _mended(pattern: str, value: str, hint: str) -> str:
    """The hint, with the value as it should be where that is plain."""
    mended = meant_form(pattern, value)
    return f"did you mean {mended!r}? {hint}" if mended else hint


def meant_form(pattern: str, value: str) -> str:
    """The text of that form which was plainly meant; "" where it is not plain."""
    mended = value
    if pattern in (patterns.NAME, patterns.WIRE_NAME):
        mended = re.sub(r"[\s.-]+", "_", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", value)).lower()
    elif pattern == patterns.SPEC_NAME:
        mended = re.sub(r"[\s._]+", "-", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", value)).lower()
    elif pattern == patterns.PATH:
        mended = re.sub(r"\[['\"]?(\w+)['\"]?\]", r".\1", value).removeprefix("$.").removeprefix("result.")
    elif pattern == patterns.DURATION:
        mended = _duration(value)
    elif pattern == patterns.SOURCE:
        root, _, rest = value.removeprefix("{{").removesuffix("}}").strip().partition(".")
        near = did_you_mean(root, (*SOURCE_ROOTS, "caller", "model")).removeprefix("did you mean '").removesuffix("'?")
        mended = f"{near}.{rest}" if near and rest else near or value
    fits = mended != value and re.fullmatch(pattern.removeprefix("^").removesuffix("$"), mended, re.ASCII)
    return mended if fits else ""


def meant_value(form: Any, value: Any, problem: Mapping[str, Any]) -> Any:
    """What was plainly meant by a value that may not stand there; None where it is not plain."""
    choices = choices_of(form)
    if isinstance(value, str):
        if choices:
            return nearest(value, [choice for choice in choices if isinstance(choice, str)]) or None
        if problem["type"] == "string_pattern_mismatch":
            return meant_form(problem["ctx"]["pattern"], value) or None
        if bare(form) is bool and value.lower() in _SWITCHES:
            return _SWITCHES[value.lower()] == "true"
    if get_origin(bare(form)) is list:
        takes_maps = item_of(form) is Step or model_of(item_of(form)) is not None
        return [value] if value and isinstance(value, dict if takes_maps else str) else None
    if model_of(form) is not None and isinstance(value, list) and len(value) == 1:
        return value[0]
    return None


def _duration(value: str) -> str:
    match = re.fullmatch(r"\s*(\d+)\s*([A-Za-z]+)\.?\s*", value, re.ASCII)
    if not match:
        return value
    unit = match[2].lower()
    if unit in ("ms", "msec", "millis", "milliseconds"):
        return f"{match[1]}ms"
    return f"{match[1]}{unit[0]}" if unit[0] in "smhd" and not unit.startswith("mo") else value
