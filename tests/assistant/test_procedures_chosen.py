"""Procedures that a model may choose: begun with a traced input, and gone on from as if the loop had never stopped."""

import json
from textwrap import dedent

import pytest

from interlock.authoring.stage import Stage
from interlock.compiler.compile import compile_folder
from interlock.interpreter import machine
from interlock.interpreter.program import link
from interlock.interpreter.state import restored
from tests.compiled import exchanged

AGENT = """
apiVersion: interlock/v1
kind: Agent
name: desk
RUNTIME
uses: [tools]
servers: {llm: {openai: "{{ env.LLM_URL }}"}}
models: {general: {model: small}}
slots: {number: {patterns: ['T[0-9]{4}'], ask: Which number?}}
intents: {book: {keywords: [book, 预订]}, sky: {keywords: [sky, 天气]}}
mounts:
  - {run: book-it, intent: book, with: {number: "{{ slots.number }}"}}
  - {call: weather, intent: sky}
routes: [{flow: only}]
flows:
  only:
    - act: {procedures: [book-it], tools: [weather]}
    - generate: auto
"""
PROCEDURE = """
apiVersion: interlock/v1
kind: Procedure
name: book-it
description: Books a parcel.
uses: [tools]
input: {number: {type: string}}
steps: [{wait: 1h}, {call: book}]
result: {booked: "{{ cells.book.booked }}"}
"""
TOOLS = """
apiVersion: interlock/v1
kind: Library
name: tools
tools:
  weather:
    python: weather
    effect: none
    output: {sky: {type: string}}
  book:
    python: book
    effect: write
    idempotency: {argument: key}
    input: {number: {type: string, from: input.number}}
    output: {booked: {type: string}}
    produces: {booked: {at: booked}}
    ensures: [{that: result.booked != ''}]
"""
HOUR = 3_600_000


@pytest.fixture
def compiled(tmp_path):
    def compile_with(runtime="runtime: react", **changes):
        agent = exchanged(AGENT.replace("RUNTIME", runtime), changes.get("agent", ()))
        for name, text in (("a", agent), ("b", PROCEDURE), ("c", TOOLS)):
            (tmp_path / f"{name}.yaml").write_text(dedent(text))
        return compile_folder(tmp_path)

    return compile_with


@pytest.fixture
def stage(compiled, model):
    def opened(runtime="runtime: react"):
        found = compiled(runtime)
        assert [str(one) for one in found.diagnostics] == []
        model.answers["book"] = {"booked": "007"}
        model.answers["weather"] = {"sky": "clear"}
        return Stage(found.plans["desk"], model, user={"id": "u1"}, now_ms=0, plans=found.plans.values())

    return opened


@pytest.mark.parametrize("runtime", ["runtime: react", "runtime: pipeline"])
@pytest.mark.parametrize("text", ["book T1234", "预订 T1234"])
def test_a_procedure_is_run_with_a_traced_input_and_its_result_is_told(stage, model, runtime, text):
    stage = stage(runtime)
    played = stage.say(text)
    assert played.reply["outcome"] == "queued"
    (run,) = played.record["runs"]
    assert (run["procedure"], run["arguments"]) == ("book-it", {"number": "T1234"})
    assert run["sources"]["number"]["source"] == "slots.number"
    assert model.questions == []
    model.think(control="end", goal_met=True)
    model.says["generation"].append("Booked.")
    played = stage.advance(HOUR)
    assert played.reply["text"] == "Booked."
    assert stage.state.outbox[-1]["text"] == "Booked."
    content = model.asked("generation")[0].messages[-1]["content"]
    assert json.loads(content.split("<context>\n")[1].split("\n</context>")[0])["results"] == [
        {"tool": "book-it", "result": {"booked": "007"}}
    ]
    assert content.endswith(text)


def test_the_loop_goes_on_after_a_procedure_with_its_goal_its_intents_and_its_scratchpad(stage, model):
    stage = stage()
    stage.say("book T1234, and how is the sky 天气")
    model.think("weather", thought="It is booked.")
    model.think(control="end", goal_met=True)
    model.says["generation"].append("Booked, and it is clear.")
    played = stage.advance(HOUR)
    (question,) = model.asked("selection")  # after the weather there is nothing left to choose
    assert '"booked": "007"' in question.messages[-1]["content"]
    assert question.messages[-1]["content"].endswith("book T1234, and how is the sky 天气")
    context = model.asked("generation")[0].messages[-1]["content"]
    assert '"booked": "007"' in context
    assert '"sky": "clear"' in context
    actions = [(one["round"], one["name"]) for one in played.record["scratchpad"] if one["kind"] == "action"]
    assert actions == [(1, "book-it"), (2, "weather")]
    assert [call["tool"] for call in played.record["calls"]] == ["weather"]
    assert played.reply["text"] == "Booked, and it is clear."


