"""Routes: the first that holds, whatever the index skips; and one that cannot be evaluated lets nothing through."""

from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.interpreter.machine import Machine
from interlock.interpreter.program import link
from interlock.interpreter.routing import Routes

WHENS = (
    "slots.colour == 'red'",
    'slots.colour == "blue"',
    "slots.colour == 'red' and intents.track",
    "slots.colour == 'red' and (intents.track or intents.why)",
    "message.type == 'form'",
    "slots.colour == 'red' or intents.why",
    "slots.colour != 'red'",
    "intents.track",
    "not intents.track",
    "(slots.colour == 'blue')",
    "slots.colour in ['red', 'blue'] and intents.why",
    "message.metadata.no == 'x'",
)


@pytest.fixture(scope="module")
def desk(talk):
    def build(whens):
        return talk.Talk(
            talk.plan(
                vocabularies={"colours": talk.words("red", "blue")},
                slots={"colour": talk.slot(vocabulary="colours")},
                intents={name: talk.placed(keywords=(name,)) for name in ("track", "why")},
                routes=[{"id": f"r{n}", "when": when, "flow": "talk"} for n, when in enumerate(whens)],
            )
        )

    return build


@settings(max_examples=60, deadline=None)
@given(
    whens=st.lists(st.sampled_from(WHENS), max_size=8),
    text=st.sampled_from(["red", "blue", "track", "why red", "track red", "hm", "red blue"]),
    type_=st.sampled_from(["user_chat", "form"]),
)
def test_the_route_is_the_first_that_holds_in_order(talk, desk, whens, text, type_):
    indexed = desk(whens)
    indexed.say(text, type=type_)
    singly = [desk([when]) for when in whens]
    holds = []
    for one in singly:
        one.say(text, type=type_)
        holds.append(one.record["route"]["id"] == "r0")
    expected = f"r{holds.index(True)}" if True in holds else "other"
    assert indexed.record["route"]["id"] == expected


@dataclass
class _Plan:
    routes: Any


def test_routes_that_compare_with_a_literal_are_looked_up_and_not_asked(talk, desk):
    routes = desk([f"slots.colour == 'c{n}'" for n in range(1000)]).program.plan.routes
    context: dict[str, Any] = {"slots": {"colour": "c700"}}
    assert Routes(_Plan(routes)).candidates(context) == [700, 1000]
    context["slots"]["colour"] = None
    assert Routes(_Plan(routes)).candidates(context) == [1000]


def test_a_route_that_cannot_be_evaluated_refuses(desk):
    talk = desk(["(message.text | length) / (message.text | length - 3) > 1"])
    reply = talk.say("abc")
    assert (reply["outcome"], reply["reason"]) == ("refuse", "route_failed")
    assert talk.record["problems"][0]["at"] == talk.program.plan.routes[0].at
    assert talk.say("abcd")["outcome"] == "answer"


def test_equal_plans_share_one_program_and_other_plans_do_not(talk):
    plan = talk.plan()
    copy = type(plan).model_validate_json(plan.model_dump_json())
    assert link(plan) is link(copy)
    assert link(talk.plan(name="other")) is not link(plan)


def test_sessions_of_one_program_do_not_disturb_each_other(talk):
    plan = talk.tracking()
    one, other = talk.Talk(plan), talk.Talk(plan)
    one.say("查询货物 ABCU1234567")
    other.say("查询货物")
    assert other.calls == []
    assert isinstance(other.machine, Machine)
    assert one.state.messages != other.state.messages
