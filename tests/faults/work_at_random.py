"""Procedures at random, and a world whose answers depend on what is asked alone, so that any two runs can be compared.

Whatever takes time takes it by a clock of its own: the same call of the same step always ends at the same moment.
"""

import heapq
import json
import random
from collections import Counter

from interlock.compiler.compile import compile_folder
from interlock.interpreter.commands import CallTool, CancelProcedure, CancelTimer, RunProcedure, StartTimer
from interlock.interpreter.events import CancelAsked, EventReceived, ProcedureEnded, RetryAsked, TimerDue, ToolReturned
from interlock.interpreter.program import link
from interlock.interpreter.work.machine import WorkMachine
from interlock.interpreter.work.receiving import started
from interlock.interpreter.work.state import restored
from interlock.plan.steps import steps_in

BEGIN = 1_780_000_000_000
MOST_RETRIES = 3
LIBRARY = """
apiVersion: interlock/v1
kind: Library
name: tools
servers:
  s: {http: "https://example.org"}
tools:
  look:
    http: GET /things/{name}
    effect: read
    input: {name: {type: string, from: caller}}
    output: {name: {type: string}, state: {type: string}}
  make:
    http: POST /things
    effect: write
    idempotency: {header: Idempotency-Key}
    input: {name: {type: string, from: caller}}
    output: {made: {type: string}}
    ensures: [{that: result.made != ''}]
  unmake:
    http: DELETE /things
    effect: write
    idempotency: {header: Idempotency-Key}
    input: {name: {type: string, from: caller}}
    output: {made: {type: string}}
    ensures: [{that: result.made != ''}]
  pay:
    http: POST /pay
    effect: irreversible
    idempotency: {none: the bank has no keys}
    input: {name: {type: string, from: caller}}
    requires: [{call: look, with: {name: "{{ args.name }}"}, that: result.name == args.name}]
    output: {made: {type: string}}
    ensures: [{that: result.made != ''}]
"""


