"""The page of the language: the prose of `language.md` beside this file, with the tables that the models give."""

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from docs.generate.markdown import cell, code, listed, table
from interlock.expressions.filters import FILTERS, TESTS
from interlock.spec import KINDS
from interlock.spec.base import SpecModel
from interlock.spec.choosing import Choice, Proposal
from interlock.spec.deciding import Condition, Decision, Gate, Route, TableInput
from interlock.spec.expected import Expect, ExpectedCall, ExpectedFailure, ExpectedReply
from interlock.spec.fields import Argument, Check, Field
from interlock.spec.forms import bare, is_text, item_of, keys_of, model_of, models_in
from interlock.spec.models import Grounding, Limits, Memory, Model, ModelRule, NamedModel
from interlock.spec.patterns import DURATION, FORMS, SOURCE
from interlock.spec.rules import AnyOf, Beside, NotEmpty, OneOf
from interlock.spec.schema import editor_schema
from interlock.spec.specs import AgentSpec, Guard, Head, LibrarySpec, MessageSpec, ProcedureSpec, SessionSpec, Shared
from interlock.spec.steps import ACTIONS, BaseStep, Branch, Catch, ForEach, Repeat, Step
from interlock.spec.suite import (
    AskedRetry,
    Case,
    CaseSession,
    FoundStub,
    MemoryStub,
    ModelStub,
    ReceivedEvent,
    SentMessage,
    Stub,
    StubbedExchange,
    StubbedPassage,
    StubbedResult,
    Stubs,
    SuiteSpec,
    Turn,
)
from interlock.spec.tools import (
    Auth,
    Fact,
    Facts,
    Idempotency,
    McpServer,
    Mount,
    Outcome,
    Produces,
    ReadBack,
    Response,
    Retriever,
    Retry,
    Server,
    Tool,
)
from interlock.spec.words import Intent, Slot, SlotCheck, Term, Vocabulary

SOURCE_TEXT = Path(__file__).with_name("language.md")
MARKER = re.compile(r"^<!-- ([a-z]+)(?: (\w+))? -->$", re.MULTILINE)

TITLES: dict[type[SpecModel], str] = {
    Head: "Head",
    Shared: "Shared parts",
    AgentSpec: "Agent",
    ProcedureSpec: "Procedure",
    Guard: "Guard",
    MessageSpec: "Message",
    SessionSpec: "Session",
    Server: "Server",
    Auth: "Auth",
    McpServer: "MCP server",
    Limits: "Limits",
    Model: "Model",
    ModelRule: "Model rule",
    Grounding: "Grounding",
    Memory: "Memory",
    Vocabulary: "Vocabulary",
    Term: "Term",
    Slot: "Slot",
    SlotCheck: "Check of a slot",
    Intent: "Intent",
    Condition: "Condition",
    Decision: "Decision table",
    TableInput: "Input column",
    Field: "Field",
    Tool: "Tool",
    Argument: "Argument",
    Outcome: "Outcome",
    Produces: "Produced cell",
    Fact: "Fact",
    Facts: "Facts",
    Retry: "Retry",
    Idempotency: "Idempotency",
    ReadBack: "Read-back",
    Check: "Check",
    Response: "Response",
    Retriever: "Retriever",
    Mount: "Mount",
    Gate: "Gate",
    Route: "Route",
    Branch: "Branch",
    Choice: "Choice",
    Proposal: "Proposal",
    Catch: "Catch",
    Repeat: "Repeat",
    ForEach: "Loop",
    SuiteSpec: "Suite",
    Stubs: "Stubs",
    Stub: "Stub",
    ModelStub: "Model stub",
    FoundStub: "Retriever stub",
    StubbedPassage: "Stubbed passage",
    MemoryStub: "Memory stub",
    StubbedExchange: "Stubbed exchange",
    StubbedResult: "Stubbed result",
    Case: "Case",
    CaseSession: "Session of a case",
    NamedModel: "Named model",
    Turn: "Turn",
    SentMessage: "Sent message",
    ReceivedEvent: "Received event",
    AskedRetry: "Retry of a run",
    Expect: "Expect",
    ExpectedCall: "Expected call",
    ExpectedReply: "Expected reply",
    ExpectedFailure: "Expected failure",
}
"""What each model is called; every model of the language is here or is a step."""

