"""Explanations: every rule asked, with the values compared, and nothing told that depends on an answer."""

import pytest

from interlock.authoring.explaining import explained
from interlock.interpreter.opening import InvalidMessage

NOW_MS = 1_772_326_800_000


@pytest.fixture
def explain(desk):
    def explain(text, *, agent=None, user=None, **more):
        plan = desk.plan(agent) if agent else desk.plan()
        return explained(plan, text, now_ms=NOW_MS, user=user or {"id": "u"}, metadata=more.pop("metadata", {}), **more)

    return explain


def rules(found):
    return [(one.kind, one.id, one.outcome) for one in found.rules]


def test_gates_and_routes_are_told_up_to_the_one_that_holds(explain):
    found = explain("hello")
    assert rules(found) == [
        ("gate", "form", "pass (not met)"),
        ("route", "order", "not met"),
        ("route", "other", "flow help"),
    ]
    assert found.rules[0].parts == (("message.type", '"user_chat"'),)
    assert found.rules[1].parts == (("slots.no", "null"), ("intents.order", "false"))
    assert found.rules[2].when == "otherwise"
    assert found.reply["text"] == "Ask about an order."
    assert found.open_calls == ()


def test_a_gate_that_ends_the_turn_leaves_no_route_to_be_asked(explain):
    found = explain("x", kind="form")
    assert rules(found) == [("gate", "form", "reply")]
    assert found.reply["text"] == "Noted."


def test_a_call_that_would_go_out_is_shown_with_its_sources_and_what_follows_is_left_open(explain):
    found = explain("where is B0001")
    assert found.open_calls == ("find",)
    assert found.reply is None
    assert found.lines[-2:] == (
        ("call", "find (agent.yaml:45:7): would go out"),
        ("source", 'no = B0001 ← slots.no: "B0001" at 9..14'),
    )
    assert [step["id"] for step in found.record["steps"]] == ["find"]
    assert (found.record["outcome"], found.record["problems"], found.record["caught"]) == (None, [], [])


def test_a_catch_is_not_told_as_if_the_call_had_failed(explain, agent):
    found = explain("where is B0001", agent=agent.replace("errors: [timeout]", "errors: [error]"))
    assert found.record["caught"] == []
    assert "catch" not in {subject for subject, _ in found.lines}


def test_the_read_of_a_check_is_what_would_go_out_first(explain, agent):
    checked = (
        agent.replace("    http: GET /orders/{no}\n", "    http: GET /orders/{no}\n    requires: [{condition: open}]\n")
        .replace("decisions:", "conditions:\n  open: {call: state, that: result.open}\ndecisions:")
        .replace(
            "tools:\n", "tools:\n  state:\n    http: GET /s\n    effect: read\n    output: {open: {type: boolean}}\n"
        )
    )
    found = explain("where is B0001", agent=checked)
    assert found.open_calls == ("state",)
    assert [(call["tool"], call["outcome"]) for call in found.record["calls"]] == [("state", "would go out")]


def test_a_call_that_lacks_its_argument_asks(explain):
    found = explain("my order")
    assert (found.open_calls, found.reply["outcome"], found.reply["missing"]) == ((), "ask", ["no"])


def test_a_screen_and_a_prefix_say_what_they_found(explain, agent):
    gates = (
        "vocabularies:\n  rivals: {words: [Rival]}\ngates:\n"
        "  - {id: rivals, screen: rivals, refuse: No.}\n"
        "  - {id: quick, prefix: '#find', fills: no, call: find, usage: A number please.}\n"
    )
    found = explain("r i v a l?", agent=agent.replace("gates:\n", gates))
    assert found.rules[0].parts == (("hit", '"r i v a l" at 0..9'),)
    assert (found.rules[0].when, found.rules[0].outcome) == ("screen rivals", "refuse")
    quick = explain("#find B0001", agent=agent.replace("gates:\n", gates))
    assert [(one.when, one.outcome) for one in quick.rules] == [
        ("screen rivals", "pass (no match)"),
        ("begins with #find", "call"),
    ]
    assert quick.open_calls == ("find",)


def test_the_user_counts(explain, agent):
    vip = agent.replace("message.type == 'form'", "user.tier == 'vip'")
    assert rules(explain("x", agent=vip, user={"id": "u", "tier": "vip"})) == [("gate", "form", "reply")]


@pytest.mark.parametrize("wrong", [{"user": {"tier": "gold"}}, {"kind": "fax"}, {"metadata": {"page": "x"}}])
def test_what_does_not_fit_is_refused(explain, wrong):
    with pytest.raises(InvalidMessage):
        explain("x", **wrong)


def test_json_has_a_version_and_all_of_it(explain):
    content = explain("hello").as_json()
    assert set(content) == {"version", "rules", "open_calls", "reply", "record"}
    assert content["version"] == 1
    assert content["rules"][0] == {
        "kind": "gate",
        "id": "form",
        "at": "agent.yaml:39:5",
        "when": "message.type == 'form'",
        "outcome": "pass (not met)",
        "parts": {"message.type": '"user_chat"'},
    }
