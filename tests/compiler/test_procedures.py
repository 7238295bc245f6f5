"""What is right in a procedure is left alone, whatever its form; and checking one costs what it is long."""

import copy
import json
import time
from pathlib import Path
from textwrap import dedent, indent

import pytest

from interlock.compiler import Compiled, compile_bundle, compile_folder
from interlock.interpreter.program import link
from interlock.source import Bundle, read_bundle, read_document

GOOD = Path(__file__).parent / "ok" / "payroll"
HEAD = """\
apiVersion: interlock/v1
kind: Procedure
name: main
uses: [parts]
input: {full: {type: boolean}, ok: {type: boolean}, word: {type: string}}
"""
PARTS = """\
apiVersion: interlock/v1
kind: Library
name: parts
servers: {hr: {http: 'https://hr.example'}}
conditions:
  approved: {that: input.ok}
  big: {that: conditions.approved and input.full}
  seen: {that: cells.find.id != ''}
tools:
  find:
    http: GET /find
    effect: read
    input: {word: {type: string, from: caller}}
    output: {id: {type: string}}
    produces: {id: {at: id}}
  show:
    http: GET /shown/{id}
    effect: read
    input: {id: {type: string, from: cells.find.id, max_age: 2h}}
    output: {text: {type: string}}
  forget:
    http: GET /forget
    effect: none
    invalidates: [find]
  pay:
    http: POST /payments
    effect: write
    idempotency: {header: Idempotency-Key}
    input: {member: {type: string, from: caller}}
    output: {payment: {type: string}}
    produces: {payment: {at: payment}}
    ensures: [{that: result.payment != ''}]
  revoke:
    http: DELETE /payments/{payment}
    effect: write
    idempotency: {header: Idempotency-Key}
    input: {payment: {type: string, from: cells.pay.payment}}
    output: {gone: {type: boolean}}
    ensures: [{that: result.gone}]
  pay_approved:
    http: POST /payments
    effect: write
    requires: [{condition: big}]
    idempotency: {header: Idempotency-Key, key: "{{ args.member }}/{{ run.id }}"}
    input: {member: {type: string, from: caller}}
    output: {payment: {type: string}}
    ensures: [{that: result.payment != ''}]
"""


def compiled(**files: str) -> Compiled:
    read = [read_document(text.encode(), f"{name}.yaml") for name, text in files.items()]
    assert not [finding for _, found in read for finding in found]
    return compile_bundle(Bundle("test", Path(), tuple(document for document, _ in read if document), {}))


def codes(text: str, head: str = "") -> list[str]:
    """What is found in a procedure that is given as its steps."""
    return [
        found.code
        for found in compiled(parts=PARTS, main=HEAD + head + "steps:\n" + indent(dedent(text), "  ")).diagnostics
    ]


def test_a_good_bundle_of_procedures_has_no_findings():
    found = compile_folder(GOOD)
    assert found.diagnostics == []
    assert set(found.plans) == {"payroll-run", "post-to-ledger"}


ONE_PRODUCER = {
    "exclusive branches": """\
        - switch:
            - when: input.full
              do: [{call: find, id: one, with: {word: a}}]
            - do: [{call: find, id: two, with: {word: b}}]
        - call: show
        """,
    "contrary conditions": """\
        - {when: input.full, call: find, id: one, with: {word: a}}
        - {when: not input.full, call: find, id: two, with: {word: b}}
        - {when: cells.find.id is defined, call: show}
        """,
    "a fallback after a failure": """\
        - call: find
          id: one
          with: {word: a}
          catch: [{errors: [error, timeout], do: [{call: find, id: two, with: {word: b}}]}]
        - call: show
        """,
    "the later call surely has run": """\
        - {call: find, id: one, with: {word: a}}
        - {call: show, id: first}
        - {call: find, id: two, with: {word: b}}
        - {call: show, id: second}
        """,
    "the same call made again": """\
        - {call: find, id: one, with: {word: "{{ input.word }}"}}
        - {when: input.full, call: find, id: two, with: {word: "{{ input.word }}"}}
        - call: show
        """,
    "a pass of a loop beside another branch": """\
        - parallel:
            one:
              - for_each: {items: [a, b], as: it, do: [{call: find, id: one, with: {word: "{{ it }}"}}, {call: show, id: s1}]}
            two:
              - {call: find, id: two, with: {word: x}}
              - {call: show, id: s2}
        """,
    "each call undone with its own cells": """\
        - {call: pay, id: one, with: {member: a}, compensate: [{when: cells.pay.payment is defined, call: revoke, id: undo_one}]}
        - {call: pay, id: two, with: {member: b}, compensate: [{when: cells.pay.payment is defined, call: revoke, id: undo_two}]}
        - {fail: No., compensate: true}
        """,
}


@pytest.mark.parametrize("name", ONE_PRODUCER)
def test_one_call_is_meant_where_calls_exclude_or_follow_each_other(name: str):
    assert codes(ONE_PRODUCER[name]) == []


