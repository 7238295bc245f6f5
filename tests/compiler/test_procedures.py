"""What is right in a procedure is left alone, whatever its form; and checking one costs what it is long."""

import copy
import json
import time
from pathlib import Path

import pytest

from interlock.compiler import compile_bundle, compile_folder
from interlock.interpreter.program import link
from interlock.source import Bundle, read_bundle, read_document
from tests.compiler.small_procedures import HEAD, PARTS, codes, compiled

GOOD = Path(__file__).parent / "ok" / "payroll"


def test_a_good_bundle_of_procedures_has_no_findings():
    found = compile_folder(GOOD)
    assert found.diagnostics == []
    assert set(found.plans) == {"payroll-run", "post-to-ledger"}


GUARD = "guard: [{effect: write, by: approved}]\n"
PROVED = {
    "its own when": "- {when: conditions.approved, call: pay, with: {member: a}}",
    "among others": "- {when: input.full and conditions.approved, call: pay, with: {member: a}}",
    "a condition that asserts it": "- {when: conditions.big, call: pay, with: {member: a}}",
    "the tool's own requires": "- {call: pay_approved, with: {member: a}}",
    "what stands around": "- {when: conditions.approved, do: [{wait: 1h}, {call: pay, with: {member: a}}]}",
    "an end before": """\
        - {when: not conditions.approved, end: {status: refused}}
        - for_each: {items: [a], as: it, key: "{{ it }}", do: [{call: pay, with: {member: "{{ it }}"}}]}
        """,
    "an end in one of the branches": """\
        - switch:
            - {when: conditions.approved, do: [{set: {a: 1}}]}
            - do: [{fail: No.}]
        - {call: pay, with: {member: a}}
        """,
    "the branch after its contrary": """\
        - switch:
            - {when: not conditions.approved, do: [{set: {a: 1}}]}
            - do: [{call: pay, with: {member: a}}]
        """,
    "a branch beside that must have passed": """\
        - parallel:
            one: [{when: not conditions.approved, fail: No.}]
            two: [{wait: 1h}]
        - {call: pay, with: {member: a}, compensate: [{when: cells.pay.payment is defined, call: revoke}]}
        """,
    "a call before that required it": """\
        - {call: pay_approved, with: {member: a}}
        - {call: pay, with: {member: b}}
        """,
}


@pytest.mark.parametrize("name", PROVED)
def test_a_guard_is_proved_by(name: str):
    assert codes(PROVED[name], GUARD) == []


UNPROVED = {
    "one of two conditions": "- {when: input.full or conditions.approved, call: pay, with: {member: a}}",
    "a contrary that may be undecided": """\
        - {call: find, with: {word: a}}
        - {when: not conditions.seen, fail: No.}
        - {call: pay, with: {member: a}}
        """,
    "a branch beside": """\
        - parallel:
            one: [{when: not conditions.approved, fail: No.}]
            two: [{call: pay, with: {member: a}}]
        """,
    "a loop that may have no pass": """\
        - for_each: {items: "{{ [input.word] }}", as: it, do: [{set: {a: "{{ it }}"}}, {when: not conditions.approved, fail: No.}]}
        - {call: pay, with: {member: a}}
        """,
    "what was caught": """\
        - {call: pay_approved, with: {member: a}, catch: [{errors: [requires]}]}
        - {call: pay, with: {member: b}}
        """,
}


@pytest.mark.parametrize("name", UNPROVED)
def test_a_guard_is_not_proved_by(name: str):
    by = "seen" if "undecided" in name else "approved"
    assert codes(UNPROVED[name], f"guard: [{{effect: write, by: {by}}}]\n") == ["unguarded"]


def test_a_call_in_a_child_is_guarded_by_what_stands_before_the_run():
    child = HEAD.replace("main", "child").replace("input: ", "input: ") + "steps: [{call: pay, with: {member: a}}]\n"
    given = "with: {full: true, ok: true, word: x}"
    good = HEAD + GUARD + f"steps: [{{when: conditions.approved, run: child, {given}}}]\n"
    assert compiled(parts=PARTS, main=good, child=child).diagnostics == []
    bad = HEAD + GUARD + f"steps: [{{run: child, {given}}}]\n"
    found = compiled(parts=PARTS, main=bad, child=child).diagnostics
    assert [(one.code, one.location.file, one.also[-1][0].file) for one in found] == [
        ("unguarded", "main.yaml", "child.yaml")
    ]


