"""Keys that a procedure's input fixes, followed through the procedures that run it to the loop in which they differ or not."""

import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from interlock.compiler import Compiled, compile_bundle
from interlock.source import Bundle, read_document

HEAD = {"apiVersion": "interlock/v1", "kind": "Procedure"}
PARTS: dict[str, Any] = {
    "apiVersion": "interlock/v1",
    "kind": "Library",
    "name": "parts",
    "servers": {"hr": {"http": "https://hr.example"}},
    "config": {"part": "net"},
    "decisions": {
        "batch": {
            "hit": "first",
            "inputs": {"month": {"type": "string", "value": "{{ input.month }}"}},
            "outputs": {"name": {"type": "string"}},
            "rules": [{"month": "2026-01", "name": "first"}, {"name": "later"}],
        }
    },
    "tools": {
        "pay": {
            "http": "POST /payments",
            "effect": "write",
            "idempotency": {"header": "Idempotency-Key", "key": "pay-{{ args.of }}"},
            "input": {"of": {"type": "string", "from": "caller"}},
            "output": {"payment": {"type": "string"}},
            "ensures": [{"that": "result.payment != ''"}],
        },
        "post": {
            "http": "POST /entries",
            "effect": "write",
            "idempotency": {"header": "Idempotency-Key"},
            "output": {"entry": {"type": "string"}},
            "ensures": [{"that": "result.entry != ''"}],
        },
        "find": {
            "http": "GET /find",
            "effect": "read",
            "output": {"id": {"type": "string"}},
            "produces": {"id": {"at": "id"}},
        },
    },
}
TEXT = {"type": "string", "optional": True}
INPUT = {"month": TEXT, "member": TEXT}
BOTH = {"month": "{{ input.month }}", "member": "{{ input.member }}"}


def compiled(*specs: dict[str, Any]) -> Compiled:
    """What is told of specs, but for keys that are the same in every run: these are told wherever they are."""
    documents = []
    for spec in (PARTS, *specs):
        document, found = read_document(json.dumps(spec).encode(), f"{spec['name']}.yaml")
        assert document is not None
        assert found == []
        documents.append(document)
    made = compile_bundle(Bundle("test", Path(), tuple(documents), {}), plans=False)
    return replace(made, diagnostics=[one for one in made.diagnostics if one.code != "constant-key"])


def procedure(name: str, steps: list[Any]) -> dict[str, Any]:
    return {**HEAD, "name": name, "uses": ["parts"], "input": INPUT, "steps": steps}


def loop(do: list[Any], items: Any = ("a", "b"), name: str = "it") -> dict[str, Any]:
    return {"for_each": {"items": items, "as": name, "key": f"{{{{ {name} }}}}", "do": do}}


def pay(of: str) -> dict[str, Any]:
    return {"call": "pay", "with": {"of": of}}


def run(name: str, given: dict[str, Any]) -> dict[str, Any]:
    return {"run": name, "with": given}


def errors(*specs: dict[str, Any]) -> list[tuple[str, str]]:
    return [(one.code, one.message.split(" calls ")[0]) for one in compiled(*specs).diagnostics]


LAST = {
    "the month": ([pay("{{ input.month }}")], True),
    "the member": ([pay("{{ input.member }}")], False),
    "both": ([pay("{{ input.month }}/{{ input.member }}")], False),
    "nothing": ([pay("all")], True),
    "a constant": ([pay("{{ config.part }}")], True),
    "the run": ([pay("{{ run.id }}")], False),
    "a variable": ([{"set": {"of": "{{ input.month }}"}}, pay("{{ vars.of }}")], True),
    "a variable of the member": ([{"set": {"of": "{{ input.member }}"}}, pay("{{ vars.of }}")], False),
    "a variable with two values": (
        [{"set": {"of": "a"}}, {"when": "input.member == 'a'", "set": {"of": "b"}}, pay("{{ vars.of }}")],
        False,
    ),
    "a variable of another": (
        [{"set": {"one": "{{ input.month }}"}}, {"set": {"of": "{{ vars.one }}"}}, pay("{{ vars.of }}")],
        True,
    ),
    "a table": ([pay("{{ decisions.batch.name }}")], True),
    "a call before": ([{"call": "find"}, pay("{{ cells.find.id }}")], False),
    "a result before": ([{"call": "find"}, pay("{{ steps.find.result.id }}")], False),
    "an item of a loop of its own": ([loop([pay("{{ part }}")], name="part")], True),
    "an item and the member": ([loop([pay("{{ part }}{{ input.member }}")], name="part")], False),
    "in a lane": ([{"parallel": {"one": [pay("{{ input.month }}")], "two": [{"call": "find"}]}}], True),
    "in a branch": ([{"switch": [{"when": "input.month is none", "do": [pay("x")]}]}], True),
    "in a catch": ([{"call": "find", "catch": [{"do": [pay("{{ input.month }}")]}]}], True),
    "in an undoing": (
        [{**pay("{{ input.member }}"), "compensate": [{**pay("{{ input.month }}"), "id": "back"}]}],
        True,
    ),
}


