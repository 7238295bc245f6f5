"""The shape of values and parts in an author's words, and near names."""

import re
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any, get_origin

from interlock.source import KeyPath
from interlock.spec.base import SpecModel
from interlock.spec.forms import bare, is_text, item_of, model_of
from interlock.spec.steps import BaseStep, Step

_FEW = 16
_SLIP = 2
_NAMED_BY_KEY = {
    "Stubs": "'stubs'",
    "Expect": "'expect'",
    "Facts": "'facts'",
    "MessageSpec": "'message'",
    "SessionSpec": "'session'",
    "CaseSession": "'session'",
    "McpServer": "an MCP server",
}


def at_path(data: Any, path: KeyPath) -> Any:
    """The value at `path`; None where there is none."""
    for step in path:
        try:
            data = data[step]
        except (KeyError, IndexError, TypeError):
            return None
    return data


def takes(form: Any, value: Any) -> bool:
    """Whether a map, a list or something plain may stand there, as the value is one of them."""
    if bare(form) is Any:
        return True
    is_map = model_of(form) is not None or get_origin(bare(form)) is dict
    is_list = get_origin(bare(form)) is list
    if isinstance(value, dict):
        return is_map or is_text(form)
    return is_list if isinstance(value, list) else not is_map and not is_list


def nearest(name: str, names: Sequence[str]) -> str:
    """The one of `names` that a slip of the hand makes `name`; "" if none is near."""
    folded = {candidate.lower().replace("-", "_"): candidate for candidate in reversed(names)}
    wanted = name.lower().replace("-", "_").replace(" ", "_")
    alike = [candidate for candidate in folded if abs(len(candidate) - len(wanted)) <= _SLIP]
    found = get_close_matches(wanted, alike, 1, 0.7)
    return folded[found[0]] if found else ""


def did_you_mean(name: Any, names: Sequence[str], otherwise: str = "") -> str:
    """A hint at the nearest name, or else `otherwise`."""
    near = nearest(name, names) if isinstance(name, str) else ""
    return f"did you mean {near!r}?" if near else otherwise


def one_of(names: Sequence[str]) -> str:
    """`one of a, b, c`, or the first of many."""
    return f"one of {', '.join(names[:_FEW])}{', …' if len(names) > _FEW else ''}"


def found(value: Any) -> str:
    """What stands there, in words."""
    match value:
        case None:
            return "nothing"
        case bool():
            return str(value).lower()
        case int() | float():
            return f"the number {_short(str(value))}"
        case str():
            return f"the text {_short(value)!r}"
        case list():
            return "a list"
        case _:
            return "a map"


def _short(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:39]}…"


def named(model: type[SpecModel]) -> str:
    """What a part is called: `a gate`, `a step with 'call'`."""
    if model.__name__ in _NAMED_BY_KEY:
        return _NAMED_BY_KEY[model.__name__]
    words = re.sub(r"(?<!^)(?=[A-Z])", " ", model.__name__.removesuffix("Spec")).lower()
    if model is BaseStep:
        return "a step"
    if issubclass(model, BaseStep):
        return f"a step with {words.removesuffix(' step')!r}"
    if model.__name__.endswith("Spec") and "kind" in model.model_fields:
        return f"a spec of kind {model.__name__.removesuffix('Spec')}"
    return f"{'an' if words[0] in 'aeio' else 'a'} {words}"


def expected(form: Any, error: str) -> str:
    """What is asked for at a place, in words; `error` is the validator's name of the mistake."""
    if is_text(form):
        return "text, or a map with a text for each language"
    if get_origin(bare(form)) is list:
        return f"a list of {_several(item_of(form))}"
    if get_origin(bare(form)) is dict:
        return "a map"
    if form is Step or (model_of(form) and issubclass(model_of(form) or SpecModel, BaseStep)):
        return "a step, which is a map with one action"
    if model := model_of(form):
        return f"a map ({named(model)})"
    return _SCALARS.get(error, "another kind of value")


_SCALARS = {
    "string_type": "text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "list_type": "a list",
    "dict_type": "a map",
    "constant_type": "text, a number, true, false or a list",
    "bound_type": "a number, or text",
}


def _several(form: Any) -> str:
    if form is Step:
        return "steps"
    if model := model_of(form):
        words = named(model).split(" ", 1)[-1]
        return f"{words[:-1]}ies" if words.endswith("y") else f"{words}es" if words.endswith("ch") else f"{words}s"
    if get_origin(bare(form)) is dict:
        return "maps"
    return "texts" if is_text(form) or bare(form) is str else "values"
