"""A caller names the one model that is asked, for a session or a message, where the agent allows it."""

import pytest

from interlock.authoring.stage import Stage
from interlock.interpreter.events import MessageReceived
from interlock.interpreter.machine import InvalidMessage

NAMED = {"model": "special", "temperature": 0, "max_tokens": 40}
OTHERS = {"model": "other"}


def allowing(what):
    return "grounding: {mode: strict}\n", f"grounding: {{mode: strict}}\nmodel_override: {what}\n"


@pytest.fixture
def opened(planned, model):
    """Opens the desk, with who may name a model; says something to it, the record."""

    def open_(what, named=None):
        plan = planned(allowing(what)) if what else planned()
        stage = Stage(plan, model, user={"id": "u1"}, now_ms=1_767_600_000_000, model=named)

        def say(text, model=None, known=None):
            return stage._play(MessageReceived(known or f"n{stage.state.turn}", text, stage.now_ms, model=model))

        return say

    return open_


def asked(model):
    return [(one.stage, one.role, one.named) for one in model.questions]


@pytest.mark.parametrize(
    ("in_session", "in_message", "counts"), [(NAMED, None, NAMED), (None, NAMED, NAMED), (OTHERS, NAMED, NAMED)]
)
def test_one_model_serves_every_stage_and_the_record_says_so(opened, model, in_session, in_message, counts):
    say = opened("message", in_session)
    model.choose("hold")
    model.propose(reason="late")
    model.reply("Held.")
    record = say("it is about B1234 " + "x" * 100, in_message).record
    assert asked(model) == [(stage, "general", counts) for stage in ("selection", "arguments", "generation")]
    decided = [(one["role"], one["model"], one["rule"]) for one in record["model_stage_decisions"]]
    assert decided == [("general", "special", "model_override")] * 3
    settings = record["final_model_settings"]
    assert record["final_model_role"] == "general"
    assert (settings["model"], settings["temperature"], settings["max_tokens"]) == ("special", 0, 40)


def test_what_one_message_names_is_for_that_message_alone(opened, model):
    say = opened("message")
    say("plain", NAMED)
    say("plain")
    assert [one.named for one in model.questions] == [NAMED, None]


def test_what_is_not_named_is_that_of_the_general_role(opened, model):
    settings = opened("session", OTHERS)("plain").record["final_model_settings"]
    assert (settings["model"], settings["temperature"], settings["max_tokens"]) == ("other", 0.5, 500)


@pytest.mark.parametrize("allowed", ["", "session"])
def test_a_message_may_name_none_where_the_agent_does_not_say_so(opened, model, allowed):
    with pytest.raises(InvalidMessage) as refused:
        opened(allowed)("plain", NAMED)
    assert refused.value.code == "model-not-allowed"
    assert model.questions == []


def test_nor_may_a_session(opened):
    with pytest.raises(InvalidMessage) as refused:
        opened("", NAMED)
    assert refused.value.code == "model-not-allowed"


@pytest.mark.parametrize("server", ["orders", "nowhere"])
def test_only_a_server_of_models_may_be_named(opened, server):
    with pytest.raises(InvalidMessage) as refused:
        opened("message")("plain", NAMED | {"server": server})
    assert refused.value.code == "unknown-server"
    assert "there are models at: llm" in str(refused.value)


def test_the_same_id_with_another_model_is_a_conflict(opened):
    say = opened("message")
    say("plain", NAMED, "same")
    assert say("plain", NAMED, "same").reply["outcome"] != "conflict"
    assert say("plain", OTHERS, "same").reply["outcome"] == "conflict"
