"""What a record says in lines: every source of an argument, every part that decided, in the order of the turn."""

import pytest

from interlock.authoring.telling import ending_gate, told, told_call

SPAN = {"raw": "B0001", "start": 3, "end": 8}


def call(**sources):
    arguments = dict.fromkeys(sources, "B0001")
    return {"tool": "find", "at": "a.yaml:9:7", "outcome": "success", "arguments": arguments, "sources": sources}


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ({"source": "message.text"}, "message.text"),
        ({"source": "slots.no", **SPAN, "from": "message", "turn": 2}, 'slots.no: "B0001" at 3..8'),
        ({"source": "slots.no", **SPAN, "from": "kept", "turn": 1}, 'slots.no: "B0001" at 3..8 of turn 1'),
        ({"source": "slots.no", **SPAN, "from": "history"}, 'slots.no: "B0001" at 3..8, history'),
        ({"source": "slots.day", "from": "assumed", "turn": 2}, "slots.day: assumed"),
        ({"source": "slots.day", "from": "default", "turn": 2}, "slots.day: default"),
        (
            {"source": "slots.no", "found": [SPAN, {**SPAN, "start": 10, "end": 15}], "from": "message", "turn": 2},
            'slots.no: "B0001" at 3..8, "B0001" at 10..15',
        ),
        ({"source": "cells.find.state", "receipt": "r1"}, "cells.find.state: receipt r1"),
        ({"source": "value", "reads": ["now", "user.id"]}, "value: reads now, user.id"),
        ({"source": "caller", "reads": []}, "caller"),
        ({"source": "slots.no", **SPAN, "by": "caller", "turn": 2}, 'slots.no: "B0001" at 3..8, given by the caller'),
    ],
)
def test_an_argument_is_told_with_its_source(source, line):
    lines = told({"kind": "turn", "turn": 2, "calls": [call(no=source)]})
    assert lines == [("call", "find (a.yaml:9:7): success"), ("source", f"no = B0001 ← {line}")]


@pytest.mark.parametrize(
    ("decided", "line"),
    [
        ({"rows": ["a.yaml:5:9"], "result": {"team": "a", "days": 3}}, "care (a.yaml:5:9): team = a, days = 3"),
        ({"rows": ["a.yaml:5:9", "a.yaml:6:9"], "result": ["x", "y"]}, 'care (a.yaml:5:9, a.yaml:6:9): ["x", "y"]'),
        ({"rows": ["a.yaml:5:9"], "result": 7}, "care (a.yaml:5:9): 7"),
        ({"rows": [], "result": None}, "care (a.yaml:4:3): no row holds"),
        ({"rows": ["a.yaml:5:9"], "error": "two rows hit"}, "care (a.yaml:4:3): two rows hit"),
    ],
)
def test_a_table_is_told_with_its_rows_and_outputs(decided, line):
    assert told({"decisions": {"care": {"at": "a.yaml:4:3", **decided}}}) == [("table", line)]


def test_the_turn_is_told_in_its_order():
    record = {
        "kind": "turn",
        "turn": 1,
        "gates": [
            {"id": "passed", "at": "1", "verdict": "pass", "why": "not met"},
            {"id": "fills", "at": "2", "verdict": "assume", "why": "met", "hits": []},
            {"id": "screen", "at": "3", "verdict": "refuse", "why": "met", "hits": [["坏 词", 0, 3]]},
        ],
        "identifiers": [{"slot": "no", "value": "B0001", "turn": 1, **SPAN}],
        "intents": ["order", "status"],
        "route": {"id": "order", "at": "4", "flow": "find"},
        "decisions": {"care": {"at": "9", "rows": ["9"], "result": 1}},
        "steps": [{"id": "a", "at": "5"}, {"id": "find", "at": "6"}, {"id": "b", "at": "7"}],
        "calls": [
            {"tool": "first", "at": "0", "outcome": "success"},
            {"tool": "find", "at": "6", "outcome": "error", "error": "status 500"},
        ],
        "caught": [{"at": "8", "kind": "error", "step": "find", "message": "", "tool": "find"}],
        "problems": [{"code": "text-failed", "at": "9", "message": "no value"}],
        "waits_for": ["no", "day"],
    }
    assert told(record) == [
        ("gate", "fills (2): assume"),
        ("gate", 'screen (3): refuse, "坏 词" at 0..3'),
        ("slot", 'no = B0001 ← "B0001" at 3..8'),
        ("intent", "order, status"),
        ("route", "order (4): flow find"),
        ("call", "first (0): success"),
        ("step", "a (5)"),
        ("call", "find (6): error, status 500"),
        ("catch", "error (8)"),
        ("table", "care (9): 1"),
        ("step", "b (7)"),
        ("problem", "text-failed (9): no value"),
        ("waits", "for no, day"),
    ]
    assert ending_gate(record)["id"] == "screen"


def test_a_flow_that_goes_on_says_so():
    assert told({"route": {"id": "order", "at": None, "flow": "find", "continued": True}}) == [
        ("route", "order: goes on with flow find")
    ]


def test_a_persons_event_is_one_line():
    assert told({"kind": "event", "event": "takeover", "effect": "changed"}) == [("event", "takeover: changed")]


def test_a_record_of_nothing_says_nothing():
    assert told({}) == []
    assert ending_gate({}) is None


def test_a_call_that_took_several_attempts_says_so():
    call = {"tool": "pay", "at": "a.yaml:1:1", "outcome": "success", "sources": {}, "arguments": {}}
    assert next(iter(told_call(call | {"attempts": 1}))) == ("call", "pay (a.yaml:1:1): success")
    assert next(iter(told_call(call | {"attempts": 2}))) == ("call", "pay (a.yaml:1:1): success at attempt 2")


def test_what_a_model_made_up_is_told_as_dropped():
    invents = {"tool": "find", "at": "a:9:7", "outcome": "missing", "error": "not said", "invented": ["no"]}
    record = {
        "kind": "turn",
        "calls": [invents],
        "steps": [{"id": "act", "at": "a:9:7"}],
        "selections": [{"at": "a:9:7", "by": "model", "tool": "find"}],
        "generations": [{"at": "a:9:7", "role": "tool_call", "stage": "arguments", "finish": "stop"}],
        "guard_flags": {"prose_dropped": True, "unsourced_figures": ["5000", "7"]},
    }
    assert told(record) == [
        ("choice", "find, by model"),
        ("model", "tool_call (a:9:7): arguments, stop"),
        ("call", "find (a:9:7): missing, not said"),
        ("dropped", "no: the model gave one that the user has not said"),
        ("dropped", "what the model wrote (5000, 7: in no source)"),
    ]


@pytest.mark.parametrize(
    ("flags", "lines"),
    [
        ({"prose_dropped": True}, [("dropped", "what the model wrote")]),
        ({"unsourced_figures": ["7"]}, [("figures", "7: in no source")]),
        ({}, []),
    ],
)
def test_figures_that_are_only_noted_are_told_as_such(flags, lines):
    assert told({"kind": "turn", "guard_flags": flags}) == lines
