"""What is declared sensitive stands in no record, receipt or transcript, whatever a turn comes to; tools still get it."""

import json
import random
import re
from textwrap import dedent

import pytest

from interlock.compiler.compile import compile_folder

HEAD = """
apiVersion: interlock/v1
kind: Agent
name: desk
languages: [en]
user:
  ssn: {type: string, sensitive: true}
  home: {type: object, optional: true, fields: {city: {type: string}, door: {type: string, sensitive: true}}}
message:
  types: [user_chat, form]
  metadata: {card: {type: string, optional: true, sensitive: true}}
servers: {s: {http: "https://example.org"}}
vocabularies:
  rivals: {words: [Flexport]}
  people: {words: [colleague]}
slots:
  no: {patterns: ['\\bC\\d{3}\\b'], ask: Which customer?}
  pin:
    patterns: ['\\b\\d{4}\\b']
    sensitive: true
    ask: Your PIN?
    checks: [{that: "value != '0000'", else: "{{ value }} is no PIN"}]
tools:
  login:
    http: POST /login
    effect: read
    input:
      no: {type: string, from: slots.no}
      pin: {type: string, from: slots.pin, pattern: '[1-9]+'}
      said: {type: string, from: message.text}
      card: {type: string, optional: true, from: message.metadata.card}
      home: {type: object, optional: true, from: user.home}
    output: {token: {type: string, sensitive: true}, name: {type: string}, level: {type: integer, sensitive: true}}
    produces: {token: {at: token}, level: {at: level}}
    outcomes: [{when: status == 409, outcome: blocked, message: "{{ payload.why }}"}]
    requires: [{that: "args.pin != '6666'", else: "{{ args.pin }} is blocked"}]
  pay:
    http: POST /pay
    effect: write
    idempotency: {header: Idempotency-Key, key: "{{ args.token }}-{{ args.no }}"}
    input:
      token: {type: string, from: cells.login.token}
      ssn: {type: string, from: user.ssn}
      level: {type: integer, from: cells.login.level}
      made: {type: string, value: "<{{ user.ssn | upper }}>"}
      kept: {type: string, value: "{{ vars.kept }}"}
      no: {type: string, from: slots.no}
    output: {paid: {type: boolean}}
    ensures: [{that: result.paid}]
mounts: [{call: login}, {call: pay}]
gates:
  - {id: rivals, screen: rivals, refuse: "Not: {{ message.text }}"}
  - {id: people, when: "'colleague' in message.text", handoff: A colleague comes.}
routes:
  - {when: slots.no or slots.pin, flow: entered}
  - {flow: talk}
flows:
  talk: [{reply: "Hello {{ user.ssn }}."}]
  entered:
    - {call: login}
    - set: {kept: "{{ user.ssn }}/{{ slots.pin }}"}
    - {call: pay}
    - {reply: "{{ steps.login.result.name }} has {{ steps.login.result.token }} for {{ slots.pin }}."}
"""
USER = {"ssn": "555-66-x", "home": {"city": "Ulm", "door": "d-4711"}}
CARD = "4333x"
TOKEN, LEVEL = "tok-51a", 80917
SECRETS = (USER["ssn"], USER["home"]["door"], CARD, TOKEN, str(LEVEL))


@pytest.fixture(scope="module")
def plan(tmp_path_factory):
    folder = tmp_path_factory.mktemp("desk")
    (folder / "desk.yaml").write_text(dedent(HEAD))
    compiled = compile_folder(folder)
    assert [str(one) for one in compiled.errors] == []
    return compiled.plans["desk"]


@pytest.fixture
def desk(plan, talk):
    answers = {"login": {"token": TOKEN, "name": "Ann", "level": LEVEL}, "pay": {"paid": True}}
    return talk.Talk(plan, answers, user=USER)


def kept(desk):
    """All that is kept for others to read."""
    state = desk.state
    return json.dumps([state.records, state.receipts, state.transcript], ensure_ascii=False)


