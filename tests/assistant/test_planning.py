"""The step `plan`: nothing is done before all of a plan has been checked, and nothing that is not in it."""

import pytest

PLAN = (
    """  orders:
    - act: {tools: [find, hold, weather], max_calls: 2}
      guidance: Hold an order only when the customer asks for it.
""",
    """  orders:
    - plan:
        goal: Do what the customer of {{ config.company }} asks.
        actions: [find, hold, weather, note]
        max_steps: 3
      guidance: Hold an order only when the customer asks for it.
      catch: [{errors: [model], do: [{refuse: {en: No plan., zh: 没有计划。}}]}]
""",
)
NOTE = (
    "responses:\n  brief",
    """  note:
    description: Leave a note in the log.
    http: POST /notes
    server: orders
    effect: write
    idempotency: {header: Idempotency-Key}
    input:
      about: {type: string, from: caller}
      words: {type: string, from: model, max_length: 20, optional: true}
      days: {type: integer, from: caller, optional: true}
    output: {kept: {type: boolean}}
    ensures: [{that: result.kept}]
responses:
  brief""",
)
MOUNT = ("  - {call: weather}\n", "  - {call: weather}\n  - {call: note}\n")


@pytest.fixture
def desk(changed, model):
    model.answers["note"] = {"kept": True}
    return changed(PLAN, NOTE, MOUNT)


def step(action, **arguments):
    given = []
    for name, value in arguments.items():
        number, path = value if isinstance(value, tuple) else (None, None)
        text = value if isinstance(value, str) else None
        given.append({"name": name, "text": text, "step": number, "path": path})
    return {"action": action, "arguments": given}


def propose(model, *steps):
    model.says["planning"].append({"thought": "so", "steps": list(steps)})


def verdict(desk):
    (plan,) = desk.record["plans"]
    return plan["verdict"], plan["asked"], plan["problems"]


# -- a plan that holds ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["it is about B1234", "关于 B1234"])
def test_a_plan_is_carried_out_in_order_with_results_by_their_coordinates(desk, model, text):
    propose(model, step("find"), step("note", about=(1, "state"), words="as asked", days=(1, "days")))
    model.reply("Noted, it is SENT.")
    assert desk(text)["outcome"] == "answer"
    assert model.calls == [("find", {"no": "B1234"}), ("note", {"about": "SENT", "words": "as asked", "days": 3})]
    assert verdict(desk) == ("valid", 1, [])
    (plan,) = desk.record["plans"]
    assert plan["steps"] == [
        {"action": "find", "texts": [], "results": {}},
        {"action": "note", "texts": ["words"], "results": {"about": "1.state", "days": "1.days"}},
    ]
    assert desk.record["calls"][1]["sources"]["about"] == {
        "source": "plan.1.state",
        "by": "plan",
        "receipt": desk.record["calls"][0]["receipt"],
    }
    assert [one["chosen_by"] for one in desk.record["calls"]] == ["plan", "plan"]
    assert [(one["kind"], one["round"]) for one in desk.record["scratchpad"]] == [
        ("action", 1),
        ("observation", 1),
        ("action", 2),
        ("observation", 2),
    ]


def test_the_model_is_told_what_is_open_and_what_each_action_gives(desk, model):
    propose(model)
    model.reply("?", kind="ask_for_clarification")
    desk("it is about B1234")
    (question,) = model.asked("planning")
    system = question.messages[0]["content"]
    assert "Goal: Do what the customer of ACME asks." in system
    assert "- note: Leave a note in the log." in system
    assert "argument about: the result of an earlier action, string" in system
    assert "argument words (optional): a text, at most 20 characters" in system
    assert "gives state (string), days (integer)" in system
    assert "token" not in system
    assert "argument no" not in system
    assert "Hold an order only when" in system


def test_an_empty_plan_does_nothing(desk, model):
    propose(model)
    model.reply("?", kind="ask_for_clarification")
    assert desk("it is about B1234")["outcome"] == "ask"
    assert (model.calls, verdict(desk)) == ([], ("valid", 1, []))


def test_a_call_that_fails_ends_the_plan_where_its_effect_is_unknown(desk, model):
    model.statuses["hold"] = "timeout"
    propose(model, step("hold", reason="late"), step("find"))
    model.reply("I do not know.")
    desk("it is about B1234")
    assert [tool for tool, _ in model.calls] == ["hold"]