def _cost(number: int, step: str) -> float:
    text = HEAD + GUARD + "steps:\n- {call: find, with: {word: a}}\n" + "".join(step.format(i) for i in range(number))
    document, _ = read_document((text + "- {set: {done: true}}\n").encode(), "main.yaml")
    parts, _ = read_document(PARTS.encode(), "parts.yaml")
    began = time.process_time()
    compile_bundle(Bundle("test", Path(), (document, parts), {}), plans=False)
    return time.process_time() - began


@pytest.mark.parametrize(
    "step",
    [
        "- {{when: input.full, call: find, id: f{0}, with: {{word: a}}}}\n- {{call: show, id: s{0}}}\n",
        "- switch: [{{when: input.full, do: [{{call: find, id: f{0}, with: {{word: a}}}}, {{call: show, id: s{0}}}]}}]\n",
        "- for_each: {{items: [a], as: it, key: '{{{{ it }}}}', do: [{{call: pay, id: p{0}, with: {{member: x}}}}]}}\n",
        "- {{when: conditions.approved, call: pay, id: p{0}, with: {{member: a}}, compensate: [{{call: revoke, id: r{0}}}]}}\n",
    ],
    ids=["calls", "branches", "loops", "undoings"],
)
def test_four_times_the_steps_cost_about_four_times_the_time(step: str):
    few, many = 150, 600
    least = {number: min(_cost(number, step) for _ in range(3)) for number in (few, many)}
    assert least[many] < 9 * least[few]


def _paths(value, path=()):
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from _paths(inner, (*path, key))


ODD = [
    None,
    0,
    "",
    "x",
    "{{ x",
    "cells.pay.payment",
    "caller",
    [],
    {},
    ["x"],
    [{"run": "payroll-run"}],
    [{"end": {"a": 1}}],
]


@pytest.mark.parametrize("document", read_bundle(GOOD)[0].documents, ids=lambda document: document.file)
def test_every_key_may_be_missing_or_odd(document):
    others = [other for other in read_bundle(GOOD)[0].documents if other.file != document.file]
    for number, path in enumerate(list(_paths(document.data))[1:]):
        for odd in (..., ODD[number % len(ODD)]):
            data = copy.deepcopy(document.data)
            holder = data
            for key in path[:-1]:
                holder = holder[key]
            if odd is ...:
                del holder[path[-1]]
            else:
                holder[path[-1]] = odd
            text = json.dumps(data, ensure_ascii=False, indent=1).encode()
            changed, read = read_document(text, document.file)
            documents = (*others, changed) if changed else tuple(others)
            for plan in compile_bundle(Bundle("payroll", GOOD, documents, {}), read=read).plans.values():
                link(plan)


@pytest.mark.parametrize("kind", ["date", "datetime", "object, fields: {street: {type: string}}", "list", "string"])
@pytest.mark.parametrize("apart", [True, False])
def test_an_input_that_is_always_there_may_be_copied(tmp_path, kind, apart):
    tools = f"""
servers: {{hr: {{http: 'https://hr.example'}}}}
tools:
  find:
    http: POST /find
    effect: none
    input: {{given: {{type: {kind}, from: input.given}}}}
"""
    head = "apiVersion: interlock/v1\nkind: {}\nname: {}\n"
    procedure = head.format("Procedure", "main") + f"input: {{given: {{type: {kind}}}}}\nsteps: [{{call: find}}]\n"
    if apart:
        (tmp_path / "parts.yaml").write_text(head.format("Library", "parts") + tools)
    (tmp_path / "main.yaml").write_text(procedure + ("uses: [parts]\n" if apart else tools))
    assert [str(one) for one in compile_folder(tmp_path).errors] == []
