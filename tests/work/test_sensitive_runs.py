"""What is declared sensitive stands in no record, receipt or failure of a procedure, and tools still get it."""

import json

import pytest

from interlock.interpreter.work.knowing import known_in

INPUT = {"ssn": "555-66-x", "people": [{"id": "E-1", "iban": "DE-4711-a"}, {"id": "E-2", "iban": "DE-4712-b"}]}
TOKEN, CODE = "tok-51a", "code-77q"
SECRETS = ("555-66-x", "de-4711-a", "de-4712-b", TOKEN, CODE)

STEPS = """
servers:
  b: {http: "https://example.org"}
tools:
  login:
    http: POST /login
    effect: read
    input: {ssn: {type: string, from: input.ssn, pattern: '[0-9x-]+'}}
    output: {token: {type: string, sensitive: true}}
    produces: {token: {at: token}}
  give:
    http: POST /give
    effect: write
    idempotency: {header: Idempotency-Key, key: "{{ args.whom }}"}
    input:
      token: {type: string, from: cells.login.token}
      whom: {type: string, from: caller}
      note: {type: string, from: caller}
      word: {type: string, from: caller}
    output: {paid: {type: boolean}}
    ensures: [{that: result.paid}]
input:
  ssn: {type: string, sensitive: true}
  people: {type: list, items: {type: object, fields: {id: {type: string}, iban: {type: string, sensitive: true}}}}
events:
  sent: {code: {type: string, sensitive: true}}
park: 1d
steps:
  - {call: login}
  - {receive: sent, id: code}
  - {set: {kept: "{{ steps.code.result.code }}", about: "for {{ input.ssn }}"}}
  - id: check
    run: child
    with: {token: "{{ cells.login.token }}"}
  - for_each:
      items: "{{ input.people }}"
      as: person
      key: "{{ person.id }}"
      do:
      - {set: {mine: "{{ person.iban }}"}}
      - {call: give, with: {whom: "{{ vars.mine }}", note: "{{ vars.about }} {{ steps.check.result.made }}", word: "{{ vars.kept }}"}}
result: {token: "{{ cells.login.token }}", people: "{{ input.people }}"}
"""

CHILD = """
input: {token: {type: string, sensitive: true}}
steps:
  - {set: {made: "{{ input.token | upper }}"}}
result: {made: "{{ vars.made }}", plain: nothing}
"""


@pytest.fixture
def begin(play):
    def begun(give=None, steps=STEPS, given=INPUT):
        tools = {"login": [{"token": TOKEN}], "give": [give or {"paid": True}]}
        return play(steps, given, tools, {"child": CHILD})

    return begun


def kept(run):
    state = run.state
    return json.dumps([state.records, state.receipts, state.failure, state.undo_failures]).lower()


def assert_kept_nothing(run):
    assert [one for one in SECRETS if one in kept(run)] == [], kept(run)


def test_a_run_that_uses_them_all_keeps_none_and_sends_all(begin):
    run = begin()
    run.send("sent", {"code": CODE})
    assert run.state.status == "done"
    assert run.state.result == {"token": TOKEN, "people": INPUT["people"]}
    sent = [arguments for tool, arguments in run.world.calls if tool == "give"]
    assert sent == [
        {"token": TOKEN, "whom": one["iban"], "note": f"for 555-66-x {TOKEN.upper()}", "word": CODE} for one in INPUT["people"]
    ]  # fmt: skip
    assert run.world.keys[1:] == ["DE-4711-a", "DE-4712-b"]
    assert_kept_nothing(run)
    assert run.state.receipts[-1]["arguments"] == dict.fromkeys(("token", "whom", "note", "word"), "***")
    event = next(one for one in run.state.records if one.get("event") == "event")
    assert event["data"] == {"code": "***"}
    assert all(one not in kept(run.children["check"]) for one in SECRETS)


def test_the_plan_says_what_a_procedure_gives_back_that_is_sensitive(begin):
    run = begin()
    check = next(step for step in run.program.plan.work.steps if step.id == "check")
    assert check.hides == ("made",)


@pytest.mark.parametrize("again", [False, True])
def test_what_a_failing_tool_says_of_it_is_masked_in_this_run_and_the_next(begin, again):
    told = json.dumps([*SECRETS, TOKEN.upper()])
    run = begin(give=lambda _: (500, {"why": told}))
    run.send("sent", {"code": CODE})
    assert run.state.status == "failed"
    assert_kept_nothing(run)
    if again:
        run.again()
    run.world.tools["give"] = [(200, {"paid": told})]
    run.retry(**{name: "did_not_happen" for name in run.state.journal if run.state.journal[name]["mark"] == "unknown"})
    assert run.state.status == "failed"
    assert "paid" in run.state.failure["message"]
    assert_kept_nothing(run)


def test_an_argument_that_does_not_fit_is_not_quoted(begin):
    run = begin(given={**INPUT, "ssn": "555-66-x?"})
    assert run.state.failure["message"] == "ssn: the value does not match '[0-9x-]+'"
    assert_kept_nothing(run)


def test_the_words_of_a_fail_step_are_for_whoever_hears_them_and_are_kept_masked(begin):
    fails = """
  - {fail: "no {{ input.ssn }} at {{ cells.login.token }}", when: "input.ssn == '555-66-x'"}"""
    steps = STEPS.replace("  - {call: login}", f"  - {{call: login}}{fails}")
    run = begin(steps=steps)
    assert run.state.failure["message"] == "no *** at ***"
    assert_kept_nothing(run)


def test_an_identifier_that_was_put_into_a_variable_goes_out_and_is_kept_masked(begin):
    run = begin(steps=STEPS.replace("whom", "iban"))
    run.send("sent", {"code": CODE})
    assert run.state.status == "done"
    assert_kept_nothing(run)


def test_what_a_pass_has_left_for_its_undoing_is_known_again(begin):
    run = begin()
    run.state.passes["for_each[E-1]/"] = {
        "cells": {},
        "vars": {},
        "roots": {},
        "done": {"code": {"result": {"code": CODE}}},
    }
    assert known_in(run.program, run.state).text(f"about {CODE}") == "about ***"