class Author:
    """Writes a procedure at random."""

    def __init__(self, dice, child=True):
        self.dice, self.child, self.numbers, self.events = dice, child, 0, {}

    def spec(self, name):
        """A whole procedure."""
        spec = {"apiVersion": "interlock/v1", "kind": "Procedure", "name": name, "uses": ["tools"]}
        spec["steps"] = self.steps(3, (), self.dice.randint(2, 5))
        if self.events:
            spec["events"] = {event: {"n": {"type": "integer"}} for event in self.events}
        for key in ("on_failure", "on_cancel"):
            if self.dice.random() < 0.6:
                spec[key] = "compensate"
        if self.dice.random() < 0.15:
            spec["deadline"] = f"{self.dice.randint(1, 40)}s"
        return spec

    def steps(self, depth, item, count):
        """Some steps within a loop of `item`, or none."""
        return [self.step(depth, item) for _ in range(count)]

    def step(self, depth, item):
        """One step."""
        self.numbers += 1
        name = f"s{self.numbers}"
        kinds = ["make", "make", "make", "pay", "look", "wait", "receive", "set", "poll"]
        if depth:
            kinds += ["parallel", "for_each", "do", "switch", "run" if self.child else "do"]
        if self.dice.random() < 0.03:
            kinds = ["fail", "end"]
        step = {"id": name, **getattr(self, f"_{self.dice.choice(kinds)}")(name, depth, item)}
        if self.dice.random() < 0.12:
            step["timeout"] = f"{self.dice.randint(1, 20)}s"
        if self.dice.random() < 0.15:
            step["catch"] = [{"do": self.steps(0, item, self.dice.randint(0, 2))}] if self.dice.random() < 0.7 else [{"errors": ["timeout", "unknown"]}]  # fmt: skip
            step["catch"] = [{key: value for key, value in one.items() if value} or {"errors": ["error"]} for one in step["catch"]]  # fmt: skip
        if self.dice.random() < 0.1:
            step["when"] = self.dice.choice(["input.n > 1", "vars.v == 'x'"])
        return step

    def _call(self, tool, name, item):
        return {"call": tool, "with": {"name": _whose(name, item)}}

    def _make(self, name, _depth, item):
        step = self._call("make", name, item)
        if self.dice.random() < 0.6:
            step["compensate"] = [{**self._call("unmake", f"{name}", item), "id": f"u{name}"}]
            if self.dice.random() < 0.3:
                step["compensate"].insert(0, {"wait": "500ms", "id": f"w{name}"})
            if self.dice.random() < 0.3:
                step["compensate"][-1]["with"]["name"] = f"{{{{ steps.{name}.result.made }}}}"
        return step

    def _pay(self, name, _depth, item):
        return self._call("pay", name, item)

    def _look(self, name, _depth, item):
        return self._call("look", name, item)

    def _poll(self, name, _depth, item):
        repeat = {"until": "result.state == 'shut'", "every": f"{self.dice.randint(1, 3)}s", "timeout": "9s"}
        return {**self._call("look", name, item), "repeat": repeat}

    def _wait(self, _name, _depth, _item):
        return {"wait": f"{self.dice.randint(1, 9_000)}ms"}

    def _receive(self, name, _depth, _item):
        self.events[f"e{name}"] = 1
        return {"receive": f"e{name}", "timeout": f"{self.dice.randint(1, 30)}s"}

    def _set(self, _name, _depth, item):
        return {
            "set": {
                "v": self.dice.choice(["x", "{{ vars.v }}y", "{{ " + item[-1] + " }}" if item else "z"]),
                **({"list": ["p"]} if self.dice.random() < 0.3 else {}),
            }
        }

    def _run(self, name, _depth, item):
        step = {"run": "inner", "with": {"name": _whose(name, item)}}
        if self.dice.random() < 0.5:
            step["compensate"] = [{**self._call("unmake", f"inner-{name}", item), "id": f"u{name}"}]
        return step

    def _fail(self, _name, _depth, _item):
        return {"fail": "Enough.", **({"compensate": True} if self.dice.random() < 0.6 else {})}

    def _end(self, _name, _depth, _item):
        return {"end": {"given": "{{ input.n }}"}}

    def _do(self, name, depth, item):
        step = {"do": self.steps(depth - 1, item, self.dice.randint(1, 3))}
        if self.dice.random() < 0.3:
            step["compensate"] = [{**self._call("unmake", f"group-{name}", item), "id": f"u{name}"}]
        return step

    def _switch(self, _name, depth, item):
        return {"switch": [
            {"when": self.dice.choice(["input.n > 1", "vars.v == 'x'"]), "do": self.steps(depth - 1, item, 1)},
            {"do": self.steps(depth - 1, item, 1)},
        ]}  # fmt: skip

    def _parallel(self, _name, depth, item):
        return {"parallel": {f"lane{n}": self.steps(depth - 1, item, self.dice.randint(1, 3)) for n in range(self.dice.randint(2, 3))}}  # fmt: skip

    def _for_each(self, name, depth, item):
        inner = f"i{name}"
        items = self.dice.choice(["{{ input.names }}", ["p", "q", "r"], "{{ vars.list }}"])
        loop = {"items": items, "as": inner, "key": f"{{{{ {inner} }}}}", "do": self.steps(depth - 1, (*item, inner), self.dice.randint(1, 3))}  # fmt: skip
        if self.dice.random() < 0.6:
            loop["max_parallel"] = self.dice.randint(2, 4)
        if self.dice.random() < 0.4:
            loop["on_failure"] = "continue"
        return {"for_each": loop}


def _whose(name, items):
    """The name of a step, with the items of the passes that it stands in."""
    return "-".join([name, *(f"{{{{ {item} }}}}" for item in items)])


INNER = {
    "apiVersion": "interlock/v1", "kind": "Procedure", "name": "inner", "uses": ["tools"], "park": "0s",
    "input": {"name": {"type": "string"}},
    "steps": [{"call": "make", "id": "one", "with": {"name": "in-{{ input.name }}"}, "compensate": [{"call": "unmake", "id": "undo", "with": {"name": "in-{{ input.name }}"}}]}, {"wait": "2s"}],
    "on_cancel": "compensate", "result": {"made": "{{ steps.one.result.made }}"},
}  # fmt: skip


def written(dice, folder):
    """The plans of a procedure at random, by name; None for one that the checker refuses."""
    spec = Author(dice).spec("main")
    spec["input"] = {"names": {"type": "list", "items": {"type": "string"}}, "n": {"type": "integer"}}
    spec["steps"].insert(0, {"set": {"v": "v", "list": ["a", "b"]}, "id": "begin"})
    (folder / "tools.yaml").write_text(LIBRARY)
    inner = INNER | ({"on_failure": "compensate"} if dice.random() < 0.5 else {})
    for one in (inner, spec):
        (folder / f"{one['name']}.yaml").write_text(json.dumps(one, indent=1))
    return compile_folder(folder)


