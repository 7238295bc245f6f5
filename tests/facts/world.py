"""A store of facts, a model and passages for one conversation, as a test wants them."""

import json

from interlock.authoring.model_stubs import model_answer
from interlock.authoring.stage import Stage
from interlock.interpreter.events import Generated, Retrieved, ToolReturned
from interlock.interpreter.structured import object_in

NOW = 1_780_000_000_000


class World:
    """A store of rows by metric, place and year, a model that says the same all the time, and passages."""

    def __init__(self):
        self.rows = {
            ("REVENUE", "CN", "FY2025"): [row("112,908.4")],
            ("REVENUE", "HK", "FY2025"): [row("17,902.9", "HKD m")],
            ("PROFIT", "CN", "FY2025"): [row("123456789012345678901.50")],
            ("PROFIT", "HK", "FY2024"): [row("1"), row("2")],
        }
        self.endings = {}
        self.others = {}
        self.passages = []
        self.text = "Demand rose."
        self.chooses = []
        self.proposes = {}
        self.asked = []
        self.calls = []

    def answer(self, call, now_ms):
        if call.tool in self.others:
            status, payload = self.others[call.tool]
            return ToolReturned(call.call_id, "returned", now_ms, status=status, payload=payload)
        key = tuple(call.arguments[name] for name in ("metric", "place", "year"))
        self.calls.append(key)
        if key in self.endings:
            return ToolReturned(call.call_id, self.endings[key], now_ms, message="no word")
        rows = self.rows.get(key, [])
        return ToolReturned(call.call_id, "returned", now_ms, status=200, payload={"rows": rows, "count": len(rows)})

    def write(self, question, now_ms):
        self.asked.append(question)
        match question.stage:
            case "selection":
                value = self.chooses.pop(0) if self.chooses else choice("no_tool")
            case "arguments":
                value = {name: self.proposes.get(name) for name in question.schema["properties"]}
            case _ if self.text is None:
                return Generated(question.call_id, now_ms, message="no answer")
            case _ if question.schema is not None and object_in(self.text, question.schema).value is None:
                value = {"kind": "answer", "confidence": "high", "text": self.text}
            case _:
                return Generated(question.call_id, now_ms, model_answer(question, self.text))
        return Generated(question.call_id, now_ms, model_answer(question, json.dumps(value), value))

    def find(self, search, now_ms):
        return Retrieved(search.call_id, now_ms, tuple(self.passages))

    @property
    def prose_was_asked_for(self):
        return any(one.stage == "generation" for one in self.asked)


def row(value, unit="CNY m", doc="AR2025", page="page 12"):
    return {"value": value, "unit": unit, "doc": doc, "page": page}


def choice(tool, *, more=False):
    return {
        "tool": tool,
        "should_call_now": tool != "no_tool",
        "missing_required_arguments": [],
        "more": more,
        "reason": "r",
    }


def passage(text, title="Annual report", document="ar.md"):
    return {"text": text, "source": {"title": title, "document": document, "locator": "line 3"}, "score": 1.0}


class Ledger:
    """One conversation with the ledger."""

    def __init__(self, plan, world):
        self.world = world
        self.stage = Stage(plan, world, user={"id": "u1"}, now_ms=NOW)
        self.record = None

    def say(self, text):
        self.world.calls.clear()
        played = self.stage.say(text)
        json.dumps(played.record)
        self.record = played.record
        return played.reply
