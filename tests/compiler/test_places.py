"""Each check in each place where a step may stand: steps that must be refused there, and steps that must pass."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from interlock.compiler import compile_bundle
from interlock.source import Bundle, read_document

Json: TypeAlias = dict[str, Any]
Steps: TypeAlias = list[Json]

VERSION = "interlock/v1"
TEXT = {"type": "string"}
WRITES = {"effect": "write", "idempotency": {"header": "Idempotency-Key"}, "ensures": [{"that": "result.done != ''"}]}
LIBRARY: Json = {
    "apiVersion": VERSION,
    "kind": "Library",
    "name": "parts",
    "servers": {"hr": {"http": "https://hr.example"}},
    "conditions": {
        "approved": {"that": "input.ok"},
        "known": {"call": "look", "that": "result.good"},
    },
    "tools": {
        "find": {
            "http": "GET /find",
            "effect": "read",
            "output": {"id": TEXT},
            "produces": {"id": {"at": "id"}},
        },
        "brief": {
            "http": "GET /brief",
            "effect": "read",
            "output": {"id": TEXT},
            "produces": {"id": {"at": "id", "scope": "turn"}},
        },
        "show": {
            "http": "GET /shown/{id}",
            "effect": "read",
            "input": {"id": {"type": "string", "from": "cells.find.id", "max_age": "2h"}},
        },
        "look": {
            "http": "GET /look/{id}",
            "effect": "read",
            "input": {"id": {"type": "string", "from": "cells.find.id"}},
            "output": {"good": {"type": "boolean"}},
        },
        "ping": {"http": "GET /ping", "effect": "none"},
        "spare": {**WRITES, "http": "POST /notices", "output": {"done": TEXT}},
        "pay": {**WRITES, "http": "POST /payments", "output": {"done": TEXT}},
        "pay_known": {
            **WRITES,
            "http": "POST /payments",
            "requires": [{"call": "look", "that": "result.good"}],
            "output": {"done": TEXT},
        },
        "pay_for": {
            **WRITES,
            "http": "POST /payments",
            "idempotency": {"header": "Idempotency-Key", "key": "pay-{{ args.whom }}"},
            "input": {"whom": {"type": "string", "from": "caller"}},
            "output": {"done": TEXT},
        },
        "count": {
            "http": "GET /count/{top}",
            "effect": "read",
            "input": {"top": {"type": "number", "from": "caller"}},
        },
    },
}
SAFE = {"when": "conditions.approved"}


def loop(name: str, do: Steps, key: str = "") -> Json:
    return {"for_each": {"items": ["a", "b"], "as": name, "key": key or f"{{{{ {name} }}}}", "do": do}}


PLACES: dict[str, Callable[[Steps], Steps]] = {
    "at the top": lambda steps: steps,
    "in a group": lambda steps: [{"do": steps}],
    "in a branch": lambda steps: [{"switch": [{"when": "input.ok", "do": steps}]}],
    "in the other branch": lambda steps: [{"switch": [{"when": "input.ok", "do": [{"call": "ping"}]}, {"do": steps}]}],
    "in a lane": lambda steps: [{"parallel": {"one": steps, "two": [{"call": "ping"}]}}],
    "in a lane named switch": lambda steps: [{"parallel": {"switch": steps, "two": [{"call": "ping"}]}}],
    "in a pass": lambda steps: [loop("outer", steps)],
    "in a pass of a pass": lambda steps: [loop("outer", [loop("inner", steps)])],
    "in a catch": lambda steps: [{"call": "ping", "catch": [{"errors": ["timeout"], "do": steps}]}],
    "in the second catch": lambda steps: [
        {"call": "ping", "catch": [{"errors": ["timeout"], "do": [{"set": {"late": True}}]}, {"do": steps}]}
    ],
    "in an undoing": lambda steps: [{"call": "spare", "compensate": steps}],
    "in the undoing of a group": lambda steps: [
        {"do": [{"call": "spare"}], "compensate": steps},
    ],
    "in a branch of an undoing": lambda steps: [
        {"call": "spare", "compensate": [{"switch": [{"when": "input.ok", "do": steps}]}]}
    ],
    "in the catch of an undoing": lambda steps: [
        {"call": "spare", "compensate": [{"call": "ping", "catch": [{"do": steps}]}]}
    ],
    "in the undoing of a pass": lambda steps: [loop("outer", [{"call": "spare", "compensate": steps}])],
}

CHECKS: dict[str, tuple[str, Steps, Steps]] = {
    "a cell is filled before": (
        "cell-never-filled",
        [{"call": "show"}],
        [{"call": "find"}, {"call": "show"}],
    ),
    "a cell of a check is filled before": (
        "cell-never-filled",
        [{**SAFE, "call": "pay_known"}],
        [{"call": "find"}, {**SAFE, "call": "pay_known"}],
    ),
    "a cell of a condition's call is filled before": (
        "cell-never-filled",
        [{"when": "conditions.known", "set": {"a": 1}}],
        [{"call": "find"}, {"when": "conditions.known", "set": {"a": 1}}],
    ),
    "a cell of a repeated call": (
        "cell-never-filled",
        [{"call": "look", "repeat": {"until": "result.good", "every": "1s", "timeout": "1m"}}],
        [{"call": "find", "repeat": {"until": "cells.find.id != ''", "every": "1s", "timeout": "1m"}}],
    ),
    "one branch fills for another": (
        "cell-not-filled-yet",
        [{"switch": [{"when": "input.ok", "do": [{"call": "find"}]}, {"do": [{"call": "show"}]}]}],
        [{"switch": [{"when": "input.ok", "do": [{"call": "find"}, {"call": "show"}]}, {"do": [{"set": {"b": 1}}]}]}],
    ),
    "one lane fills for another": (
        "cell-not-filled-yet",
        [{"parallel": {"a": [{"call": "find"}], "b": [{"call": "show"}]}}],
        [{"parallel": {"a": [{"call": "find"}], "b": [{"set": {"a": 1}}]}}, {"call": "show"}],
    ),
    "a pass fills for what follows": (
        "cell-not-filled-yet",
        [loop("it", [{"call": "find"}]), {"call": "show"}],
        [loop("it", [{"call": "find"}, {"call": "show"}])],
    ),
    "it is filled on every path": (
        "cell-may-be-missing",
        [{"when": "input.word == 'x'", "call": "find"}, {"call": "show"}],
        [{"when": "input.word == 'x'", "call": "find"}, {"when": "cells.find.id is defined", "call": "show"}],
    ),
    "it is young enough": (
        "cell-too-old",
        [{"call": "find"}, {"wait": "3h"}, {"call": "show"}],
        [{"call": "find"}, {"wait": "1h"}, {"call": "show"}],
    ),
    "a cell lives as long as the run": ("not-in-procedure", [{"call": "brief"}], [{"call": "find"}]),
    "a result is there": (
        "result-not-there",
        [
            {
                "switch": [
                    {"when": "input.ok", "do": [{"call": "find"}]},
                    {"do": [{"set": {"a": "{{ steps.find.result.id }}"}}]},
                ]
            }
        ],
        [{"call": "find"}, {"set": {"a": "{{ steps.find.result.id }}"}}],
    ),
    "a value is of the type that is taken": (
        "type-mismatch",
        [{"call": "find"}, {"call": "count", "with": {"top": "{{ cells.find.id }}"}}],
        [{"call": "find"}, {"call": "count", "with": {"top": "{{ cells.find.id | number }}"}}],
    ),
    "a key differs between items": (
        "same-key",
        [loop("it", [{**SAFE, "call": "pay_for", "with": {"whom": "{{ input.word }}"}}])],
        [loop("it", [{**SAFE, "call": "pay_for", "with": {"whom": "{{ it }} {{ input.word }}"}}])],
    ),
    "a key differs between steps": (
        "same-key",
        [
            {**SAFE, "call": "pay_for", "id": "one", "with": {"whom": "x {{ input.word }}"}},
            {**SAFE, "call": "pay_for", "id": "two", "with": {"whom": "x {{ input.word }}"}},
        ],
        [
            {**SAFE, "call": "pay_for", "id": "one", "with": {"whom": "x {{ input.word }}"}},
            {**SAFE, "call": "pay_for", "id": "two", "with": {"whom": "y {{ input.word }}"}},
        ],
    ),
    "a key stays the same": (
        "unstable-key",
        [{**SAFE, "call": "pay_for", "with": {"whom": "{{ now }}"}}],
        [{**SAFE, "call": "pay_for", "with": {"whom": "{{ run.id }}"}}],
    ),
    "a loop that writes has a key": (
        "loop-without-key",
        [{"for_each": {"items": ["a", "b"], "as": "it", "do": [{**SAFE, "call": "pay"}]}}],
        [{"for_each": {"items": ["a", "b"], "as": "it", "do": [{"set": {"b": 1}}]}}],
    ),
    "a write is guarded": ("unguarded", [{"call": "pay"}], [{**SAFE, "call": "pay"}]),
    "a write is not repeated": (
        "repeated-write",
        [{**SAFE, "call": "pay", "repeat": {"until": "result.done != ''", "every": "1s", "timeout": "1m"}}],
        [{"call": "find", "repeat": {"until": "result.id != ''", "every": "1s", "timeout": "1m"}}],
    ),
    "a call is given its arguments": (
        "unbound-argument",
        [{"call": "count"}],
        [{"call": "count", "with": {"top": 1}}],
    ),
    "a procedure is given its input": (
        "unbound-argument",
        [{"run": "counted"}],
        [{"run": "counted", "with": {"top": 1}}],
    ),
    "a procedure is given the type that it takes": (
        "type-mismatch",
        [{"run": "counted", "with": {"top": "{{ input.word }}"}}],
        [{"run": "counted", "with": {"top": "{{ input.word | number }}"}}],
    ),
    "a procedure gives back the type that is taken": (
        "type-mismatch",
        [{"run": "named", "id": "n"}, {"run": "counted", "with": {"top": "{{ steps.n.result.name }}"}}],
        [{"run": "named", "id": "n"}, {"run": "counted", "with": {"top": "{{ steps.n.result.number }}"}}],
    ),
}
CHILDREN: list[Json] = [
    {
        "apiVersion": VERSION,
        "kind": "Procedure",
        "name": "counted",
        "input": {"top": {"type": "number"}},
        "steps": [{"set": {"top": "{{ input.top }}"}}],
    },
    {
        "apiVersion": VERSION,
        "kind": "Procedure",
        "name": "named",
        "uses": ["parts"],
        "steps": [{"call": "find"}],
        "result": {"name": "{{ cells.find.id }}", "number": "{{ cells.find.id | number }}"},
    },
]
HEAD: Json = {
    "apiVersion": VERSION,
    "kind": "Procedure",
    "uses": ["parts"],
    "input": {"ok": {"type": "boolean"}, "word": {"type": "string"}},
}
GUARD = [{"effect": "write", "by": "approved", "except": ["spare"]}]
HANDED_ON = {"ok": "{{ input.ok }}", "word": "{{ input.word }}"}


def found(*specs: Json) -> list[tuple[str, str]]:
    documents = []
    for spec in (LIBRARY, *CHILDREN, *specs):
        document, read = read_document(json.dumps(spec).encode(), f"{spec['name']}.yaml")
        assert document is not None
        assert read == []
        documents.append(document)
    compiled = compile_bundle(Bundle("test", Path(), tuple(documents), {}), plans=False)
    return [(one.code, one.location.file) for one in compiled.diagnostics]


def main(steps: Steps) -> Json:
    return {**HEAD, "name": "main", "guard": GUARD, "steps": steps}


OF_KEYS = {"a key differs between items", "a key differs between steps", "a key stays the same"}
PASSES = {"in a pass", "in a pass of a pass", "in the undoing of a pass"}
"""Where a key that is right elsewhere is the same for all items of the loop around."""


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("check", CHECKS)
def test_what_is_wrong_is_refused_wherever_it_stands_and_what_is_right_passes(check: str, place: str):
    code, wrong, right = CHECKS[check]
    expected = ["same-key"] if check in OF_KEYS and place in PASSES else []
    assert {code} == {one for one, _ in found(main(PLACES[place](wrong))) if one == code or one not in expected}
    assert sorted({one for one, _ in found(main(PLACES[place](right)))}) == expected


OF_THE_CALLER = {"a write is guarded"}
"""Checks of a procedure that are told where it is run."""


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("check", CHECKS)
def test_the_same_in_a_procedure_that_another_runs_which_another_runs(check: str, place: str):
    code, wrong, right = CHECKS[check]
    between = {**HEAD, "name": "between", "steps": [{"run": "last", "with": HANDED_ON}]}
    top = main([{"run": "between", "with": HANDED_ON}])
    told = "main.yaml" if check in OF_THE_CALLER else "last.yaml"
    last = {**HEAD, "name": "last", "steps": PLACES[place](wrong)}
    expected = ["same-key"] if check in OF_KEYS and place in PASSES else []
    assert {(code, told)} == {one for one in found(top, between, last) if one[0] == code or one[0] not in expected}
    last = {**HEAD, "name": "last", "steps": PLACES[place](right)}
    assert sorted({one for one, _ in found(top, between, last)}) == expected