@pytest.mark.parametrize("name", LAST)
@pytest.mark.parametrize("depth", [1, 2, 3, 5])
def test_a_key_is_followed_to_whatever_depth(name: str, depth: int):
    steps, same = LAST[name]
    between = [procedure(f"p{at}", [run(f"p{at + 1}", BOTH)]) for at in range(1, depth)]
    main = procedure("main", [loop([run("p1", {"month": "{{ input.month }}", "member": "{{ it }}"})])])
    way = " → ".join(f"p{at}" for at in range(1, depth + 1))
    assert errors(main, *between, procedure(f"p{depth}", steps)) == ([("same-key", repr(way))] if same else [])


BETWEEN = {
    "what differs is handed on": ([run("last", {"month": "{{ input.member }}"})], False),
    "what differs is left behind": ([run("last", {"month": "{{ input.month }}"})], True),
    "what differs is taken in on the way": ([{"call": "find"}, run("last", {"month": "{{ cells.find.id }}"})], False),
    "the run between is another": ([run("last", {"month": "{{ run.id }}"})], False),
    "nothing is given": ([run("last", {"member": "x"})], True),
    "a part of a text": ([run("last", {"month": "{{ input.month }} {{ input.member }}"})], False),
    "in a catch": ([{"call": "find", "catch": [{"do": [run("last", {"month": "x"})]}]}], True),
    "in a lane": ([{"parallel": {"one": [run("last", {"month": "x"})], "two": [{"call": "find"}]}}], True),
    "in an undoing": ([{**pay("{{ input.member }}"), "compensate": [run("last", {"month": "x"})]}], True),
}


@pytest.mark.parametrize("name", BETWEEN)
def test_a_key_is_as_different_as_what_is_handed_on(name: str):
    steps, same = BETWEEN[name]
    main = procedure("main", [loop([run("between", {"month": "{{ input.month }}", "member": "{{ it }}"})])])
    last = procedure("last", [pay("{{ input.month }}")])
    expected = [("same-key", "'between → last'")] if same else []
    assert errors(main, procedure("between", steps), last) == expected


def test_the_outer_loop_counts_as_much_as_the_inner():
    inner = loop([run("last", {"month": "{{ part }}"})], name="part")
    main = procedure("main", [loop([inner])])
    found = compiled(main, procedure("last", [pay("{{ input.month }}")])).diagnostics
    assert [one.code for one in found] == ["same-key"]
    assert found[0].also[-1][0].column == json.dumps(main).index('"for_each"') + 1


def test_procedures_that_run_each_other_for_ever_are_told_and_nothing_else():
    main = procedure("main", [loop([run("one", {"month": "x", "member": "{{ it }}"})])])
    one = procedure("one", [pay("{{ input.member }}"), run("two", BOTH)])
    two = procedure("two", [run("one", BOTH)])
    assert {code for code, _ in errors(main, one, two)} == {"procedure-circle"}


def _seconds(*specs: dict[str, Any]) -> float:
    began = time.process_time()
    compiled(*specs)
    return time.process_time() - began