FILLED = {
    "after a branch that asks for the same": """\
        - {when: input.full, call: find, with: {word: a}}
        - {when: input.full, call: show}
        """,
    "where the other way ends": """\
        - switch:
            - when: input.full
              do: [{call: find, with: {word: a}}]
            - do: [{fail: No.}]
        - call: show
        """,
    "by one of two calls of contrary conditions": """\
        - {when: input.full, call: find, id: one, with: {word: a}}
        - {when: not input.full, call: find, id: two, with: {word: b}}
        - call: show
        """,
    "by one of two calls of contrary conditions within another": """\
        - when: input.ok
          do:
            - {when: "input.word == 'a'", call: find, id: one, with: {word: a}}
            - {when: "not (input.word == 'a')", call: find, id: two, with: {word: b}}
        - {when: input.ok, call: show}
        """,
    "after branches side by side": """\
        - parallel: {one: [{call: find, with: {word: a}}], two: [{wait: 1h}]}
        - call: show
        """,
    "where it is asked for": """\
        - {when: input.full, call: find, with: {word: a}}
        - when: cells.find.id is defined
          do: [{call: show}]
        """,
    "where a text goes on without it": """\
        - set: {id: "{{ cells.find.id | default('none') }}"}
        - {call: find, with: {word: a}}
        """,
    "again after it was made stale": """\
        - {call: find, id: one, with: {word: a}}
        - call: forget
        - {call: find, id: two, with: {word: b}}
        - call: show
        """,
    "not older than it may be, however long another way is": """\
        - {call: find, with: {word: a}}
        - {when: input.full, wait: 3h}
        - switch: [{when: input.ok, do: [{wait: 3h}]}]
        - parallel: {one: [{wait: 1h}, {call: find, id: again, with: {word: a}}, {wait: 1h}], two: [{wait: 3h}]}
        - call: show
        """,
    "in the catch of a later step": """\
        - do:
            - {call: find, with: {word: a}}
            - call: show
          catch: [{errors: [error], do: [{when: cells.find.id is defined, call: show, id: again}]}]
        """,
}


@pytest.mark.parametrize("name", FILLED)
def test_a_cell_is_there_where_every_way_has_filled_it(name: str):
    assert codes(FILLED[name]) == []


def test_a_cell_that_a_branch_beside_makes_stale_may_be_missing():
    text = """\
        - {call: find, with: {word: a}}
        - parallel:
            one: [{call: forget}]
            two: [{wait: 1h}, {call: show}]
        """
    assert codes(text) == ["cell-may-be-missing"]


def test_branches_within_one_pass_share_its_cells():
    text = """\
        - for_each:
            items: [a, b]
            as: it
            do:
              - {call: find, with: {word: "{{ it }}"}}
              - parallel:
                  one: [{call: find, id: again, with: {word: "{{ it }}"}}]
                  two: [{call: show}]
        """
    assert codes(text) == ["two-producers"]


def test_a_loop_that_makes_a_cell_stale_may_have_emptied_it():
    text = """\
        - {call: find, with: {word: a}}
        - for_each: {items: [a, b], as: it, do: [{set: {x: "{{ it }}"}}, {call: forget}]}
        - call: show
        """
    assert codes(text) == ["cell-may-be-missing"]


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


PERHAPS_NEITHER = {
    "a condition that may not be decided": """\
        - {call: pay, id: first, with: {member: a}, catch: [{errors: [error]}]}
        - {when: "cells.pay.payment == 'p'", call: find, id: one, with: {word: a}}
        - {when: "not (cells.pay.payment == 'p')", call: find, id: two, with: {word: b}}
        - call: show
        """,
    "a failure that is caught": """\
        - {when: input.full, call: find, id: one, with: {word: a}, catch: [{errors: [error]}]}
        - {when: not input.full, call: find, id: two, with: {word: b}}
        - call: show
        """,
    "conditions that are not contrary": """\
        - {when: input.full, call: find, id: one, with: {word: a}}
        - {when: not input.ok, call: find, id: two, with: {word: a}}
        - call: show
        """,
    "one of them within another condition": """\
        - {when: input.full, call: find, id: one, with: {word: a}}
        - when: input.ok
          do: [{when: not input.full, call: find, id: two, with: {word: a}}]
        - call: show
        """,
    "an input that may be none": """\
        - {when: input.maybe > 3, call: find, id: one, with: {word: a}}
        - {when: not (input.maybe > 3), call: find, id: two, with: {word: b}}
        - call: show
        """,
}


@pytest.mark.parametrize("name", PERHAPS_NEITHER)
def test_a_cell_may_be_missing_where_neither_of_two_calls_may_have_filled_it(name: str):
    head = HEAD.replace("word: {type: string}", "word: {type: string}, maybe: {type: integer, optional: true}")
    text = head + "steps:\n" + indent(dedent(PERHAPS_NEITHER[name]), "  ")
    found = [one.code for one in compiled(parts=PARTS, main=text).diagnostics]
    assert "cell-may-be-missing" in found
