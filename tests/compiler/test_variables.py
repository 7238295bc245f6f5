"""Variables have the types of what all steps give them, and where those differ nothing is known."""

import json
from pathlib import Path

import pytest

from interlock.compiler import compile_bundle
from interlock.source import Bundle, read_document

SPEC = {
    "apiVersion": "interlock/v1",
    "kind": "Procedure",
    "name": "main",
    "input": {
        "flag": {"type": "boolean"},
        "day": {"type": "date"},
        "names": {"type": "list", "items": {"type": "string"}},
        "state": {"type": "string", "enum": ["open", "shut"]},
        "count": {"type": "integer", "optional": True},
    },
    "servers": {"hr": {"http": "https://hr.example"}},
    "tools": {
        "find": {
            "http": "GET /find",
            "effect": "read",
            "output": {"rows": {"type": "list", "stored": True}, "size": {"type": "integer"}},
        },
        "keep": {
            "http": "POST /rows",
            "effect": "read",
            "input": {"rows": {"type": "list", "stored": True, "from": "caller"}},
        },
    },
}


def codes(*steps):
    text = json.dumps({**SPEC, "steps": [*steps, {"call": "find", "id": "last"}]})
    document, _ = read_document(text.encode(), "main.yaml")
    found = compile_bundle(Bundle("test", Path(), (document,), {}), plans=False).diagnostics
    return [one.code for one in found if one.code not in ("doubtful-effect", "unused")]


def asked(when):
    return {"when": when, "do": [{"wait": "1h"}]}


def some(**values):
    return {"when": "input.flag", "set": values}


RIGHT = {
    "it may be none": ({"set": {"x": 1}}, asked("vars.x is none")),
    "one of two kinds": ({"set": {"x": 1}}, some(x="a"), asked("vars.x == 'a'"), asked("vars.x == 1")),
    "whole and other numbers": ({"set": {"x": 1}}, some(x=1.5), asked("vars.x > 2")),
    "one of several words": ({"set": {"x": "a"}}, some(x="b"), asked("vars.x == 'b'")),
    "a word and what is given": ({"set": {"x": "a"}}, some(x="{{ input.names.0 }}"), asked("vars.x == 'b'")),
    "a date as it is": ({"set": {"x": "{{ input.day }}"}}, asked("vars.x is older_than('7d')")),
    "the time as it is": ({"set": {"x": "{{ now }}"}}, asked("vars.x is within('24h')")),
    "two objects": ({"set": {"x": {"a": 1}}}, some(x={"b": 2}), asked("vars.x.b == 2")),
    "nothing at first": ({"set": {"x": None}}, some(x=3), asked("vars.x > 2")),
    "an empty list at first": ({"set": {"x": []}}, some(x="{{ input.names }}"), asked("'a' in vars.x")),
    "an item": (
        {
            "for_each": {
                "items": "{{ input.names }}",
                "as": "it",
                "key": "{{ it }}",
                "do": [{"set": {"x": "{{ it }}"}}, asked("vars.x == 'a'")],
            }
        },
    ),
    "a failure": (
        {"call": "find", "catch": [{"do": [{"set": {"x": "{{ error.kind }}"}}]}]},
        asked("vars.x == 'timeout'"),
    ),
    "what counts up": ({"set": {"x": 0}}, {"set": {"x": "{{ vars.x + 1 }}"}}, asked("vars.x > 1")),
    "what stands for itself": (
        {"set": {"x": "{{ vars.x | default(vars.x) }}"}},
        asked("vars.x == 1"),
        asked("vars.x == 'a'"),
    ),
    "what is stored": (
        {"call": "find"},
        {"set": {"x": "{{ steps.find.result.rows }}"}},
        {"call": "keep", "with": {"rows": "{{ vars.x }}"}},
    ),
    "what may be left out": ({"set": {"x": "{{ input.count }}"}}, asked("vars.x is none or vars.x > 3")),
}


@pytest.mark.parametrize("name", RIGHT)
def test_nothing_is_said_of(name: str):
    assert codes(*RIGHT[name]) == []


WRONG = {
    "a number that is a text": (({"set": {"x": 1}}, asked("vars.x == 'a'")), "compare-kinds"),
    "a word that it never is": (({"set": {"x": "a"}}, some(x="b"), asked("vars.x == 'c'")), "not-in-enum"),
    "an enum's": (({"set": {"x": "{{ input.state }}"}}, asked("vars.x == 'ajar'")), "not-in-enum"),
    "a field that is not there": (({"set": {"x": {"a": 1}}}, asked("vars.x.b == 2")), "unknown-attribute"),
    "an item of another kind": (({"set": {"x": "{{ input.names }}"}}, asked("3 in vars.x")), "compare-kinds"),
    "the result of a call": (
        ({"call": "find"}, {"set": {"x": "{{ steps.find.result.size }}"}}, asked("vars.x == 'a'")),
        "compare-kinds",
    ),
    "one made of another": (
        ({"set": {"x": 1}}, {"set": {"y": "{{ vars.x }}"}}, asked("vars.y == 'a'")),
        "compare-kinds",
    ),
    "a text of several": (({"set": {"x": "{{ input.state }}!"}}, asked("vars.x == 3")), "compare-kinds"),
    "an argument": (
        ({"set": {"x": "{{ input.flag }}"}}, {"call": "keep", "with": {"rows": "{{ vars.x }}"}}),
        "type-mismatch",
    ),
    "asked whether it is there": (({"set": {"x": 1}}, asked("vars.x is defined")), "always-defined"),
}


@pytest.mark.parametrize("name", WRONG)
def test_it_is_found_that_a_variable_is_taken_for(name: str):
    steps, code = WRONG[name]
    assert codes(*steps) == [code]