def test_a_result_that_is_not_there_after_all_stops_the_call_that_needs_it(desk, model):
    model.statuses["find"] = 500
    propose(model, step("find"), step("note", about=(1, "state")))
    model.reply("I could not find out.")
    desk("it is about B1234")
    assert [tool for tool, _ in model.calls] == ["find"]
    assert desk.record["calls"][1]["outcome"] == "missing"


# -- a plan that does not ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("steps", "problem"),
    [
        ([step("find"), step("find")], "step 2: 'find' is taken twice"),
        ([step("note", about=(1, "state"))], "step 1: there is no earlier step 1"),
        ([step("find"), step("note", about=(2, "state"))], "step 2: there is no earlier step 2"),
        ([step("find"), step("note", about=(0, "state"))], "step 2: there is no earlier step 0"),
        ([step("find"), step("note", about=(1, "status"))], "step 2: step 1 declares no 'status'"),
        ([step("find"), step("note", about=(1, "state.x"))], "step 2: step 1 declares no 'state.x'"),
        ([step("find"), step("note", about=(1, "days"))], "step 2: 'days' of step 1 is integer, and string is wanted"),
        ([step("find"), step("note", about="SENT")], "step 2: nothing is given for 'about'"),
        ([step("find"), step("note")], "step 2: nothing is given for 'about'"),
        ([step("find", no="B7777")], "step 1: 'no' is not for the plan to give"),
        ([step("hold", reason="late", channel="AIR")], "step 1: 'channel' is not for the plan to give"),
        ([step("hold")], "step 1: nothing is given for 'reason'"),
        ([step("gone")], "step 1: 'gone' is not among the actions"),
        ([step("find"), step("hold", reason="x"), step("weather"), step("note")], "it has more than 3 steps"),
    ],
)
def test_a_plan_that_may_not_be_is_refused_with_the_reason_and_nothing_of_it_is_done(desk, model, steps, problem):
    propose(model, *steps)
    reply = desk("it is about B1234")
    assert (reply["text"], model.calls) == ("No plan.", [])
    found = verdict(desk)
    assert found[:2] == ("refused", 2)
    assert problem in found[2]
    assert desk.record["caught"][0]["kind"] == "model"
    assert problem in model.asked("planning")[1].messages[0]["content"]


def test_a_text_that_is_longer_than_it_may_be_refuses_the_plan(desk, model):
    propose(model, step("find"), step("note", about=(1, "state"), words="x" * 21))
    assert desk("it is about B1234")["text"] == "No plan."
    assert model.calls == []


def test_a_second_plan_may_be_better(desk, model):
    propose(model, step("gone"))
    propose(model, step("find"))
    model.reply("SENT.")
    desk("it is about B1234")
    assert [tool for tool, _ in model.calls] == ["find"]
    assert verdict(desk) == ("valid", 2, [])


@pytest.mark.parametrize("said", ["not JSON", RuntimeError("away"), None])
def test_without_a_plan_the_step_fails_as_a_model_does(desk, model, said):
    if said is not None:
        model.says["planning"].append(said)
    assert desk("关于 B1234")["text"] == "没有计划。"
    assert verdict(desk)[0] == "refused"
    assert len(model.asked("planning")) == 2


# -- the checks of every call -----------------------------------------------------------------------------------------


def test_several_identifiers_are_asked_about_before_anything_is_done(desk, model):
    propose(model, step("weather"), step("find"))
    model.reply("Which one?", kind="ask_for_clarification")
    reply = desk("it is about B1234 or B5678")
    assert (reply["outcome"], reply["candidates"]) == ("ask", {"order_no": ["B1234", "B5678"]})
    assert model.calls == []
    assert verdict(desk)[0] == "lacks something"


def test_what_is_not_eligible_cannot_be_planned(desk, model):
    propose(model, step("hold", reason="late"))
    desk("hello there")
    assert model.calls == []
    (plan,) = desk.record["plans"]
    assert {one["tool"] for one in plan["left_out"]} == {"find", "hold"}
    assert "hold" not in str(model.asked("planning")[0].schema)


def test_an_identifier_of_history_is_not_used_by_a_plan(desk, model):
    propose(model)
    model.reply("SENT.")
    desk("it is about B1234")
    model.says["planning"] = []
    propose(model, step("find"))
    assert desk("check it")["outcome"] == "ask"
    assert model.calls == []
