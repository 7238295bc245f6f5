"""What may stand where in a spec: from a path in a document to the model or type that is asked for there."""

from collections.abc import Iterator
from functools import cache
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from interlock.spec.base import SpecModel, Text
from interlock.spec.steps import ACTIONS, BaseStep, Step, action_of

KeyPath = tuple[str | int, ...]


@cache
def keys_of(model: type[SpecModel]) -> dict[str, Any]:
    """The YAML keys of a model and the type that each asks for, in the order of the model."""
    if not model.__pydantic_fields_complete__:
        model.model_rebuild()
    return {
        field.alias or name: Annotated[field.annotation, *field.metadata] if field.metadata else field.annotation
        for name, field in model.model_fields.items()
    }


def form_at(model: Any, data: Any, path: KeyPath) -> Any:
    """The type asked for at `path` of `data`, which should have the form `model`; None where none is."""
    form: Any = model
    for step in path:
        form = _inside(told_apart(form, data), step)
        if form is None:
            return None
        data = _child(data, step)
    return told_apart(form, data)


def told_apart(form: Any, value: Any) -> Any:
    """A step's model by the action that `value` has; any other form as it is."""
    if form is Step:
        action = action_of(value)
        return ACTIONS[action] if action else BaseStep
    return form


def bare(form: Any) -> Any:
    """A type without what is said about it."""
    return get_args(form)[0] if get_origin(form) is Annotated else form


def is_text(form: Any) -> bool:
    """Whether a text for people is asked for."""
    return bool(form == Text)


def model_of(form: Any) -> type[SpecModel] | None:
    """The model asked for, if it is one."""
    form = bare(form)
    return form if isinstance(form, type) and issubclass(form, SpecModel) else None


def choices_of(form: Any) -> tuple[Any, ...]:
    """The words that may stand there, if only some may."""
    form = bare(form)
    return get_args(form) if get_origin(form) is Literal else ()


def item_of(form: Any) -> Any:
    """What a list asks for in each item, or a map in each value; None for other forms."""
    form = bare(form)
    if get_origin(form) is list:
        return get_args(form)[0]
    return get_args(form)[1] if get_origin(form) is dict else None


def models_in(model: type[SpecModel]) -> Iterator[type[SpecModel]]:
    """A model and all that may stand within it, each once."""
    seen: dict[type[SpecModel], None] = {}
    waiting: list[Any] = [model]
    while waiting:
        form = waiting.pop(0)
        if form is Step:
            waiting += ACTIONS.values()
        elif found := model_of(form):
            if found not in seen:
                seen[found] = None
                waiting += keys_of(found).values()
        elif (item := item_of(form)) is not None:
            waiting.append(item)
    yield from seen


def _inside(form: Any, step: str | int) -> Any:
    if model := model_of(form):
        return keys_of(model).get(step) if isinstance(step, str) else None
    form = bare(form)
    if get_origin(form) in (Union, UnionType):
        return str
    return item_of(form)


def _child(data: Any, step: str | int) -> Any:
    if isinstance(data, dict):
        return data.get(step) if isinstance(step, str) else None
    return data[step] if isinstance(data, list) and isinstance(step, int) and step < len(data) else None
