"""The models of what authors write: what they take, and what the parts are called."""

import pytest
from pydantic import ValidationError

from interlock.spec import KINDS, AgentSpec, LibrarySpec, ProcedureSpec, SuiteSpec
from interlock.spec.durations import milliseconds
from interlock.spec.forms import keys_of, models_in
from interlock.spec.steps import ACTIONS

HEAD = {"apiVersion": "interlock/v1", "name": "demo"}
AGENT = {**HEAD, "kind": "Agent", "routes": [{"flow": "main"}], "flows": {"main": [{"reply": "hi"}]}}


def test_each_kind_has_its_model():
    kinds = {"Agent": AgentSpec, "Procedure": ProcedureSpec, "Library": LibrarySpec, "Suite": SuiteSpec}
    assert kinds == KINDS


def test_each_action_makes_its_step():
    steps = [
        {"call": "x", "with": {"a": "{{ 1 }}"}, "expand": ["a"], "max_parts": 3},
        {"run": "other", "with": {"a": 1}},
        {"collect": ["a"]},
        {"respond": "none"},
        {"reply": {"zh": "好", "en": "ok"}, "options": ["a"]},
        {"refuse": "no", "reason": "out_of_scope"},
        {"handoff": "wait", "to": "desk"},
        {"retrieve": "handbook", "top": 2},
        {"generate": "auto", "grounding": {"mode": "off"}},
        {"act": {"max_calls": 2}, "guidance": "briefly"},
        {"plan": {"goal": "all of it", "actions": ["x"]}},
        {"flow": "main"},
        {"set": {"a": 1}},
        {"switch": [{"when": "x", "do": [{"reply": "a"}]}, {"do": [{"reply": "b"}]}]},
        {"parallel": {"one": [{"reply": "a"}]}},
        {"for_each": {"items": "{{ a }}", "as": "b", "do": [{"reply": "a"}]}},
        {"do": [{"reply": "a"}], "catch": [{"errors": ["timeout"]}]},
        {"wait": "1h"},
        {"receive": "a"},
        {"end": {"a": 1}},
        {"fail": "no", "compensate": True},
    ]
    spec = AgentSpec.model_validate({**AGENT, "flows": {"main": steps}})
    assert [type(step) for step in spec.flows["main"]] == list(ACTIONS.values())
    assert spec.flows["main"][0].with_ == {"a": "{{ 1 }}"}


@pytest.mark.parametrize(
    "part",
    [
        {"title": None},
        {"languages": ("zh",)},
        {"session": {"history": True}},
        {"session": {"history": 5.0}},
        {"slots": {"a": {"extract": "date", "many": 1}}},
        {"gates": [{"id": "g"}]},
        {"gates": [{"id": "g", "reply": "a", "ask": "b"}]},
        {"nothing": 1},
        {"session": {"idle_timeout": "１２s"}},
    ],
)
def test_models_are_strict_and_closed(part):
    with pytest.raises(ValidationError):
        AgentSpec.model_validate({**AGENT, **part})


def test_large_whole_numbers_and_every_value_survive():
    spec = AgentSpec.model_validate({**AGENT, "config": {"a": 2**128 - 1, "b": [None, {"c": 0.5}]}})
    assert spec.config == {"a": 2**128 - 1, "b": [None, {"c": 0.5}]}


def test_a_suite_is_taken_whole():
    turns = [
        {"user": "hi", "expect": {"outcome": "ask", "missing": ["no"], "calls": [], "slots": {"no": None}}},
        {"message": {"text": "x", "type": "form"}, "expect": {"answered_by": "gate", "reason": "seen"}},
        {"agent": "I am here"},
        {"event": "takeover", "expect": {"status": "human_active"}},
        {"advance": "20m", "expect": {"cells": {"get_order.status": "PAID"}}},
    ]
    stubs = {"now": "2026-03-01T09:00:00+08:00", "tools": {"t": [{"payload": {}, "times": 1}, {"outcome": "timeout"}]}}
    case = {"id": "one", "session": {"user": {"id": "u"}, "locale": "zh"}, "turns": turns}
    spec = SuiteSpec.model_validate({**HEAD, "kind": "Suite", "of": "demo", "stubs": stubs, "cases": [case]})
    assert spec.cases[0].turns[0].expect.slots == {"no": None}
    assert "payload" in spec.stubs.tools["t"][0].model_fields_set


@pytest.mark.parametrize(
    ("text", "length"), [("500ms", 500), ("30s", 30_000), ("20m", 1_200_000), ("4h", 14_400_000), ("7d", 604_800_000)]
)
def test_durations(text, length):
    assert milliseconds(text) == length


@pytest.mark.parametrize("text", ["", "5", "s", "5 s", "1.5h", "-1s", "5w", "１s", "5s\n", "9" * 10 + "s"])
def test_what_is_no_duration(text):
    with pytest.raises(ValueError, match="not a duration"):
        milliseconds(text)


def test_rules_between_keys_name_only_keys_that_there_are():
    for kind in KINDS.values():
        for model in models_in(kind):
            keys = set(keys_of(model))
            for rule in model.key_rules:
                named = {
                    *getattr(rule, "keys", ()),
                    *getattr(rule, "needs", ()),
                    *filter(None, [getattr(rule, "key", "")]),
                }
                assert named <= keys, model
