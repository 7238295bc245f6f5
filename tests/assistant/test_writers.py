"""Which model writes: by which rule, with which settings, and what the record keeps of that."""

import pytest


def decided(record):
    (one,) = [one for one in record["model_stage_decisions"] if one["stage"] == "generation"]
    return one["role"], one["model"], one["rule"]


@pytest.mark.parametrize(("length", "role"), [(100, "general"), (101, "complex")])
def test_the_first_rule_that_holds_says_who_writes(desk, model, length, role):
    model.says["generation"].append("Hello.")
    desk("plain".ljust(length, "."))
    assert model.questions[0].role == desk.record["final_model_role"] == role
    assert desk.record["final_model_settings"]["model"] == {"general": "small", "complex": "large"}[role]
    assert (decided(desk.record)[2] is None) == (role == "general")


@pytest.mark.parametrize(
    ("text", "role"), [("plain" + "." * 100, "complex"), ("plain zz", "tiny"), ("plain", "tool_call")]
)
def test_rules_are_asked_in_their_order_and_the_last_may_hold_always(changed, model, text, role):
    rules = "  - {when: \"'zz' in message.text\", model: tiny}\n  - {model: tool_call}\n"
    desk = changed(
        ("  complex: {model: large}\n", "  complex: {model: large}\n  tiny: {model: tiny}\n"),
        ("vocabularies:\n", f"{rules}vocabularies:\n"),
    )
    model.says["generation"].append("Hello.")
    desk(text)
    assert model.questions[0].role == role
    assert decided(desk.record)[2] is not None


def test_a_step_that_names_a_role_asks_no_rule(changed, model):
    desk = changed(("  plain:\n    - generate: auto", "  plain:\n    - generate: tool_call"))
    model.says["generation"].append("Hello.")
    desk("plain".ljust(200, "."))
    assert decided(desk.record) == ("tool_call", "tiny", None)
    assert desk.record["final_model_settings"] == {
        "server": "llm",
        "model": "tiny",
        "temperature": 0.0,
        "max_tokens": 500,
    }


def test_what_a_role_leaves_out_it_takes_from_general(desk, model):
    model.says["generation"].append("Hello.")
    desk("plain".ljust(200, "."))
    settings = desk.record["final_model_settings"]
    assert settings == {"server": "llm", "model": "large", "temperature": 0.5, "max_tokens": 500}


def test_every_decision_of_a_turn_is_in_its_order(desk, model):
    model.choose("hold")
    model.propose(reason="late")
    model.reply("Held.")
    desk("it is about B1234")
    decisions = [(one["stage"], one["role"]) for one in desk.record["model_stage_decisions"]]
    assert decisions == [("selection", "tool_call"), ("arguments", "tool_call"), ("generation", "general")]


def test_a_turn_without_a_model_decides_nothing(desk):
    desk("brief B1234")
    assert (desk.record["model_stage_decisions"], desk.record["final_model_role"]) == (None, None)