def test_many_ways_to_one_call_cost_as_much_as_the_steps_that_are_written():
    """Each procedure runs the next four times with other inputs: a million ways, and ten steps."""
    names = [chr(97 + at) for at in range(8)]
    given = [{name: f"{{{{ input.{names[(at + by) % 8]} }}}}" for at, name in enumerate(names)} for by in range(4)]
    fields = dict.fromkeys(names, TEXT)
    specs = [{**procedure("main", [loop([run("p0", {"a": "{{ it }}"})])]), "input": fields}]
    for at in range(10):
        steps = [{**run(f"p{at + 1}", one), "id": f"r{by}"} for by, one in enumerate(given)]
        specs.append({**procedure(f"p{at}", steps), "input": fields})
    specs.append({**procedure("p10", [pay("{{ input.a }}")]), "input": fields})
    assert _seconds(*specs) < 1


def test_a_chain_of_procedures_costs_what_it_is_long():
    def chain(length: int) -> list[dict[str, Any]]:
        first = procedure("main", [loop([run("p0", {"month": "x", "member": "{{ it }}"})])])
        between = [procedure(f"p{at}", [run(f"p{at + 1}", BOTH)]) for at in range(length)]
        return [first, *between, procedure(f"p{length}", [pay("{{ input.month }}")])]

    few = min(_seconds(*chain(300)) for _ in range(3))
    assert _seconds(*chain(1_200)) < 9 * few


ALIKE = {
    "one after the other": ([run("mid", BOTH), {**run("mid", BOTH), "id": "again"}], True),
    "with other members": ([run("mid", BOTH), {**run("mid", {**BOTH, "member": "x"}), "id": "again"}], True),
    "with other months": ([run("mid", BOTH), {**run("mid", {**BOTH, "month": "x"}), "id": "again"}], False),
    "in branches": (
        [
            {
                "switch": [
                    {"when": "input.month is none", "do": [run("mid", BOTH)]},
                    {"do": [{**run("mid", BOTH), "id": "b"}]},
                ]
            }
        ],
        False,
    ),
    "in lanes": ([{"parallel": {"a": [run("mid", BOTH)], "b": [{**run("mid", BOTH), "id": "b"}]}}], True),
    "after a failure": ([{**run("mid", BOTH), "catch": [{"do": [{**run("mid", BOTH), "id": "b"}]}]}], False),
    "before its undoing": ([{**run("mid", BOTH), "compensate": [{**run("mid", BOTH), "id": "b"}]}], True),
    "with what a call has found": (
        [
            {"call": "find"},
            run("mid", {"month": "{{ cells.find.id }}"}),
            {**run("mid", {"month": "{{ cells.find.id }}"}), "id": "b"},
        ],
        True,
    ),
    "with the values of two calls": (
        [
            {"call": "find"},
            run("mid", {"month": "{{ steps.find.result.id }}"}),
            {"call": "find", "id": "second"},
            {**run("mid", {"month": "{{ steps.second.result.id }}"}), "id": "b"},
        ],
        False,
    ),
    "by an item of one loop": (
        [loop([run("mid", {"month": "{{ it }}"}), {**run("mid", {"month": "{{ it }}"}), "id": "b"}])],
        True,
    ),
}


@pytest.mark.parametrize("name", ALIKE)
def test_two_runs_of_one_procedure_have_one_effect_where_its_key_is_the_same(name: str):
    steps, same = ALIKE[name]
    mid = procedure("mid", [run("last", {"member": "{{ input.month }}"})])
    last = procedure("last", [pay("{{ input.member }}")])
    assert errors(procedure("main", steps), mid, last) == ([("same-key", "'mid'")] if same else [])