def assert_kept_nothing(desk, *secrets):
    text = kept(desk).lower()
    found = [
        one for one in (*SECRETS, *secrets) if re.search(rf"(?<![a-z0-9]){re.escape(one.lower())}(?![a-z0-9])", text)
    ]
    assert found == [], text


def test_a_turn_that_uses_them_all_keeps_none_and_sends_all(desk):
    reply = desk.say("login C123 8888", metadata={"card": CARD})
    assert reply["text"] == f"Ann has {TOKEN} for 8888."
    sent = dict(desk.calls)
    assert sent["login"] == {"no": "C123", "pin": "8888", "said": "login C123 8888", "card": CARD, "home": USER["home"]}
    assert sent["pay"] == {"token": TOKEN, "ssn": USER["ssn"], "level": LEVEL, "made": "<555-66-X>", "kept": "555-66-x/8888", "no": "C123"}  # fmt: skip
    assert_kept_nothing(desk, "8888")
    first, second = desk.state.receipts
    assert first["arguments"] == {"no": "C123", "pin": "***", "said": "login C123 ***", "card": "***", "home": {"city": "Ulm", "door": "***"}}  # fmt: skip
    assert second["arguments"] == {**dict.fromkeys(("token", "ssn", "level", "made", "kept"), "***"), "no": "C123"}
    assert desk.record["calls"][0]["filled"] == {"login.token": "***", "login.level": "***"}
    assert desk.record["calls"][1]["key"] == "***"
    assert [one["text"] for one in desk.state.transcript] == ["login C123 ****", "Ann has *** for ***."]


def test_what_a_screen_refuses_is_masked_unread(desk):
    reply = desk.say("login C123 8888 Flexport")
    assert reply["text"] == "Not: login C123 8888 Flexport"
    assert desk.record["slots"] == {}
    assert desk.record["message"]["text"] == "login C123 **** Flexport"
    assert_kept_nothing(desk, "8888")


@pytest.mark.parametrize("role", ["user", "agent", "tool", "system"])
@pytest.mark.parametrize("status", ["human_active", "closed"])
def test_what_no_rule_reads_is_masked(desk, role, status):
    desk.act("takeover" if status == "human_active" else "close", "ann")
    desk.say("my pin is 9999", role=role, metadata={"card": CARD})
    assert desk.state.status == status
    assert desk.record["message"]["text"] == "my pin is ****"
    assert desk.record["message"]["metadata"] == {"card": "***"}
    assert_kept_nothing(desk, "9999")


def test_the_handoff_and_what_the_person_then_says_keep_nothing(desk):
    desk.say("login C123 8888", metadata={"card": CARD})
    desk.say("a colleague please, 7777")
    desk.say(f"my pin is 9999, token {TOKEN}")
    reply = desk.say(f"Is it 9999 or {USER['ssn']}?", role="agent")
    assert reply["text"] == f"Is it 9999 or {USER['ssn']}?"
    assert desk.state.outbox[-1]["text"] == reply["text"]
    assert_kept_nothing(desk, "8888", "7777", "9999")


def test_the_question_which_one_is_asked_in_clear_and_kept_masked(desk):
    reply = desk.say("login C123 1234 4321")
    assert reply["text"] == "Several were found for pin: 1234, 4321. Which one?"
    assert reply["options"] == ["1234", "4321"]
    assert desk.state.transcript[-1]["text"] == "Several were found for pin: ***, ***. Which one?"
    assert_kept_nothing(desk, "1234", "4321")


@pytest.mark.parametrize(("pin", "says"), [("5050", None), ("0000", "0000 is no PIN"), ("6666", "6666 is blocked")])
def test_the_reason_of_a_blocked_call_does_not_quote_it(desk, pin, says):
    reply = desk.say(f"login C123 {pin} and again {pin}")
    assert says is None or reply["text"] == says
    assert desk.record["calls"][0]["outcome"] in ("blocked", "missing", "requires")
    assert [one for one in desk.calls if one[0] == "login"] == []
    assert_kept_nothing(desk, pin)


