"""What every part of a spec shares: strict, closed models, the kinds of names, and the rules between keys."""

from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Generic, Literal, TypeAlias, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    StringConstraints,
    Tag,
    WithJsonSchema,
    model_validator,
)
from pydantic_core import PydanticCustomError

from interlock.spec.patterns import CHOSEN, DURATION, LANGUAGE, NAME, PATH, REFERENCE, SPEC_NAME, WIRE_NAME
from interlock.spec.rules import Broken, Rule

T = TypeVar("T")

if TYPE_CHECKING:
    Maybe: TypeAlias = T | None
else:

    class Maybe(Generic[T]):
        """An optional key: absent is None, but a written `null` is refused like any other wrong type."""

        def __class_getitem__(cls, item: Any) -> Any:
            return item


TAG = "\0"
"""What the tags of told-apart forms begin with, so that no key of a document is taken for one."""


def _text_form(value: Any) -> str | None:
    return TAG + "text" if isinstance(value, str) else TAG + "languages" if isinstance(value, dict) else None


Language = Annotated[str, StringConstraints(pattern=LANGUAGE)]
Name = Annotated[str, StringConstraints(pattern=NAME)]
SpecName = Annotated[str, StringConstraints(pattern=SPEC_NAME)]
WireName = Annotated[str, StringConstraints(pattern=WIRE_NAME)]
Path = Annotated[str, StringConstraints(pattern=PATH)]
Duration = Annotated[str, StringConstraints(pattern=DURATION)]
Reference = Annotated[str, StringConstraints(pattern=REFERENCE)]
Chosen = Annotated[str, StringConstraints(pattern=CHOSEN)]
"""A tool, or a procedure."""

Said = Annotated[str, StringConstraints(min_length=1)]
Expression = Annotated[str, StringConstraints(min_length=1)]
Value: TypeAlias = Any

Text = Annotated[
    Annotated[str, Tag(TAG + "text")] | Annotated[dict[Language, str], Field(min_length=1), Tag(TAG + "languages")],
    Discriminator(_text_form, custom_error_type="text_type", custom_error_message="text or a map of languages"),
]
"""A template for people, the same for all languages or one per language."""

Listed = Annotated[list[T], Field(min_length=1)]
Named = Annotated[dict[Name, T], Field(min_length=1)]
Wired = Annotated[dict[WireName, T], Field(min_length=1)]


def _constant(value: Any) -> Any:
    if value is None or isinstance(value, dict):
        raise PydanticCustomError("constant_type", "text, a number, true, false or a list")
    return value


Constant = Annotated[Any, AfterValidator(_constant), WithJsonSchema({"type": ["string", "number", "boolean", "array"]})]
"""A scalar or a list: a constant of `config`, or a cell of a table."""


def _bound(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise PydanticCustomError("bound_type", "a number or text")
    return value


Bound = Annotated[str | int | float, BeforeValidator(_bound), WithJsonSchema({"type": ["string", "number"]})]
"""A limit: a number, or text for dates and templates."""

TypeName = Literal["string", "integer", "number", "boolean", "date", "datetime", "list", "object"]


class SpecModel(BaseModel):
    """Base of everything an author writes: closed and strict, so that nothing written is ignored or bent."""

    model_config = ConfigDict(
        extra="forbid", strict=True, frozen=True, protected_namespaces=(), defer_build=True, hide_input_in_errors=True
    )

    key_rules: ClassVar[tuple[Rule, ...]] = ()

    @model_validator(mode="after")
    def _keep_the_rules(self) -> "SpecModel":
        if self.key_rules and (broken := first_broken(type(self), self.written())):
            raise PydanticCustomError("key_rule", "{message}", {"message": broken.message})
        return self

    def written(self) -> set[str]:
        """The YAML keys that the author wrote."""
        aliases = _aliases(type(self))
        return {aliases.get(name, name) for name in self.model_fields_set} if aliases else self.model_fields_set


@cache
def _aliases(model: type[SpecModel]) -> dict[str, str]:
    return {name: field.alias for name, field in model.model_fields.items() if field.alias}


def first_broken(model: type[SpecModel], keys: set[str]) -> Broken | None:
    """The first rule of `model` that a part with these keys breaks."""
    for rule in model.key_rules:
        if broken := rule.check(keys):
            return broken
    return None
