"""Procedures run by an agent: begun with a traced input, the conversation goes on, the flow too when they have ended."""

from textwrap import dedent

import pytest

from interlock.interpreter.commands import CallTool, Reply, RunProcedure
from interlock.interpreter.events import MessageReceived, PersonActed, ProcedureEnded
from interlock.interpreter.machine import Machine, opened
from interlock.interpreter.program import link
from interlock.interpreter.state import restored
from tests.compiled import plans_in

PROCEDURE = """
apiVersion: interlock/v1
kind: Procedure
name: book-it
languages: [zh, en]
input:
  number: {type: string}
  by: {type: string}
steps: [{wait: 1d}]
result: {number: "{{ input.number }}"}
"""
AGENT = """
apiVersion: interlock/v1
kind: Agent
name: desk
languages: [zh, en]
slots:
  number: {patterns: ['\\bT\\d{4}\\b'], ask: {zh: 哪个号？, en: Which number?}}
  colour: {vocabulary: colours, ask: {zh: 什么颜色？, en: Which colour?}}
vocabularies:
  colours: {words: [red, blue]}
intents:
  book: {keywords: [book]}
  paint: {keywords: [paint]}
mounts:
  - run: book-it
    with: {by: "{{ user.id }}"}
routes:
  - {when: intents.book, flow: book}
  - {when: intents.paint, flow: paint}
  - {flow: rest}
flows:
  book:
    - set: {kept: "for {{ user.id }}"}
    - run: book-it
      with: {number: "{{ slots.number }}"}
      waiting: {zh: 正在预订。, en: Booking.}
      catch:
        - errors: [cancelled]
          do: [{reply: {zh: 取消了。, en: It was cancelled.}}]
    - reply: {zh: "{{ steps.book_it.result.number }} 已预订。", en: "Booked {{ steps.book_it.result.number }} {{ vars.kept }}, {{ slots.number }}."}
  paint:
    - collect: [colour]
    - reply: {zh: 好的。, en: "Painted {{ slots.colour }}."}
  rest: [{reply: {zh: 好。, en: Hello.}}]
"""


class Talk:
    """A session under the agent; what it begins stands in `begun`."""

    def __init__(self, folder):
        (folder / "agent.yaml").write_text(dedent(AGENT))
        (folder / "work.yaml").write_text(dedent(PROCEDURE))
        self.plans = plans_in(folder)
        self.program = link(self.plans["desk"])
        user = {"id": "ann", "locale": "en"}
        self.state = opened(self.program, session_id="s", run_id="r", user=user, now_ms=1)
        self.machine = Machine(self.program, self.state)
        self.begun, self.count = [], 0

    def take(self, commands):
        assert not [one for one in commands if isinstance(one, CallTool)]
        self.begun += [one for one in commands if isinstance(one, RunProcedure)]
        return next((one.body for one in commands if isinstance(one, Reply)), None)

    def say(self, text):
        self.count += 1
        return self.take(self.machine.handle(MessageReceived(f"m{self.count}", text, 10 + self.count)))

    def end(self, ending="done", result=None, message="", child=0):
        event = ProcedureEnded(self.begun[child].child_id, ending, 99, result or {}, message, "run-1")
        assert self.machine.handle(event) == []
        self.take(self.machine.resume(99))

    @property
    def outbox(self):
        return [one["text"] for one in self.state.outbox]


@pytest.fixture
def talk(tmp_path):
    return Talk(tmp_path)


def test_a_procedure_is_begun_with_its_input_and_the_turn_ends_with_queued(talk):
    reply = talk.say("book T1234 please")
    assert (reply["outcome"], reply["text"]) == ("queued", "Booking.")
    (begun,) = talk.begun
    assert begun.input == {"number": "T1234", "by": "ann"}
    assert begun.digest == talk.plans["book-it"].digest
    run = talk.state.records[-1]["runs"][0]
    assert run["sources"]["number"]["source"] == "slots.number"
    assert run["sources"]["number"]["raw"] == "T1234"


def test_the_flow_goes_on_when_the_procedure_has_ended_and_says_the_rest_in_the_outbox(talk):
    talk.say("book T1234")
    talk.end(result={"number": "T1234"})
    assert talk.outbox == ["Booked T1234 for ann, T1234."]
    assert talk.state.background == {}
    record = talk.state.records[-1]
    assert (record["outcome"], record["message"]["role"]) == ("answer", "procedure")
    assert talk.machine.resume(100) == []


def test_the_conversation_goes_on_meanwhile_and_keeps_what_it_waits_for(talk):
    talk.say("book T1234")
    assert talk.say("hi")["text"] == "Hello."
    assert talk.say("paint it")["outcome"] == "ask"
    talk.end(result={"number": "T1234"})
    assert talk.say("red")["text"] == "Painted red."
    assert talk.outbox == ["Booked T1234 for ann, T1234."]


def test_what_is_missing_is_asked_for_before_anything_begins(talk):
    assert talk.say("book it")["missing"] == ["number"]
    assert talk.begun == []
    assert talk.say("T1234")["outcome"] == "queued"
    assert talk.begun[0].input["number"] == "T1234"


def test_several_numbers_are_a_question_and_never_an_input(talk):
    reply = talk.say("book T1234 and T5678")
    assert (reply["outcome"], reply["candidates"]) == ("ask", {"number": ["T1234", "T5678"]})
    assert talk.begun == []


@pytest.mark.parametrize(("ending", "text"), [("cancelled", "It was cancelled."), ("failed", "Sorry, there is no")])
def test_an_end_that_is_not_well_is_caught_or_said(talk, ending, text):
    talk.say("book T1234")
    talk.end(ending, message="no seats")
    assert talk.outbox[0].startswith(text)


def test_nothing_is_said_while_a_person_has_the_session(talk):
    talk.say("book T1234")
    talk.machine.handle(PersonActed("takeover", 20, "bo"))
    talk.end(result={"number": "T1234"})
    assert talk.outbox == []
    talk.machine.handle(PersonActed("release", 30, "bo"))
    talk.take(talk.machine.resume(31))
    assert talk.outbox == ["Booked T1234 for ann, T1234."]


def test_two_procedures_run_at_the_same_time_and_survive_a_new_run(talk):
    talk.say("book T1234")
    talk.say("book T5678")
    talk.state = restored(talk.state.as_json())
    talk.machine = Machine(talk.program, talk.state)
    talk.end(result={"number": "T5678"}, child=1)
    talk.end(result={"number": "T1234"}, child=0)
    assert talk.outbox == ["Booked T5678 for ann, T5678.", "Booked T1234 for ann, T1234."]
