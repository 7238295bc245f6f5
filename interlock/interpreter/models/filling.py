"""The step `generate` with `output`: fields that a model fills in from what it is shown, and nothing else."""

from itertools import islice
from typing import TYPE_CHECKING, Any

from interlock.interpreter.failures import StepFailed
from interlock.interpreter.models import roles
from interlock.interpreter.models.asking import entered, question
from interlock.interpreter.models.prompts import DATA, as_context, as_data, instructions_of, language_of
from interlock.interpreter.structured import object_schema
from interlock.interpreter.turn import Calling, Turn
from interlock.plan.fields import misfits_of, only_declared

if TYPE_CHECKING:
    from collections.abc import Mapping

    from interlock.interpreter.events import Generated
    from interlock.interpreter.state import Json
    from interlock.plan.base import Field
    from interlock.plan.steps import GenerateStep

FILL = "Fill in the fields from what you are shown, and from nothing else. Give null for what it does not say."
MISFITS_SHOWN = 3


def fill(turn: Turn, step: "GenerateStep", given: "Json") -> "Calling[Json]":
    """The fields of the step's `output`, as they are declared. Raises StepFailed `model` where there are none."""
    assert step.output is not None
    role = roles.writer(turn, step.role)
    asked = question(turn, step, "generation", role, _messages(turn, step, given), schema=_schema(step.output))
    came: Generated = (yield [asked])[0]
    entry = entered(turn, asked, came)
    answer = came.answer or {}
    value = answer.get("value")
    if isinstance(value, dict):
        problem = "; ".join(str(one) for one in islice(misfits_of(step.output, value), MISFITS_SHOWN))
        if not problem:
            return only_declared(step.output, value)
    else:
        problem = came.message or answer.get("problem") or "the model has filled in nothing"
    entry["problem"] = problem
    raise StepFailed("model", problem, step.id, step.at)


def _messages(turn: Turn, step: "GenerateStep", given: "Json") -> "list[Json]":
    rules = "\n".join(f"- {rule}" for rule in (FILL, f"Write texts in {language_of(turn)}.", DATA))
    return [
        {"role": "system", "content": "\n\n".join([*filter(None, instructions_of(turn, step)), rules])},
        {"role": "user", "content": as_context(as_data(given))},
    ]


def _schema(fields: "Mapping[str, Field]") -> "Json":
    return object_schema({name: _property(field) for name, field in fields.items()})


def _property(field: "Field") -> "Json":
    """The shape of a field, without the bounds that services do not know: those are told in words, and checked."""
    shape: dict[str, Any]
    if field.type == "object":
        shape = _schema(field.fields or {})
    elif field.type == "list" and field.items is not None:
        shape = {"type": "array", "items": _property(field.items)}
    else:
        shape = {"type": field.type}
    if field.enum:
        shape["enum"] = [*field.enum]
    if field.optional:
        shape["type"] = [shape["type"], "null"]
        shape |= {"enum": [*field.enum, None]} if field.enum else {}
    unit = "characters" if field.type == "string" else "items"
    bound = f"at most {field.max_length} {unit}" if field.max_length is not None else ""
    words = "; ".join(filter(None, (field.description, bound)))
    return {**shape, "description": words} if words else shape
