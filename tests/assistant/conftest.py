"""An order desk with a model in the loop, on a stage; the model says what a test wants, and what it was asked is kept."""

import json
from pathlib import Path

import pytest

from interlock.authoring.model_stubs import model_answer
from interlock.authoring.stage import Stage
from interlock.interpreter.events import Generated, MessageReceived, Retrieved, ToolReturned
from interlock.interpreter.structured import object_in
from tests.compiled import plan_of

DESK = Path(__file__).with_name("desk.yaml")


class Model:
    """Says what stands next in `says` at each stage (the last for ever), and keeps every question."""

    def __init__(self):
        self.questions = []
        self.says = {"selection": [], "arguments": [], "planning": [], "generation": []}
        self.answers = {
            "find": {"state": "SENT", "days": 3, "token": "hush"},
            "find_new": {"state": "NEW"},
            "hold": {"held": True},
            "weather": {"sky": "clear"},
        }
        self.statuses = {}
        self.calls = []

    def write(self, question, now_ms):
        self.questions.append(question)
        waiting = self.says[question.stage]
        said = waiting.pop(0) if len(waiting) > 1 else waiting[0] if waiting else None
        if isinstance(said, Exception) or said is None:
            return Generated(question.call_id, now_ms, message=str(said or f"nothing to say at {question.stage}"))
        if isinstance(said, str):
            found = object_in(said, question.schema, partial=question.partial) if question.schema else None
            value, problem = (found.value, found.problem) if found else (None, "")
            return Generated(question.call_id, now_ms, model_answer(question, said, value, problem))
        return Generated(question.call_id, now_ms, model_answer(question, value=said) | said.get("answer", {}))

    def find(self, search, now_ms):
        return Retrieved(search.call_id, now_ms, ())

    def answer(self, call, now_ms):
        self.calls.append((call.tool, call.arguments))
        status = self.statuses.get(call.tool, 200)
        if status == "timeout":
            return ToolReturned(call.call_id, "timeout", now_ms)
        return ToolReturned(call.call_id, "returned", now_ms, status=status, payload=self.answers[call.tool])

    def choose(self, tool, **more):
        self.says["selection"].append(
            {"tool": tool, "should_call_now": True, "missing_required_arguments": [], "more": False, "reason": "r"}
            | more
        )

    def think(self, tool="no_tool", control="continue", **more):
        self.says["selection"].append(
            {
                "thought": "so",
                "goal_met": False,
                "control": control,
                "tool": tool,
                "should_call_now": True,
                "missing_required_arguments": [],
            }
            | more
        )

    def propose(self, **arguments):
        self.says["arguments"].append(arguments)

    def reply(self, text, kind="answer", confidence="high"):
        self.says["generation"].append({"kind": kind, "confidence": confidence, "text": text})

    def asked(self, stage):
        return [one for one in self.questions if one.stage == stage]


@pytest.fixture(scope="session")
def planned(tmp_path_factory):
    """The plan of the desk, with some words of its spec exchanged for others."""
    return plan_of(DESK, tmp_path_factory.mktemp)


@pytest.fixture
def model():
    return Model()


def speaking(stage):
    """Says something on a stage; the reply. The record of the last turn is in `record`."""

    def say(text, history=(), **more):
        message = MessageReceived(f"h{stage.state.turn}", text, stage.now_ms, history=tuple(history))
        played = stage._play(message) if history else stage.say(text, **more)
        json.dumps(played.record)
        say.record = played.record
        return played.reply

    say.stage = stage
    return say


@pytest.fixture
def changed(planned, model):
    """Opens the desk with some words of its spec exchanged; says something to it, the reply."""

    def opened(*changes):
        return speaking(Stage(planned(*changes), model, user={"id": "u1"}, now_ms=1_767_600_000_000))

    return opened


@pytest.fixture
def desk(changed):
    """Says something to the desk; the reply."""
    return changed()