@pytest.mark.parametrize(
    "end",
    [
        {"ending": "returned", "status": 409, "payload": {"why": "8888 is wrong for 555-66-X, card 4333X"}},
        {"ending": "returned", "status": 500, "payload": {"token": TOKEN}, "message": "status 500: pin 8888"},
        {"ending": "error", "message": 'no "8888", no (555-66-x)'},
        {"ending": "timeout", "message": "8888"},
        {"ending": "returned", "status": 200, "payload": {"token": 5, "name": 8888, "level": LEVEL}},
    ],
)
def test_what_a_failing_tool_says_of_it_is_masked(desk, end):
    desk.answers["login"] = {"end": end}
    desk.say("login C123 8888", metadata={"card": CARD})
    assert desk.record["calls"][0]["outcome"] != "success"
    assert_kept_nothing(desk, "8888")


def test_words_that_another_slot_has_read_stay(plan, talk):
    plan = talk.plan(
        slots={
            "pin": talk.slot(patterns=(r"\b\d{4}\b",), labels=("pin",), sensitive=True),
            "order": talk.slot(patterns=(r"\b\d{4}\b",), labels=("order",)),
        }
    )
    desk = talk.Talk(plan)
    desk.say("order 1234")
    assert desk.record["message"]["text"] == "order 1234"
    desk.say("pin 1234")
    assert desk.record["message"]["text"] == "pin ****"
    desk.act("takeover")
    desk.say("order 1234")  # nobody reads it: it might be one
    assert desk.record["message"]["text"] == "order ****"


def test_names_of_the_record_stay_whatever_is_sensitive(plan, talk):
    desk = talk.Talk(plan, {"login": {"token": "login", "name": "Ann", "level": 2}, "pay": {"paid": True}}, user={"ssn": "run"})  # fmt: skip
    desk.say("login C123 8888")
    assert [call["tool"] for call in desk.record["calls"]] == ["login", "pay"]
    assert desk.record["record_id"] == "run/1"
    assert desk.record["calls"][1]["receipt"] == "run/2"
    assert desk.record["calls"][1]["sources"]["token"] == {"source": "cells.login.token", "receipt": "run/1"}


def test_a_plan_without_anything_sensitive_looks_for_nothing(talk):
    desk = talk.Talk(talk.tracking(), {"track": {"no": "ABCU1234567", "status": "OK"}})
    desk.say("查询货物 ABCU1234567")
    assert desk.program.sensitive is None
    assert "ABCU1234567" in kept(desk)


TURNS = (
    "login C{no} {pin}",
    "{pin}",
    "pin {pin} or {other}",
    "C{no}",
    "{pin} Flexport C{no}",
    "a colleague: {pin}",
    "hi",
)


def test_turns_at_random_keep_no_secret(plan, talk):
    dice = random.Random(20_261_201)
    for _ in range(150):
        desk = talk.Talk(plan, user=USER, reborn=dice.random() < 0.5)
        said = set()

        def answer(arguments):
            told = f"{USER} for {arguments}"
            ends = [{"end": {"ending": "error", "message": told}}, {"end": {"ending": "returned", "status": 409, "payload": {"why": told}}}]  # fmt: skip
            return dice.choice([{"token": TOKEN, "name": f"{TOKEN} {told}", "level": LEVEL}, *ends])

        desk.answers = {"login": answer, "pay": {"paid": dice.random() < 0.8}}
        for _ in range(6):
            pins = [f"{dice.randrange(10_000):04}" for _ in range(2)]
            said |= set(pins)
            text = dice.choice(TURNS).format(no=dice.randrange(100, 999), pin=pins[0], other=pins[1])
            role = dice.choice(["user", "user", "user", "user", "agent", "tool"])
            desk.say(text, role=role, metadata=dice.choice([{}, {"card": CARD}]) if role == "user" else {})
            if dice.random() < 0.2:
                desk.act(dice.choice(["takeover", "release", "close"]))
        assert_kept_nothing(desk, *said)
