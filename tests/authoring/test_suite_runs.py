"""Suites: turns are played, stubs answer, and every expectation that does not hold is told at its place."""

from typing import get_args

import pytest

from interlock.interpreter.replies import Outcome
from interlock.spec.expected import SUITE_OUTCOME, Expect
from tests.authoring.conftest import told

STUBS = """
stubs:
  now: "2026-03-01T09:00:00+08:00"
  tools:
    find:
      - {when: args.no == 'B0001', payload: {state: PAID}}
      - {when: args.no == 'B0404', status: 404, payload: {}}
      - {when: args.no == 'B0500', status: 500, payload: {state: PAID}}
      - {when: args.no == 'B0504', status: 504, payload: null}
      - {when: args.no == 'B0666', outcome: timeout}
      - {when: args.no == 'B0777', outcome: error}
      - {when: args.no == 'B0002', payload: {state: LOST}}
      - {when: args.no == 'B0009', payload: {state: NEW}, times: 1}
      - {when: args.no == 'B0009', payload: {state: OLD}}
"""


def case(*turns, session=""):
    lines = "".join(f"\n      - {turn}" for turn in turns)
    return f"{STUBS}\ncases:\n  - id: one{session}\n    turns:{lines}\n"


@pytest.mark.parametrize(
    "expect",
    [
        "outcome: reply",
        "outcome: reply, status: ai_active, route: order, answered_by: fixed_reply",
        "reply: {equals: It is PAID.}",
        "reply: {contains: PAID}",
        "reply: {matches: '^It .* PAID'}",
        "slots: {no: B0001}",
        "missing: []",
        "calls: [{tool: find}]",
        "calls: [{tool: find, args: {no: B0001}}]",
        "cells: {find.state: PAID}",
    ],
)
def test_what_holds_passes(desk, expect):
    assert told(desk.run(case(f"{{user: where is B0001, expect: {{{expect}}}}}"))) == []


@pytest.mark.parametrize(
    ("expect", "key", "expected", "happened"),
    [
        ("outcome: ask", "outcome", '"ask"', '"reply"'),
        ("status: closed", "status", '"closed"', '"ai_active"'),
        ("reason: seen", "reason", '"seen"', '""'),
        ("gate: form", "gate", '"form"', "null"),
        ("route: other", "route", '"other"', '"order"'),
        ("slots: {no: null}", "slots.no", "null", '"B0001"'),
        ("missing: [no]", "missing", '["no"]', "[]"),
        ("calls: []", "calls", "[]", '["find"]'),
        ("calls: [{tool: find}, {tool: find}]", "calls", '["find", "find"]', '["find"]'),
        ("calls: [{tool: find, args: {no: B1}}]", "calls.0.args.no", '"B1"', '"B0001"'),
        ("reply: {equals: x}", "reply.equals", '"x"', '"It is PAID."'),
        ("reply: {contains: 状态}", "reply.contains", '"状态"', '"It is PAID."'),
        ("reply: {matches: '^x'}", "reply.matches", '"^x"', '"It is PAID."'),
        ("answered_by: gate", "answered_by", '"gate"', '"fixed_reply"'),
        ("cells: {find.state: null}", "cells.find.state", "null", '"PAID"'),
    ],
)
def test_what_does_not_hold_is_told_with_what_happened(desk, expect, key, expected, happened):
    result = desk.run(case(f"{{user: where is B0001, expect: {{{expect}}}}}"))
    assert told(result) == [(1, key, expected, happened)]
    assert [one.case for one in result.failed] == ["one"]


def test_a_failure_stands_at_the_key_that_expects_it(desk):
    result = desk.run(case("{user: where is B0001, expect: {calls: [{tool: find, args: {no: B1}}], outcome: ask}}"))
    lines = (desk.folder / "suite.yaml").read_text().splitlines()
    places = [one.location for one in result.cases[0].failures]
    assert [lines[place.line - 1][place.column - 1 :].split(":")[0] for place in places] == ["outcome", "no"]


