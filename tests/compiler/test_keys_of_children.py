"""Keys that a procedure's input fixes, followed through the procedures that run it to the loop in which they differ or not."""

import json
import time
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
    documents = []
    for spec in (PARTS, *specs):
        document, found = read_document(json.dumps(spec).encode(), f"{spec['name']}.yaml")
        assert document is not None
        assert found == []
        documents.append(document)
    return compile_bundle(Bundle("test", Path(), tuple(documents), {}), plans=False)


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
