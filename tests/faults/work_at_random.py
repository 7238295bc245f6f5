"""A world for procedures at random, whose answers depend on what is asked alone, so that any two runs can be compared.

Whatever takes time takes it by a clock of its own: the same call of the same step always ends at the same moment.
"""

import heapq
import json
import random
from collections import Counter

from interlock.interpreter.commands import CallTool, CancelProcedure, CancelTimer, RunProcedure, StartTimer
from interlock.interpreter.events import CancelAsked, EventReceived, ProcedureEnded, RetryAsked, TimerDue, ToolReturned
from interlock.interpreter.program import link
from interlock.interpreter.work.machine import WorkMachine
from interlock.interpreter.work.receiving import started
from interlock.interpreter.work.state import restored
from interlock.plan.steps import steps_in

BEGIN = 1_780_000_000_000
MOST_RETRIES = 3


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
        result, left = child.state.result or {}, child.state.leaves
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