def test_a_flow_that_waits_is_json_and_goes_on_alike_from_it(stage, model):
    first = stage()
    first.say("book T1234")
    copy = restored(json.loads(json.dumps(first.state.as_json())))
    model.think(control="end", goal_met=True)
    model.says["generation"].append("Booked.")
    first.advance(HOUR)
    again = machine.Machine(link(first.plan), copy)
    child = next(iter(copy.background))
    ended = dict(first.state.records[-1]["events"][0])
    assert ended["effect"] == "done"
    copy.background[child]["ended"] = {"ending": "done", "result": {"booked": "007"}, "message": "", "run": ""}
    commands = again.resume(HOUR)
    while commands and hasattr(commands[0], "call_id"):
        commands = again.handle(model.write(commands[0], HOUR))
    assert copy.records[-1] == first.state.records[-1]
    assert copy.outbox == first.state.outbox


def test_a_plan_goes_on_after_a_procedure_of_it(compiled, model):
    step = "    - plan: {goal: Do it., actions: [book-it, weather]}"
    found = compiled("", agent=[("    - act: {procedures: [book-it], tools: [weather]}", step)])
    assert [str(one) for one in found.diagnostics] == []
    model.answers |= {"book": {"booked": "007"}, "weather": {"sky": "clear"}}
    stage = Stage(found.plans["desk"], model, user={"id": "u1"}, now_ms=0, plans=found.plans.values())
    actions = [{"action": name, "arguments": []} for name in ("book-it", "weather")]
    model.says["planning"].append({"thought": "so", "steps": actions})
    played = stage.say("book T1234, and how is the sky 天气")
    assert (played.reply["outcome"], played.record["plans"][0]["verdict"]) == ("queued", "valid")
    json.dumps(stage.state.as_json())
    model.says["generation"].append("Booked, and it is clear.")
    played = stage.advance(HOUR)
    assert played.reply["text"] == "Booked, and it is clear."
    assert [call["tool"] for call in played.record["calls"]] == ["weather"]
    assert len(model.asked("planning")) == 1
    assert '"booked": "007"' in model.asked("generation")[0].messages[-1]["content"]


def test_a_procedure_that_fails_is_told_and_the_flow_goes_on(stage, model):
    stage = stage()
    model.statuses["book"] = 400
    stage.say("book T1234")
    model.says["generation"].append("That did not work.")
    played = stage.advance(HOUR)
    if played.reply is None:  # it stands still until its time is over
        played = stage.advance(8 * 24 * HOUR)
    assert played.reply["text"] == "That did not work."
    assert model.asked("selection") == []
    assert '"outcome": "error"' in model.asked("generation")[0].messages[-1]["content"]
    assert "procedure-failed" in [one["code"] for one in played.record["problems"]]


def test_what_its_input_lacks_is_asked_for_and_nothing_is_begun(stage, model):
    stage = stage()
    played = stage.say("please book it")
    assert (played.reply["outcome"], played.reply["missing"]) == ("ask", ["number"])
    assert played.record["runs"] == []
    assert played.record["calls"][0]["tool"] == "book-it"
    assert stage.state.background == {}


@pytest.mark.parametrize("text", ["book T1234 or T5678"])
def test_several_identifiers_are_asked_about_before_a_procedure_is_begun(stage, model, text):
    stage = stage()
    played = stage.say(text)
    assert played.reply["candidates"] == {"number": ["T1234", "T5678"]}
    assert played.record["runs"] == []


def test_without_a_cause_it_is_not_eligible(stage, model):
    stage = stage()
    model.says["generation"].append("Hello.")
    played = stage.say("hello")
    assert {one["tool"] for one in played.record["selections"][0]["left_out"]} == {"book-it", "weather"}
    assert played.record["runs"] == []


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("procedures: [book-it]", "procedures: [book-all]", "not-mounted"),
        (', with: {number: "{{ slots.number }}"}', "", "unbound-argument"),
        ("act: {procedures: [book-it], tools: [weather]}", "act: {tools: [weather]}", "unused"),
    ],
)
def test_what_cannot_be_begun_is_found_before(compiled, old, new, code):
    found = compiled(agent=[(old, new)])
    assert code in {one.code for one in found.diagnostics}
