"""The editor schema: draft-07, made from the models, in the shape that the YAML language server completes best."""

import ast
import inspect
import sys
from functools import cache
from typing import Any, Literal, get_args, get_origin

from annotated_types import Ge, Le, MinLen
from pydantic import StringConstraints, WithJsonSchema
from pydantic.fields import FieldInfo

from interlock.spec import KINDS
from interlock.spec.base import SpecModel
from interlock.spec.forms import bare, is_text, item_of, keys_of, model_of
from interlock.spec.patterns import FORMS, LANGUAGE
from interlock.spec.steps import ACTIONS, NEEDED_IN_PROCEDURE, TALKING, WORKING, BaseStep, Step

Schema = dict[str, Any]

_TEXT: Schema = {
    "description": "Text for people: a template, or one per language.",
    "anyOf": [
        {"type": "string"},
        {
            "type": "object",
            "properties": {"zh": {"type": "string"}, "en": {"type": "string"}},
            "propertyNames": {"pattern": LANGUAGE},
            "additionalProperties": {"type": "string"},
            "minProperties": 1,
        },
    ],
}
_PLAIN: dict[Any, Schema] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    Any: {},
}


def editor_schema() -> Schema:
    """The JSON Schema of a spec file: `kind` decides, by if and then, which keys there are."""
    return _Maker().schema()


class _Maker:
    def __init__(self) -> None:
        self._definitions: dict[str, Schema] = {"text": _TEXT}
        self._prefix = ""
        self._left_out = WORKING

    def schema(self) -> Schema:
        kinds = list(KINDS)
        return {
            "$schema": "http://json-schema.org/draft-07/schema#",
            "title": "Interlock spec v1",
            "type": "object",
            "required": ["apiVersion", "kind", "name"],
            "properties": {
                **{key: self._key(KINDS["Library"], key) for key in ("apiVersion", "name", "title", "description")},
                "kind": {"enum": kinds, "description": "What this file describes."},
            },
            "allOf": [
                {
                    "if": {"properties": {"kind": {"const": kind}}, "required": ["kind"]},
                    "then": self._kind(kind, model) | {"description": _description(model)},
                }
                for kind, model in KINDS.items()
            ],
            "definitions": dict(sorted(self._definitions.items())),
        }

    def _kind(self, kind: str, model: type[SpecModel]) -> Schema:
        """A kind of spec; the steps of a Procedure, and all that holds steps, have definitions of their own."""
        is_procedure = kind == "Procedure"
        self._prefix, self._left_out = ("procedure_", TALKING) if is_procedure else ("", WORKING)
        return self._closed(model)

    def _key(self, model: type[SpecModel], key: str) -> Schema:
        description = _descriptions(model).get(key, "")
        return self._form(keys_of(model)[key]) | ({"description": description} if description else {})

    def _closed(self, model: type[SpecModel]) -> Schema:
        required = [field.alias or name for name, field in model.model_fields.items() if field.is_required()]
        return {
            "type": "object",
            "properties": {key: self._key(model, key) for key in self._keys(model)},
            "additionalProperties": False,
            **({"required": required} if required else {}),
        }

    def _keys(self, model: type[SpecModel]) -> list[str]:
        left_out = self._left_out if issubclass(model, BaseStep) else frozenset()
        return [key for key in keys_of(model) if key not in left_out]

    def _form(self, form: Any) -> Schema:
        if is_text(form):
            return {"$ref": "#/definitions/text"}
        if form is Step:
            return self._defined(f"{self._prefix}step", self._steps)
        if model := model_of(form):
            name = f"{self._prefix}{model.__name__}" if _holds_steps(model) else model.__name__
            return self._defined(name, lambda: self._closed(model) | {"description": _description(model)})
        if bare(form) is not form:
            return _constrained(self._form(bare(form)), get_args(form)[1:])
        if get_origin(form) is Literal:
            words = list(get_args(form))
            return {"const": words[0]} if len(words) == 1 else {"enum": words}
        if get_origin(form) is list:
            return {"type": "array", "items": self._form(get_args(form)[0])}
        if get_origin(form) is dict:
            names, values = get_args(form)
            names_schema = {key: value for key, value in self._form(names).items() if key != "type"}
            named = {"propertyNames": names_schema} if names_schema else {}
            return {"type": "object", **named, "additionalProperties": self._form(values)}
        return dict(_PLAIN.get(form, {}))

    def _defined(self, name: str, make: Any) -> Schema:
        if name not in self._definitions:
            self._definitions[name] = {}
            self._definitions[name] = make()
        return {"$ref": f"#/definitions/{name}"}

    def _steps(self) -> Schema:
        """A chain: the first action that is there decides; without one, all actions are offered.

        `type: object` keeps an empty step, which is null, out of the first branch.
        """
        common = {key: self._key(BaseStep, key) for key in self._keys(BaseStep)}
        here = {action: model for action, model in ACTIONS.items() if action not in self._left_out}
        actions = {action: self._key(model, action) for action, model in here.items()}
        chain: Schema = {"type": "object", "properties": {**common, **actions}, "additionalProperties": False}
        for action, model in reversed(here.items()):
            condition = {"type": "object", "required": [action]}
            step = self._closed(model) | {"description": _description(model)}
            if self._left_out is TALKING and (needed := NEEDED_IN_PROCEDURE.get(action)):
                step["required"] = [*step["required"], needed]
            chain = {"if": condition, "then": step, "else": chain}
        return chain