def test_a_failed_turn_says_what_the_record_says_and_the_case_goes_on(desk):
    result = desk.run(
        case("{user: where is B0001, expect: {outcome: ask}}", "{user: hello, expect: {route: other}}", "{user: B0002}")
    )
    [one] = result.cases
    assert (one.turns, [failure.turn for failure in one.failures], list(one.why)) == (3, [1], [1])
    assert [subject for subject, _ in one.why[1]] == ["slot", "route", "call", "source", "table", "step", "step"]


@pytest.mark.parametrize(
    ("number", "expect"),
    [
        ("B0404", "outcome: error, reply: {equals: No order B0404.}"),
        ("B0500", "outcome: error, cells: {find.state: null}"),
        ("B0504", "outcome: refuse, reply: {equals: Not now.}"),
        ("B0666", "outcome: refuse, reply: {equals: Not now.}"),
        ("B0777", "outcome: error"),
        ("B0002", "outcome: handoff, status: human_active"),
    ],
)
def test_a_stub_may_fail_as_a_service_fails(desk, number, expect):
    assert told(desk.run(case(f"{{user: where is {number}, expect: {{{expect}}}}}"))) == []


def test_a_stub_that_is_used_up_leaves_the_call_to_the_next_one_and_every_case_begins_anew(desk):
    turns = "{user: B0009, expect: {reply: {contains: NEW}}}", "{user: B0009, expect: {reply: {contains: OLD}}}"
    suite = case(*turns) + "  - id: two\n    turns:\n      - {user: B0009, expect: {reply: {contains: NEW}}}\n"
    assert told(desk.run(suite)) == []


def test_a_call_that_no_stub_answers_fails_the_case_even_if_nothing_is_expected(desk):
    result = desk.run(case("{user: where is B7777}"))
    assert told(result) == [(1, "stubs", "an answer for find", '{"no": "B7777"}')]
    assert result.cases[0].failures[0].location.file == "suite.yaml"


def test_messages_events_and_time_are_played(desk):
    turns = (
        "{message: {text: x, type: form, metadata: {page: 3}}, expect: {gate: form, calls: []}}",
        "{event: takeover, expect: {status: human_active}}",
        "{user: hello?, expect: {outcome: handoff, answered_by: human}}",
        "{agent: I am here, expect: {outcome: reply, reply: {equals: I am here}, answered_by: human}}",
        "{event: release, expect: {status: ai_active}}",
        "{advance: 59m, expect: {status: ai_active}}",
        "{advance: 1m, expect: {status: closed}}",
        "{user: hello, expect: {outcome: closed, status: closed}}",
    )
    result = desk.run(case(*turns))
    assert told(result) == []
    assert result.cases[0].turns == len(turns)


def test_every_outcome_is_told_in_a_word_that_a_suite_may_write(desk):
    told_as = {SUITE_OUTCOME.get(one, one) for one in get_args(Outcome)}
    assert told_as - {"conflict"} == set(get_args(Expect.model_fields["outcome"].annotation)), (
        "a suite's messages have ids of their own: none conflicts"
    )
    turns = (
        "{event: takeover}",
        "{user: hello?, expect: {outcome: none}}",
        "{agent: Yes?, expect: {outcome: handoff}}",
    )
    assert told(desk.run(case(*turns))) == [
        (2, "outcome", '"none"', '"handoff"'),
        (3, "outcome", '"handoff"', '"reply"'),
    ]


def test_an_event_is_not_held_against_the_record_of_the_turn_before(desk):
    result = desk.run(case("{user: where is B0001}", "{advance: 1m, expect: {route: order}}"))
    assert told(result) == [(2, "route", '"order"', "null")]


def test_the_clock_stands_at_the_time_of_the_suite(desk, agent):
    says_when = agent.replace("reply: Ask about an order.", "reply: '{{ now | date }}'")
    result = desk.run(case("{user: hello, expect: {reply: {equals: '2026-03-01'}}}"), says_when)
    assert told(result) == []