FILTER_WORDS = {
    "show": "the value as people read it: the title of a code in the reader's language",
    "default": "another value where this one is missing or none",
    "join": "the items as one text",
    "length": "the number of items, attributes or characters",
    "first": "the first item; missing when there is none",
    "last": "the last item; missing when there is none",
    "map": "one field of every item",
    "any": "whether the comparison holds for an item",
    "all": "whether the comparison holds for every item",
    "sum": "the sum; whole numbers stay whole",
    "min": "the least item; missing when there is none",
    "max": "the greatest item; missing when there is none",
    "round": "rounded half away from zero, on the decimal digits",
    "abs": "without its sign",
    "sort": "least first; all numbers, or all texts",
    "unique": "every item once, in order of appearance",
    "lower": "small letters",
    "upper": "capital letters",
    "trim": "without white space at both ends",
    "replace": "every `old` by `new`",
    "number": "the number that a text writes",
    "string": "the value as text",
    "date": "the day of a date or time, seen at an offset",
    "datetime": "a time in canonical form, moved to an offset",
    "duration": "a duration such as `'30s'` as a number of seconds",
}
TEST_WORDS = {
    "defined": "the value is there: asks about what may be missing",
    "none": "the slot, intent, variable or optional value is unfilled",
    "in": "one of a list, or a part of a text; also written `x in [a, b]`",
    "within": "at most so far from `now`, back or ahead",
    "older_than": "longer ago than that",
}


def language() -> str:
    """The whole page."""
    left = set(models_of_language()) - set(TITLES) - {*ACTIONS.values(), BaseStep, LibrarySpec}
    assert not left, f"models without a title: {left}"
    return MARKER.sub(lambda found: _generated(found[1], found[2] or ""), SOURCE_TEXT.read_text(encoding="utf-8"))


def models_of_language() -> Iterator[type[SpecModel]]:
    """Every model that may stand in a spec."""
    for kind in KINDS.values():
        yield from models_in(kind)


def _generated(what: str, name: str) -> str:
    match what:
        case "model":
            return _model(next(model for model in TITLES if model.__name__ == name)).rstrip("\n")
        case "steps":
            return _steps().rstrip("\n")
        case "filters":
            rows = [
                [code(name), code(f"x | {rule.usage}"), _takes(rule.takes), FILTER_WORDS[name]]
                for name, rule in FILTERS.items()
            ]
            return table(["filter", "use", "takes", "gives"], rows).rstrip("\n")
        case "tests":
            rows = [[code(name), code(f"x {usage}"), TEST_WORDS[name]] for name, usage in TESTS.items()]
            return table(["test", "use", "holds when"], rows).rstrip("\n")
    raise ValueError(f"nothing is generated for {what!r}")


def _takes(kinds: tuple[str, ...]) -> str:
    return ", ".join(kinds) or "anything"


def _model(model: type[SpecModel]) -> str:
    return _table(model, [key for key in keys_of(model) if key not in _said_above(model)]) + _rules(model)


def _said_above(model: type[SpecModel]) -> set[str]:
    """The keys that the page has told before: those of the head, of the shared parts, of a Field."""
    if model in (Argument, TableInput):
        return set(keys_of(Field))
    above = {AgentSpec: Shared, ProcedureSpec: Shared, Shared: Head, SuiteSpec: Head}.get(model)
    return set(keys_of(above)) if above else set()


def _steps() -> str:
    text = "Every step may have:\n\n" + _table(BaseStep, list(keys_of(BaseStep)))
    for action, model in ACTIONS.items():
        keys = [key for key in keys_of(model) if key not in keys_of(BaseStep)]
        text += f"\n### Step `{action}`\n\n{_docstring(model)}\n\n{_table(model, keys)}{_rules(model)}"
    return text


def _table(model: type[SpecModel], keys: list[str]) -> str:
    rows = [[code(key), _shape(key, keys_of(model)[key]), _default(model, key), _meaning(model, key)] for key in keys]
    return table(["key", "value", "default", "meaning"], rows)


def _docstring(model: type[SpecModel]) -> str:
    return cell(inspect.cleandoc(model.__doc__ or "").split("\n\n")[0])