class Ledger:
    """The service behind the tools: what it answers depends on who asks and how often, and it remembers effects."""

    def __init__(self, seed, trouble=0.25):
        self.seed, self.trouble = seed, trouble
        self.asked, self.effects, self.keys = Counter(), Counter(), {}
        self.calls, self.reported = [], []

    def draws(self, *of):
        """Dice of their own for whatever is named."""
        return random.Random(json.dumps([self.seed, *of]))

    def answer(self, command):
        """How long a call takes, and what comes of it; its effect happens at once."""
        tool, name = command.tool, command.arguments["name"]
        self.asked[tool, name] += 1
        dice = self.draws(tool, name, self.asked[tool, name])
        after = dice.randint(1, 3_000)
        self.calls.append((tool, name, command.key))
        if tool == "look":
            return after, {"name": name, "state": dice.choice(["open", "shut"])}
        fault = dice.choice(["refused", "lost after", "lost before", "unsent", "wrong"]) if dice.random() < self.trouble else ""  # fmt: skip
        if fault in ("", "lost after", "wrong"):
            self._act(tool, name, command.key)
        return after, fault or {"made": f"{name}"}

    def _act(self, tool, name, key):
        if key:
            assert self.keys.setdefault(key, (tool, name)) == (tool, name), (key, name)
            self.effects[tool, name, key] = 1
        else:
            self.effects[tool, name, key] += 1

    def happened(self, tool, name):
        """Whether a write without a key has had its effect."""
        return self.effects[tool, name, ""] > 0


def returned(call_id, answer, now_ms):
    """The event for an answer of the ledger."""
    if isinstance(answer, dict):
        return ToolReturned(call_id, "returned", now_ms, status=200, payload=answer)
    match answer:
        case "refused":
            return ToolReturned(call_id, "returned", now_ms, status=400, payload={})
        case "wrong":
            return ToolReturned(call_id, "returned", now_ms, status=200, payload={"made": ""})
        case "unsent":
            return ToolReturned(call_id, "error", now_ms, message="unsent", sent=False)
    return ToolReturned(call_id, "timeout", now_ms, message="lost")


class Shell:
    """Carries a run's commands out in the order of a clock; `at_rest` is asked whenever nothing but waits is open."""

    def __init__(self, plans, name, given, ledger, *, pauses=None, now_ms=BEGIN, prefix="", clock=None):
        self.plans, self.ledger, self.pauses, self.prefix = plans, ledger, pauses, prefix
        self.program, self.now_ms = link(plans[name]), now_ms
        self.due, self.count, self.timers, self.children = [], 0, {}, {}
        self.retries = self.in_flight = 0
        self.leaving, self.to_undo = False, None
        self.runs = {step.id for step in steps_in(self.program.plan.work.steps) if step.action == "run"}
        state = started(self.program, run_id=f"run{prefix}", given=given, now_ms=now_ms)
        self.machine = WorkMachine(self.program, state)
        self.take(self.machine.begin(now_ms))

    @property
    def state(self):
        """The run's state."""
        return self.machine.state

    def later(self, at_ms, order, what):
        """Something is due; what is due at the same moment comes in an order that no pause changes."""
        self.count += 1
        heapq.heappush(self.due, (at_ms, order, self.count, what))

    def take(self, commands):
        """Carry commands out."""
        for command in commands:
            match command:
                case CallTool():
                    after, answer = self.ledger.answer(command)
                    self.in_flight += 1
                    self.later(
                        self.now_ms + after, f"call {command.step} {command.arguments}", ("call", command, answer)
                    )
                case StartTimer():
                    self.timers[command.timer_id] = command.due_ms
                    self.later(command.due_ms, f"time {command.timer_id}", ("timer", command.timer_id, command.due_ms))
                case CancelTimer():
                    self.timers.pop(command.timer_id, None)
                case RunProcedure():
                    self.in_flight += 1
                    child = Shell(self.plans, command.procedure, command.input, self.ledger, now_ms=self.now_ms, prefix=f"{self.prefix}/{command.child_id}")  # fmt: skip
                    self.children[command.child_id] = child
                    self._follow(command.child_id)
                case CancelProcedure():
                    child = self.children[command.child_id]
                    child.now_ms = self.now_ms
                    child.take(child.machine.handle(CancelAsked(self.now_ms, "parent")))
                    self._follow(command.child_id)

    def _follow(self, child_id):
        """The next thing of a child, as one of ours."""
        child = self.children[child_id]
        if child.machine.finished:
            self.later(self.now_ms, f"child {child_id}", ("child", child_id))
        elif child.due:
            self.later(child.due[0][0], f"child {child_id}", ("step", child_id))

    def step(self):
        """The next thing that is due, if there is any."""
        at_ms, _, _, what = heapq.heappop(self.due)
        match what:
            case ("timer", name, due) if self.timers.get(name) != due:
                return
            case ("step" | "child", name) if name not in self.children:
                return
        self.now_ms = max(self.now_ms, at_ms)
        match what:
            case ("timer", name, _):
                del self.timers[name]
                self.take(self.machine.handle(TimerDue(name, self.now_ms)))
            case ("call", command, answer):
                self.in_flight -= 1
                self.ledger.reported.append((command.tool, command.arguments["name"], answer))
                self.take(self.machine.handle(returned(command.call_id, answer, self.now_ms)))
            case ("step", name):
                child = self.children[name]
                if child.due and child.due[0][0] <= self.now_ms:
                    child.step()
                self._follow(name)
            case ("child", name):
                self._child_ended(name)
            case ("sent", event):
                self.take(self.machine.handle(event))
            case ("retry",):
                self.retry()

    def _child_ended(self, name):
        child = self.children.pop(name)
        self.in_flight -= 1
        ending = {"done": "done", "ended": "failed", "cancelled": "cancelled"}[child.state.status]
        result, left = child.state.result or {}, child.state.leaves and ending != "done"
        message = (child.state.failure or {}).get("message", "")
        self.take(self.machine.handle(ProcedureEnded(name, ending, self.now_ms, result, message, left=left)))

    def retry(self):
        """Somebody finds out what became of unknown effects, says so, and lets the run go on."""
        state = self.state
        if state.status != "failed" or self.leaving:
            return
        if self.retries >= MOST_RETRIES:
            self.take(self.machine.handle(CancelAsked(self.now_ms, "ann")))
            return
        self.retries += 1
        resolved = {}
        for instance, entry in state.journal.items():
            if entry["mark"] == "unknown" and "resolved" not in entry:
                happened = last(instance) in self.runs or self.ledger.happened("pay", paid_as(instance))
                resolved[instance] = "happened" if happened else "did_not_happen"
        self.take(self.machine.handle(RetryAsked(self.now_ms, "ann", resolved)))

    @property
    def at_rest(self):
        """Whether a pause would hold nothing up: no call and no child is under way."""
        return self.in_flight == 0

    def pause(self):
        """Let nothing more begin."""
        self.leaving = True
        self.take(self.machine.pause())

    def resume(self):
        """Go on after all."""
        self.leaving = False
        self.take(self.machine.resume())

    def again(self):
        """Go on from the state alone."""
        assert self.machine.can_leave
        self.leaving = False
        text = json.dumps(self.state.as_json())
        self.machine = WorkMachine(self.program, restored(json.loads(text)))
        self.timers = {}
        self.take(self.machine.begin(self.now_ms))

    def until_over(self):
        """Run to the end."""
        for _ in range(100_000):
            if self.machine.finished:
                return
            if self.state.status == "failed" and not any(one[3] == ("retry",) for one in self.due):
                self.later(self.now_ms + 1_000, "retry", ("retry",))
            if self.pauses is not None:
                self.pauses(self)
                if self.machine.finished:
                    return
            if self.state.status == "undoing" and self.to_undo is None:
                self.to_undo = list(self.state.undo)
            assert self.due or self.leaving, f"nothing is due, and the run is {self.state.status}"
            self.step()
        raise AssertionError("no end")


