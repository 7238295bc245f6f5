"""The pre-gate: eight rules before every call that is bound to identifiers, the first that holds."""

import pytest

from interlock.plan.tools import Mount
from interlock.plan.words import Intent, Term, Vocabulary

A, B = "555E898665", "S55ES0000134"
TRACK, AGAIN, OTHER = "track my shipment", "check it", "nice weather"


@pytest.fixture
def talk(kit):
    return make(kit)


def make(kit, *, history="single", slot=None, of_type="string", intent="tracking"):
    argument = kit.argument("slots.no", of_type, history=history)
    plan = kit.plan(
        {"track": kit.tool({"no": argument})},
        mounts=(Mount(at=kit.AT, call="track", intent=intent),),
        slots={"no": {**kit.SLOT, "in_context": (r"\d{3,6}",), **(slot or {})}},
        vocabularies={"again": Vocabulary(at=kit.AT, terms=(Term(code="again", aliases=("check it", "那个呢")),))},
        intents={
            "tracking": Intent(at=kit.AT, keywords=("track", "查询"), follow_up="again"),
            "none": Intent(at=kit.AT),
        },
    )
    return kit.Talk(plan)


def said(talk, *texts, kind="user_chat"):
    for text in texts[:-1]:
        talk.hears(text)
    talk.hears(texts[-1], kind=kind)
    result = talk.calls("track")
    return result, result.audit["pre_gate"]


@pytest.mark.parametrize(
    ("texts", "rule", "outcome", "sent"),
    [
        ([A], 1, "success", [A]),
        ([f"{TRACK} {A}"], 1, "success", [A]),
        ([f"{A} and again {A}"], 1, "success", [A]),
        ([B, f"{TRACK} {A}"], 1, "success", [A]),
        ([f"{A} or {B}"], 2, "ambiguous", []),
        ([f"{TRACK} {A}", f"{A} or {B}"], 2, "ambiguous", []),
        ([TRACK, "12345"], 4, "success", ["12345"]),
        ([A, TRACK], 5, "success", [A]),
        ([f"{TRACK} {A}", AGAIN], 5, "success", [A]),
        ([A, AGAIN], 5, "success", [A]),
        ([A, "那个呢？"], 5, "success", [A]),
        ([A, B, TRACK], 6, "ambiguous", []),
        ([A, B, AGAIN], 6, "ambiguous", []),
        ([TRACK], 7, "missing", []),
        ([OTHER], 8, "skipped", []),
        ([A, OTHER], 8, "skipped", []),
        ([AGAIN], 8, "skipped", []),
        (["12345"], 8, "skipped", []),
    ],
)
def test_the_first_rule_that_holds_decides(talk, texts, rule, outcome, sent):
    result, gate = said(talk, *texts)
    assert (gate["rule"], result.outcome, [call.arguments["no"] for call in talk.sent]) == (rule, outcome, sent)
    assert gate["slot"] == "no"
    assert gate["words"]


@pytest.mark.parametrize(
    ("texts", "rule", "outcome"),
    [([A], 1, "success"), ([f"{A} {B}"], 2, "ambiguous"), ([A, TRACK], 3, "skipped"), ([TRACK], 3, "skipped")],
)
def test_a_message_of_another_type_needs_the_identifier_itself(talk, texts, rule, outcome):
    result, gate = said(talk, *texts, kind="form")
    assert (gate["rule"], result.outcome) == (rule, outcome)


def test_history_is_read_only_as_far_as_it_is_trusted(talk):
    result, gate = said(talk, A, OTHER, OTHER, OTHER, TRACK)
    assert (gate["rule"], result.outcome, talk.sent) == (7, "missing", [])


def test_history_only_lets_the_call_try_where_the_argument_does_not_take_it(kit):
    talk = make(kit, history="")
    result, gate = said(talk, A, TRACK)
    assert (gate["rule"], result.outcome, result.missing, talk.sent) == (5, "missing", ("no",), [])


def test_an_identifier_from_history_says_so(talk):
    result, _ = said(talk, A, TRACK)
    assert result.audit["sources"]["no"]["from"] == "history"


def test_which_of_several_is_asked_with_the_candidates(talk):
    result, _ = said(talk, f"{A} or {B}")
    assert result.candidates == {"no": [A, B]}
    result, _ = said(talk, A, B, TRACK)
    assert sorted(result.candidates["no"]) == sorted([A, B])


def test_without_an_intent_on_the_mount_there_is_no_pre_gate_and_no_history(kit):
    talk = make(kit, intent="")
    talk.hears(A)
    talk.hears(TRACK)
    result = talk.calls("track")
    assert ("pre_gate" in result.audit, result.outcome) == (False, "missing")


def test_an_intent_does_not_hold_up_a_call_that_is_bound_to_no_identifier(kit):
    mounts = (Mount(at=kit.AT, call="notices", intent="ports"),)
    intents = {"ports": Intent(at=kit.AT, keywords=("ports",))}
    talk = kit.Talk(kit.plan({"notices": kit.tool({})}, mounts=mounts, intents=intents))
    talk.hears("hello")
    assert talk.calls("notices").outcome == "success"


def test_an_intent_without_matchers_is_never_meant(kit):
    talk = make(kit, intent="none")
    assert said(talk, A, TRACK)[1]["rule"] == 8
    assert said(talk, A)[1]["rule"] == 1


def test_an_argument_that_takes_a_list_may_have_several(kit):
    talk = make(kit, slot={"many": True}, of_type="list")
    result, gate = said(talk, f"{A} and {B}")
    assert (gate["rule"], talk.sent[0].arguments["no"]) == (1, [A, B])
    single = make(kit, slot={"many": True})
    result, gate = said(single, f"{A} and {B}")
    assert (gate["rule"], result.outcome, single.sent) == (2, "ambiguous", [])


def test_one_part_of_an_expanded_call_has_its_one_identifier(kit):
    talk = make(kit, slot={"many": True})
    talk.hears(f"{A} and {B}")
    assert talk.calls("track", slot_values={"no": B}).outcome == "success"
    assert talk.sent[0].arguments == {"no": B}


def test_what_a_waiting_flow_has_collected_counts_as_said(talk):
    from interlock.interpreter import slots

    talk.hears(A)
    talk.state.flow = {"name": "f", "journal": {}, "asked": ["other"], "attempts": 1, "route": "r", "turn": 1}
    slots.keep(talk.turn)
    slots.take_up(talk.hears(OTHER))
    result = talk.calls("track")
    assert (result.audit["pre_gate"]["rule"], result.outcome, talk.sent[0].arguments) == (1, "success", {"no": A})


def test_what_the_session_keeps_needs_the_intent_again(kit):
    from interlock.interpreter import slots

    talk = make(kit, slot={"keep": "session"})
    talk.hears(A)
    slots.keep(talk.turn)
    for text, rule, outcome in ((OTHER, 8, "skipped"), (TRACK, 5, "success")):
        talk.hears(text)
        result = talk.calls("track")
        assert (result.audit["pre_gate"]["rule"], result.outcome) == (rule, outcome)


def test_a_flow_that_goes_on_has_what_the_session_keeps(kit):
    from interlock.interpreter import slots

    talk = make(kit, slot={"keep": "session"})
    talk.hears(A)
    slots.keep(talk.turn)
    talk.hears(OTHER).going_on = {"name": "f"}
    result = talk.calls("track")
    assert (result.audit["pre_gate"]["rule"], result.outcome) == (1, "success")


def test_a_message_nobody_has_read_yet_is_read(talk):
    talk.hears(A)
    talk.turn.read, talk.turn.slots = False, {}
    assert talk.calls("track").outcome == "success"