def test_calls_of_checks_do_not_count(desk, agent):
    checked = (
        agent.replace("    http: GET /orders/{no}\n", "    http: GET /orders/{no}\n    requires: [{condition: open}]\n")
        .replace("decisions:", "conditions:\n  open: {call: state, that: result.open}\ndecisions:")
        .replace(
            "tools:\n",
            "tools:\n  state:\n    http: GET /state\n    effect: read\n    output: {open: {type: boolean}}\n",
        )
    )
    suite = case("{user: where is B0001, expect: {calls: [{tool: find}]}}").replace(
        "    find:", "    state: [{payload: {open: true}}]\n    find:"
    )
    assert told(desk.run(suite, checked)) == []


@pytest.mark.parametrize(
    ("turn", "session", "key", "said"),
    [
        ("{user: x}", "\n    session: {user: {tier: gold}}", "session", "tier"),
        ("{message: {text: x, metadata: {page: many}}}", "", "message", "page"),
    ],
)
def test_a_user_or_message_that_does_not_fit_fails_the_case(desk, turn, session, key, said):
    result = desk.run(case(turn, "{user: x}", session=session))
    [(number, where, expected, happened)] = told(result)
    assert (number, where, expected) == (1, key, "what fits the agent")
    assert said in happened


def test_only_some_cases_and_any_order(desk):
    cases = "".join(f"  - id: case_{n}\n    turns: [{{user: hello}}]\n" for n in range(8))
    suite = f"{STUBS}\ncases:\n{cases}"
    ids = [f"case_{n}" for n in range(8)]

    def names(**options):
        return [one.case for one in desk.run(suite, **options).cases]

    assert names() == ids
    assert names(only="_3") == ["case_3"]
    assert names(seed=1) == names(seed=1) != ids
    assert sorted(names(seed=1)) == ids
    assert len({tuple(names(seed=seed)) for seed in range(5)}) > 1


@pytest.mark.parametrize(
    ("stub", "code"),
    [
        ("{payload: {}, status: 99}", "out-of-range"),
        ("{payload: {}, status: true}", "wrong-type"),
        ("{outcome: error, status: 500}", "lonely-key"),
        ("{status: 500}", "exactly-one"),
        ("{payload: {}, outcome: error}", "exactly-one"),
    ],
)
def test_stubs_that_answer_in_two_ways_or_none_are_errors(desk, agent, stub, code):
    suite = f"stubs: {{tools: {{find: [{stub}]}}}}\ncases:\n  - id: one\n    turns: [{{user: x}}]\n"
    assert code in {finding.code for finding in desk.compiled(agent, suite).diagnostics}


def test_a_python_tool_has_no_status(desk, agent):
    in_python = (
        agent.replace("    http: GET /orders/{no}\n", "    python: find_order\n")
        .replace('servers:\n  orders: {http: "https://orders.example"}\n', "")
        .replace("when: status == 404", "when: payload.state == 'NONE'")
    )
    suite = "stubs: {tools: {find: [{status: 200, payload: {}}]}}\ncases:\n  - id: one\n    turns: [{user: x}]\n"
    found = desk.compiled(in_python, suite).diagnostics
    assert [(one.code, one.location.line) for one in found] == [("lonely-key", 5)]


WRITER = """
kind: Agent
name: desk
model_override: message
servers:
  llm: {openai: "https://llm.example"}
models:
  general: {model: small}
  complex: {model: large}
routes:
  - {id: say, flow: say}
flows:
  say:
    - generate: complex
      grounding: {mode: "off"}
"""

SPOKEN = """
stubs:
  models:
    general: [{reply: As named.}]
    complex: [{reply: As ruled.}]
"""


@pytest.mark.parametrize(
    ("session", "turn", "said"),
    [
        ("", "{user: hello}", "As ruled."),
        ("\n    session: {model: {model: special}}", "{user: hello}", "As named."),
        ("", "{message: {text: hello, model: {model: special, server: llm, temperature: 0}}}", "As named."),
    ],
)
def test_the_model_that_a_case_names_serves_every_stage(desk, session, turn, said):
    expecting = f"{turn[:-1]}, expect: {{reply: {{equals: {said}}}}}}}"
    suite = f"{SPOKEN}\ncases:\n  - id: one{session}\n    turns:\n      - {expecting}\n"
    assert told(desk.run(suite, WRITER)) == []
