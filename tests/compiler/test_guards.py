"""What a procedure that is run asserts counts for the guard of the one above only where it asserts the same thing."""

import json
from pathlib import Path
from typing import Any

import pytest

from interlock.compiler import compile_bundle
from interlock.source import Bundle, read_document

HEAD: dict[str, Any] = {"apiVersion": "interlock/v1", "kind": "Procedure", "uses": ["parts"]}
ANSWER = {"output": {"state": {"type": "string"}}, "produces": {"state": {"at": "state"}}}
PAYMENT = {
    "http": "POST /payments",
    "effect": "write",
    "idempotency": {"header": "Idempotency-Key"},
    "output": {"payment": {"type": "string"}},
    "ensures": [{"that": "result.payment != ''"}],
}
PARTS: dict[str, Any] = {
    "apiVersion": "interlock/v1",
    "kind": "Library",
    "name": "parts",
    "servers": {"hr": {"http": "https://hr.example"}},
    "config": {"open": True},
    "conditions": {
        "approved": {"that": "input.ok"},
        "released": {"that": "config.open"},
        "group_open": {"that": "cells.group.state == 'OPEN'"},
        "all_open": {"that": "cells.all_groups.state == 'OPEN'"},
        "fresh": {"call": "group", "with": {"of": "{{ input.word }}"}, "that": "result.state == 'OPEN'"},
        "of_this_run": {"that": "run.id != ''"},
        "wished": {"that": "input.ok"},
    },
    "tools": {
        "all_groups": {"http": "GET /groups", "effect": "read", **ANSWER},
        "group": {
            "http": "GET /group",
            "effect": "read",
            "input": {"of": {"type": "string", "from": "caller"}},
            **ANSWER,
        },
        "pay": PAYMENT,
        "note": PAYMENT,
    },
}
INPUT = {"ok": {"type": "boolean"}, "word": {"type": "string"}}
SAME = {"ok": "{{ input.ok }}", "word": "{{ input.word }}"}
READS = [{"call": "group", "with": {"of": "{{ input.word }}"}}, {"call": "all_groups"}]


def procedure(name, steps, **more):
    return {**HEAD, "name": name, "input": INPUT, "steps": steps, **more}


def pays_if(condition):
    return procedure("child", [*READS, {"when": f"conditions.{condition}", "call": "pay"}])


def found(by, run, child, *others):
    main = procedure("main", [*READS, run], guard=[{"effect": "write", "by": by, "except": ["note"]}])
    specs = [PARTS, main, child, *others]
    read = tuple(read_document(json.dumps(one).encode(), f"{one['name']}.yaml")[0] for one in specs)
    return compile_bundle(Bundle("test", Path(), read, {}), plans=False).diagnostics


def codes(*case):
    return [one.code for one in found(*case)]


@pytest.mark.parametrize("condition", ["approved", "released", "group_open", "all_open", "fresh"])
def test_what_reads_the_same_counts(condition: str):
    assert codes(condition, {"run": "child", "with": SAME}, pays_if(condition)) == []


def test_what_reads_the_same_all_the_way_counts():
    between = procedure("between", [{"run": "child", "with": SAME}])
    assert codes("approved", {"run": "between", "with": SAME}, pays_if("approved"), between) == []


@pytest.mark.parametrize("condition", ["released", "all_open"])
def test_what_depends_on_no_input_counts_whatever_is_given(condition: str):
    assert codes(condition, {"run": "child", "with": {"ok": True, "word": "x"}}, pays_if(condition)) == []


def test_what_is_asserted_before_the_run_counts_whatever_is_given():
    run = {"when": "conditions.approved", "run": "child", "with": {"ok": True, "word": "x"}}
    assert codes("approved", run, pays_if("approved")) == []


OTHERWISE = {
    "a literal": {"ok": True, "word": "x"},
    "another input": {"ok": "{{ input.word == 'yes' }}", "word": "{{ 'a' if input.ok else 'b' }}"},
    "something made of it": {"ok": "{{ input.ok or true }}", "word": "{{ input.word }}!"},
}


@pytest.mark.parametrize("given", OTHERWISE)
@pytest.mark.parametrize("condition", ["approved", "group_open", "fresh"])
def test_what_reads_something_else_does_not_count(condition: str, given: str):
    diagnostics = found(condition, {"run": "child", "with": OTHERWISE[given]}, pays_if(condition))
    unguarded = [one for one in diagnostics if one.code == "unguarded"]
    assert [(one.location.file, one.also[-1][0].file) for one in unguarded] == [("main.yaml", "child.yaml")]
    assert any("this asserts it of the `input." in words for _, words in unguarded[0].also)


def test_the_id_of_a_run_is_never_that_of_the_run_above():
    assert codes("of_this_run", {"run": "child", "with": SAME}, pays_if("of_this_run")) == ["unguarded"]


def of(word, name):
    return {"id": name, "call": "group", "with": {"of": word}}


def set_by(step):
    """The group that is asked for is `a`, unless a step sets another one."""
    return [{"set": {"of": "a"}}, step, of("{{ vars.of }}", "one"), PAYS]