def _default(model: type[SpecModel], key: str) -> str:
    field = next(field for name, field in model.model_fields.items() if (field.alias or name) == key)
    if field.is_required():
        return "**required**"
    return (
        code(str(field.default).lower())
        if isinstance(field.default, bool | int)
        else code(field.default)
        if field.default
        else ""
    )


def _meaning(model: type[SpecModel], key: str) -> str:
    properties = _properties(model)
    return str(properties.get(key, {}).get("description", ""))


def _properties(model: type[SpecModel]) -> dict[str, Any]:
    schema = editor_schema()
    definitions = schema["definitions"]
    if model is BaseStep or model in ACTIONS.values():
        found: dict[str, Any] = {}
        for name in ("step", "procedure_step"):
            chain = definitions[name]
            while "then" in chain:
                if model is BaseStep or chain["if"]["required"] == [_action(model)]:
                    found |= chain["then"]["properties"]
                chain = chain["else"]
        return found
    kinds = {
        "AgentSpec": "Agent",
        "ProcedureSpec": "Procedure",
        "LibrarySpec": "Library",
        "SuiteSpec": "Suite",
        "Shared": "Library",
        "Head": "Library",
    }
    if kind := kinds.get(model.__name__):
        then = next(one["then"] for one in schema["allOf"] if one["if"]["properties"]["kind"]["const"] == kind)
        return dict(then["properties"])
    name = model.__name__
    return dict((definitions.get(name) or definitions[f"procedure_{name}"])["properties"])


def _action(model: type[SpecModel]) -> str:
    return next(action for action, one in ACTIONS.items() if one is model)


def _shape(key: str, form: Any) -> str:
    if key in ("when", "that", "until"):
        return "[expression](#expressions)"
    return _form(form)


def _form(form: Any) -> str:
    if is_text(form):
        return "[text](#texts)"
    if form is Step:
        return "[step](#steps)"
    if model := model_of(form):
        return f"[{TITLES[model]}](#{TITLES[model].lower().replace(' ', '-')})"
    if get_origin(bare(form)) is Literal:
        return listed(str(word).lower() if isinstance(word, bool) else str(word) for word in get_args(bare(form)))
    if get_origin(bare(form)) is list:
        return f"list of {_form(item_of(form))}"
    if get_origin(bare(form)) is dict:
        names, values = get_args(bare(form))
        return f"{_pattern(names) or 'text'} → {_form(values)}"
    return _plain(form)


def _plain(form: Any) -> str:
    if pattern := _pattern(form):
        return pattern
    if any(
        "json_schema" in str(one) or "WithJsonSchema" in type(one).__name__ for one in getattr(form, "__metadata__", ())
    ):
        schema = next(one.json_schema for one in form.__metadata__ if type(one).__name__ == "WithJsonSchema")
        return " or ".join(_json_types(schema["type"]))
    plain = {str: "text", int: "whole number", bool: "`true` or `false`", Any: "any value"}
    return plain.get(bare(form), "any value")


def _json_types(types: str | list[str]) -> list[str]:
    words = {"string": "text", "number": "number", "boolean": "truth value", "array": "list"}
    return [words[one] for one in ([types] if isinstance(types, str) else types)]


def _pattern(form: Any) -> str:
    patterns = [getattr(one, "pattern", None) for one in getattr(form, "__metadata__", ())]
    found = next((FORMS[one] for one in patterns if one in FORMS), None)
    if found is None:
        return ""
    if found is FORMS[DURATION]:
        return "[duration](#durations)"
    if found is FORMS[SOURCE]:
        return "[source](#argument)"
    return found.what.removeprefix("a ").removeprefix("an ").removeprefix("the ")


def _rules(model: type[SpecModel]) -> str:
    said = [sentence for rule in model.key_rules if (sentence := _rule(rule))]
    return f"\n{' '.join(said)}\n" if said else ""


def _rule(rule: Any) -> str:
    match rule:
        case OneOf(keys=keys, optional=True):
            return f"At most one of {listed(keys)}."
        case OneOf(keys=keys):
            return f"Exactly one of {listed(keys)}."
        case AnyOf(keys=keys):
            return f"At least one of {listed(keys)}."
        case Beside(key=key, needs=needs):
            return f"{code(key)} only beside {listed(needs)}."
        case NotEmpty():
            return "It is never empty."
    raise TypeError(f"no words for the rule {rule!r}")