def _holds_steps(model: type[SpecModel]) -> bool:
    """Whether a part other than a step holds steps."""
    return any(item_of(form) is Step or item_of(bare(form)) is Step for form in keys_of(model).values())


def _constrained(schema: Schema, metadata: tuple[Any, ...]) -> Schema:
    size = {"array": "minItems", "object": "minProperties"}.get(schema.get("type", ""), "minLength")
    for constraint in metadata:
        match constraint:
            case WithJsonSchema():
                schema = dict(constraint.json_schema or {})
            case FieldInfo():
                schema = _constrained(schema, tuple(constraint.metadata))
            case StringConstraints():
                given = {"pattern": constraint.pattern, "minLength": constraint.min_length}
                schema |= {key: value for key, value in given.items() if value is not None}
            case MinLen():
                schema[size] = constraint.min_length
            case Ge():
                schema["minimum"] = constraint.ge
            case Le():
                schema["maximum"] = constraint.le
            case _:
                continue
    if form := FORMS.get(schema.get("pattern", "")):
        schema["patternErrorMessage"] = f"not {form.what}: {form.looks}"
    return schema


def _description(model: type[SpecModel]) -> str:
    return inspect.cleandoc(model.__doc__ or "").split("\n\n")[0]


def _descriptions(model: type[SpecModel]) -> dict[str, str]:
    """What the docstrings under the fields of a model say, by YAML key."""
    said: dict[str, str] = {}
    for owner in reversed(model.__mro__):
        said |= _docstrings(owner.__module__).get(owner.__name__, {}) if issubclass(owner, SpecModel) else {}
    return {field.alias or name: said[name] for name, field in model.model_fields.items() if name in said}


@cache
def _docstrings(module: str) -> dict[str, dict[str, str]]:
    """The docstrings under the fields of each class of a module, which Python itself does not keep."""
    tree = ast.parse(inspect.getsource(sys.modules[module]))
    return {node.name: _field_docstrings(node) for node in tree.body if isinstance(node, ast.ClassDef)}


def _field_docstrings(node: ast.ClassDef) -> dict[str, str]:
    found: dict[str, str] = {}
    for before, after in zip(node.body, node.body[1:], strict=False):
        match before, after:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                found[name] = inspect.cleandoc(text)
            case _:
                continue
    return found