def last(instance):
    """The step of an instance."""
    return instance.rpartition("/")[2]


def paid_as(instance):
    """The name that a write at a step goes out with: its step, and the item of the innermost pass."""
    *passes, step = instance.split("/")
    return "-".join([step, *(one.partition("[")[2].rstrip("]") for one in passes)])


def scripted(shell, seed, events):
    """What is sent to a run from outside, and when: events, some twice, and perhaps a word to cancel."""
    dice = random.Random(f"script {seed}")
    for event in sorted(events):
        for number in range(dice.randint(0, 4)):
            at = shell.now_ms + dice.randint(0, 30_000)
            sent = EventReceived(f"{event}-{number}", event, {"n": number}, at)
            for again in range(dice.choice([1, 1, 2])):
                shell.later(at + again * 700, f"event {event} {number}", ("sent", sent))
    if dice.random() < 0.25:
        at = shell.now_ms + dice.randint(0, 30_000)
        shell.later(at, "~cancel", ("sent", CancelAsked(at, "ann")))


def outcome(shell, ledger):
    """All that two runs of the same must have in common."""
    state = shell.state
    records = [
        (one.get("step") or one["event"], one.get("outcome"), one.get("ended_ms") or one.get("at_ms"))
        for one in state.records
        if one.get("outcome") != "stopped"
    ]
    return {
        "status": state.status,
        "result": state.result,
        "failure": state.failure,
        "effects": {one: count for one, count in ledger.effects.items() if count},
        "calls": ledger.calls,
        "undo": list(state.undo),
        "undo_failures": state.undo_failures,
        "vars": state.vars,
        "cells": state.cells,
        "records": records,
        "mailbox": state.mailbox,
        "number": state.calls,
    }
