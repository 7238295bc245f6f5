"""What stands in a mended spec where something required is missing, so that all around it can be checked."""

from __future__ import annotations

from typing import Any, get_origin

from pydantic import TypeAdapter, ValidationError

from interlock.spec.forms import bare, choices_of, item_of, keys_of, model_of
from interlock.spec.rules import NotEmpty
from interlock.spec.steps import Step

STAND_IN = "true"
"""A name, a text and an expression; nothing is said of it where a name is asked for."""

_SCALARS = (STAND_IN, "caller", "user.id", "en", "1s", "GET /", "0" * 64, "true.true", True, 1, 200)


def stand_in(form: Any) -> Any:
    """A value of that form, as far as its keys go; the rules between them may want more of it."""
    if form is Step:
        return {"set": {STAND_IN: STAND_IN}}
    if model := model_of(form):
        fields = model.model_fields.values()
        wanted = [form for field, form in zip(fields, keys_of(model).items(), strict=True) if field.is_required()]
        if not wanted and any(isinstance(rule, NotEmpty) for rule in model.key_rules):
            wanted = [*keys_of(model).items()][:1]
        return {key: stand_in(inner) for key, inner in wanted}
    if get_origin(bare(form)) is list:
        return [stand_in(item_of(form))]
    if get_origin(bare(form)) is dict:
        return {STAND_IN: stand_in(item_of(form))}
    adapter = TypeAdapter(form)
    return next(value for value in (*choices_of(form), *_SCALARS) if _fits(adapter, value))


def _fits(adapter: TypeAdapter[Any], value: Any) -> bool:
    try:
        adapter.validate_python(value, strict=True)
    except ValidationError:
        return False
    return True
