"""Which call has filled a cell: where every way has, no more is told; where one may not have, it is."""

from textwrap import dedent, indent

import pytest

from tests.compiler.small_procedures import HEAD, PARTS, codes, compiled

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