PAYS = {"when": "conditions.group_open", "call": "pay"}
A, B, OTHER = of("a", "one"), of("b", "two"), {"set": {"of": "b"}}
NAMED = [{"when": f"input.word == '{at}'", "do": [A | {"id": f"a{at}"}]} for at in range(6)]
ONE = {"items": "{{ [1] if input.ok else [] }}", "as": "it", "key": "{{ it }}", "do": [OTHER]}
ENOUGH = {"until": "result.state == 'OPEN' or input.ok", "every": "1s", "timeout": "9s"}
CHOSEN = {
    "a branch": [{"switch": [{"when": "input.ok", "do": [A]}, {"do": [B]}]}, PAYS],
    "a branch after many": [{"switch": [{"when": "input.ok", "do": [A]}, *NAMED, {"do": [B]}]}, PAYS],
    "a condition": set_by({**OTHER, "when": "input.ok"}),
    "a condition with a name": set_by({**OTHER, "when": "conditions.wished"}),
    "a condition around": set_by({"when": "input.ok", "do": [OTHER]}),
    "a list": set_by({"for_each": ONE}),
    "when it is enough": [{**A, "repeat": ENOUGH}, PAYS],
}
"""What gives a cell that a condition reads, as an input chooses that no argument shows."""


@pytest.mark.parametrize("chosen", CHOSEN)
def test_what_decides_which_answer_is_read_must_be_the_same_too(chosen: str):
    child = procedure("child", CHOSEN[chosen])
    assert codes("group_open", {"run": "child", "with": {**SAME, "ok": True}}, child) == ["unguarded"]
    assert codes("group_open", {"run": "child", "with": SAME}, child) == []


SORTED = {"id": "sorted", "generate": "general", "instructions": "Sort.", "output": {"yes": {"type": "boolean"}}}
FAILS = {"fail": "No."}
OF_ERROR = {"call": "group", "with": {"of": "{{ error.message }}"}}
OWN = {
    "a failure that is handled": [{**A, "catch": [{"do": [B]}]}, PAYS],
    "a failure that is passed over": set_by(
        {"do": [{"call": "all_groups"}, OTHER], "catch": [{"errors": ["timeout"]}]}
    ),
    "a failure within what is asked": [
        {"do": [{"set": {"of": "a"}}, {"call": "all_groups"}, OTHER], "catch": [{"do": [*set_by(OTHER)[2:], FAILS]}]}
    ],
    "the error": [{"call": "all_groups", "catch": [{"do": [OF_ERROR]}]}, PAYS],
    "an event": [{"receive": "signed"}, of("{{ steps.signed.result.word }}", "one"), PAYS],
    "a variable of an event": [{"receive": "signed"}, *set_by({"set": {"of": "{{ steps.signed.result.word }}"}})],
    "what a model fills in": [SORTED, *set_by({**OTHER, "when": "steps.sorted.result.yes"})],
    "a procedure that is told more": [{"run": "told", "with": SAME}, of("{{ steps.told.result.word }}", "one"), PAYS],
    "one that ends as it is told": [{"run": "ends", "with": SAME}, of("{{ steps.ends.result.word }}", "one"), PAYS],
    "the answer to an effect": [{"call": "note"}, of("{{ steps.note.result.payment }}", "one"), PAYS],
}
"""What gives a cell that a condition reads, as only the run itself knows."""
SIGNED = {"events": {"signed": {"word": {"type": "string"}}}}
MODELS = {"servers": {"llm": {"openai": "https://llm.example"}}, "models": {"general": {"server": "llm", "model": "m"}}}


@pytest.mark.parametrize("own", OWN)
def test_what_only_a_run_knows_is_never_the_same(own: str):
    child = procedure("child", OWN[own], **SIGNED, **MODELS)
    told = procedure("told", [{"receive": "signed"}], **SIGNED, result={"word": "{{ steps.signed.result.word }}"})
    end = {"end": {"word": "b"}, "when": "steps.signed.result.word == 'b'"}
    ends = procedure("ends", [{"receive": "signed"}, end], **SIGNED, result={"word": "a"})
    diagnostics = found("group_open", {"run": "child", "with": SAME}, child, told, ends)
    assert [one.code for one in diagnostics if one.severity == "error"] == ["unguarded"]


ALIKE = {
    "a failure that ends it": [{**A, "catch": [{"do": [FAILS]}]}, PAYS],
    "a procedure that is told no more": [
        {"run": "asks", "with": SAME},
        of("{{ steps.asks.result.word }}", "one"),
        PAYS,
    ],
}


@pytest.mark.parametrize("alike", ALIKE)
def test_what_ends_otherwise_or_is_made_of_the_same_counts(alike: str):
    asks = procedure("asks", [of("{{ input.word }}", "one")], result={"word": "{{ steps.one.result.state }}"})
    child = procedure("child", ALIKE[alike])
    assert codes("group_open", {"run": "child", "with": SAME}, child, asks) == []


def test_an_item_of_a_loop_is_not_what_is_read_before_it():
    run = {"run": "child", "with": {"ok": "{{ input.ok }}", "word": "{{ it }}"}}
    loop = {"for_each": {"items": ["a", "b"], "as": "it", "key": "{{ it }}", "do": [run]}}
    assert codes("group_open", loop, pays_if("group_open")) == ["unguarded"]


def test_the_contrary_of_another_thing_is_no_proof():
    child = procedure("child", [{"when": "not conditions.approved", "fail": "No."}, {"call": "pay"}])
    assert codes("approved", {"run": "child", "with": SAME}, child) == []
    assert codes("approved", {"run": "child", "with": {"ok": True, "word": "x"}}, child) == ["unguarded"]


def test_a_procedure_that_is_given_the_same_by_one_and_not_by_another_is_told_once_at_the_other():
    between = procedure("between", [{"run": "child", "with": {"ok": True, "word": "x"}}])
    group = {"do": [{"run": "child", "with": SAME}, {"run": "between", "with": SAME}]}
    told = found("approved", group, pays_if("approved"), between)
    assert [(one.code, one.location.line) for one in told] == [("unguarded", 1)]
    assert any(place.file == "between.yaml" for place, _ in told[0].also)