def child(name: str, step: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {**procedure(name, [step]), **more}


MONTH = {"month": "{{ input.month }}"}
ACROSS = {
    "a call and a run": ([pay("{{ input.month }}"), run("one", MONTH)], True),
    "a run and a call": ([run("one", MONTH), pay("{{ input.month }}")], True),
    "runs of two procedures": ([run("one", MONTH), run("two", {"member": "{{ input.month }}"})], True),
    "a run within a run": ([run("one", MONTH), run("within", {"member": "{{ input.month }}"})], True),
    "a constant": ([pay("2026-01"), run("one", {"month": "2026-01"})], True),
    "a text that is put together elsewhere": (
        [pay("a-{{ input.month }}-b"), run("texts", {"month": "a-{{ input.month }}"})],
        True,
    ),
    "a variable": ([{"set": {"of": "{{ input.month }}"}}, pay("{{ vars.of }}"), run("one", MONTH)], True),
    "what a call has found": (
        [{"call": "find"}, pay("{{ cells.find.id }}"), run("one", {"month": "{{ cells.find.id }}"})],
        True,
    ),
    "the id of the run above": ([pay("{{ run.id }}"), run("one", {"month": "{{ run.id }}"})], True),
    "an item": ([loop([pay("{{ it }}"), run("one", {"month": "{{ it }}"})])], True),
    "side by side": ([{"parallel": {"a": [pay("{{ input.month }}")], "b": [run("one", MONTH)]}}], True),
    "other values": ([pay("{{ input.month }}"), run("one", {"month": "{{ input.member }}"})], False),
    "other constants": ([pay("2026-01"), run("one", {"month": "2026-02"})], False),
    "a part of it": ([pay("{{ input.month }}"), run("texts", MONTH)], False),
    "the id of its own run": ([pay("{{ run.id }}"), run("of-run", MONTH)], False),
    "two runs with ids of their own": ([run("of-run", MONTH), {**run("of-run", MONTH), "id": "b"}], False),
    "a key of the engine's": ([{"call": "post"}, run("posts", MONTH)], False),
    "what the other finds itself": ([{"call": "find"}, pay("{{ cells.find.id }}"), run("finds", MONTH)], False),
    "in branches": (
        [{"switch": [{"when": "input.member is none", "do": [pay("{{ input.month }}")]}, {"do": [run("one", MONTH)]}]}],
        False,
    ),
    "after a failure": ([{**pay("{{ input.month }}"), "catch": [{"do": [run("one", MONTH)]}]}], False),
    "under the contrary there": (
        [{"when": "input.member == 'a'", **pay("{{ input.month }}")}, run("if-not-a", BOTH)],
        False,
    ),
    "under another value there": (
        [{"when": "input.member == 'b'", **pay("{{ input.month }}")}, run("if-a", BOTH)],
        False,
    ),
    "under the same value there": (
        [{"when": "input.member == 'a'", **pay("{{ input.month }}")}, run("if-a", BOTH)],
        True,
    ),
    "under what is not given": ([pay("{{ input.month }}"), run("if-a", {**MONTH, "member": "b"})], False),
    "with a default for each": ([{"run": "first"}, {"run": "second"}], False),
}


@pytest.mark.parametrize("name", ACROSS)
def test_a_call_and_what_is_run_have_one_effect_where_their_keys_are_the_same(name: str):
    steps, same = ACROSS[name]
    children = [
        child("one", pay("{{ input.month }}")),
        child("two", pay("{{ input.member }}")),
        child("within", run("two", {"member": "{{ input.member }}"})),
        child("texts", pay("{{ input.month }}-b")),
        child("of-run", pay("{{ run.id }}")),
        child("posts", {"call": "post"}),
        procedure("finds", [{"call": "find"}, pay("{{ cells.find.id }}")]),
        child("if-not-a", {"when": "not input.member == 'a'", **pay("{{ input.month }}")}),
        child("if-a", {"switch": [{"when": "input.member == 'a'", "do": [pay("{{ input.month }}")]}]}),
        child("first", pay("{{ input.month }}"), input={"month": {"type": "string", "default": "a"}}),
        child("second", pay("{{ input.month }}"), input={"month": {"type": "string", "default": "b"}}),
    ]
    assert [code for code, _ in errors(procedure("main", steps), *children)] == ["same-key"] * same


def test_branches_of_one_key_cost_what_they_are_many():
    def branches(number: int) -> dict[str, Any]:
        one = [
            {"when": f"input.member == '{at}'", "do": [{**pay("{{ input.month }}"), "id": f"p{at}"}]}
            for at in range(number)
        ]
        return procedure("main", [{"switch": one}])

    few = min(_seconds(branches(200)) for _ in range(3))
    assert _seconds(branches(800)) < 9 * few
