"""A procedure on a stage: tools answer what the test says, and the clock moves only when somebody waits."""

from collections import deque
from dataclasses import dataclass, field, replace
from textwrap import dedent

import pytest

from interlock.compiler.compile import compile_folder
from interlock.contract.calls import RULES
from interlock.interpreter.commands import CallTool, CancelProcedure, CancelTimer, RunProcedure, StartTimer
from interlock.interpreter.events import CancelAsked, EventReceived, ProcedureEnded, RetryAsked, TimerDue, ToolReturned
from interlock.interpreter.program import link
from interlock.interpreter.work.machine import WorkMachine
from interlock.interpreter.work.receiving import started
from interlock.interpreter.work.state import restored

BEGIN = 1_780_000_000_000


@dataclass
class World:
    """The tools by name: a list of answers (the last one stays), each a payload, an Answer, or a function of args."""

    plans: dict
    tools: dict = field(default_factory=dict)
    calls: list = field(default_factory=list)
    keys: list = field(default_factory=list)
    again: list = field(default_factory=list)
    rules: int = RULES
    hold: set = field(default_factory=set)
    held: deque = field(default_factory=deque)

    def answer(self, command, now_ms):
        return replace(self._answer(command, now_ms), earlier=command.again, rules=self.rules)

    def _answer(self, command, now_ms):
        self.again.append(command.again)
        self.calls.append((command.tool, command.arguments))
        self.keys.append(command.key)
        answers = self.tools[command.tool]
        found = answers.pop(0) if len(answers) > 1 else answers[0]
        found = found(command.arguments) if callable(found) else found
        if isinstance(found, str):
            ending, _, sent = found.partition(" ")
            status = int(sent) if sent.isdigit() else None
            return ToolReturned(
                command.call_id, ending, now_ms, status, message=ending, sent=sent != "unsent" or command.again
            )
        if isinstance(found, tuple):
            return ToolReturned(command.call_id, "returned", now_ms, status=found[0], payload=found[1])
        return ToolReturned(command.call_id, "returned", now_ms, status=200, payload=found)


class Run:
    """One run with its timers; children are runs of the same world."""

    def __init__(self, world, name, given, now_ms=BEGIN, language="", given_by=None):
        self.world, self.name, self.now_ms = world, name, now_ms
        self.program = link(world.plans[name])
        run_id = f"run-{name}"
        self.state = started(
            self.program, run_id=run_id, given=given, now_ms=now_ms, language=language, given_by=given_by
        )
        self.machine = WorkMachine(self.program, self.state)
        self.timers = {}
        self.children = {}
        self.take(self.machine.begin(now_ms))

    def take(self, commands):
        waiting = deque(commands)
        while waiting:
            command = waiting.popleft()
            match command:
                case CallTool() if command.tool in self.world.hold:
                    self.world.held.append((self, command))
                case CallTool():
                    waiting += self.machine.handle(self.world.answer(command, self.now_ms))
                case StartTimer():
                    self.timers[command.timer_id] = command.due_ms
                case CancelTimer():
                    self.timers.pop(command.timer_id, None)
                case RunProcedure():
                    by = {"run": self.state.run_id, "step": command.child_id}
                    child = Run(self.world, command.procedure, command.input, self.now_ms, command.language, by)
                    self.children[command.child_id] = child
                    if (end := self.ended(command.child_id)) is not None:
                        waiting += self.machine.handle(end)
                case CancelProcedure():
                    self.children[command.child_id].cancel()
                    if (end := self.ended(command.child_id)) is not None:
                        waiting += self.machine.handle(end)

    def ended(self, child_id):
        child = self.children[child_id]
        if not child.machine.finished:
            return None
        ending = {"done": "done", "ended": "failed", "cancelled": "cancelled"}[child.state.status]
        message, run_id = (child.state.failure or {}).get("message", ""), child.state.run_id
        left = child.state.leaves
        return ProcedureEnded(child_id, ending, self.now_ms, child.state.result or {}, message, run_id, left)

    def release(self):
        """The calls that were held are answered."""
        held, self.world.held = self.world.held, deque()
        self.world.hold.clear()
        for run, command in held:
            run.take(run.machine.handle(run.world.answer(command, run.now_ms)))

    def advance(self, ms):
        """Let time pass, timer by timer."""
        end = self.now_ms + ms
        while self.timers and min(self.timers.values()) <= end:
            name = min(self.timers, key=self.timers.get)
            self.now_ms = max(self.now_ms, self.timers.pop(name))
            self.take(self.machine.handle(TimerDue(name, self.now_ms)))
        self.now_ms = end
        for child_id, child in self.children.items():
            if not child.machine.finished:
                child.advance(ms)
                if (ended := self.ended(child_id)) is not None:
                    self.take(self.machine.handle(ended))

    def send(self, name, data, event_id="e1"):
        self.take(self.machine.handle(EventReceived(event_id, name, data, self.now_ms)))

    def retry(self, **resolved):
        self.take(self.machine.handle(RetryAsked(self.now_ms, "ann", resolved)))

    def cancel(self):
        self.take(self.machine.handle(CancelAsked(self.now_ms, "ann")))

    def again(self):
        """Go on from the state alone, as the next run of a continue-as-new does."""
        self.take(self.machine.pause())
        assert self.machine.can_leave
        self.state = restored(self.state.as_json())
        self.machine = WorkMachine(self.program, self.state)
        self.timers = {}
        self.take(self.machine.begin(self.now_ms))

    def outcomes(self):
        """Step to outcome, in the order of the record."""
        return {one["step"]: one["outcome"] for one in self.state.records if "step" in one}


LIBRARY = """
apiVersion: interlock/v1
kind: Library
name: tools
servers:
  s: {http: "https://example.org"}
tools:
  look:
    http: GET /things/{thing_id}
    effect: read
    input: {thing_id: {type: string, from: input.thing_id}}
    output: {id: {type: string}, state: {type: string}}
    produces: {id: {at: id}, state: {at: state}}
  make:
    http: POST /things
    effect: write
    idempotency: {header: Idempotency-Key}
    input: {name: {type: string, from: caller}}
    output: {made: {type: string}}
    produces: {made: {at: made}}
    ensures: [{that: result.made != ''}]
  careful:
    http: POST /careful
    effect: write
    idempotency: {header: Idempotency-Key}
    input: {thing_id: {type: string, from: input.thing_id}}
    requires: [{call: look, that: result.state == 'open'}]
    output: {made: {type: string}}
    ensures: [{that: result.made != ''}]
  unmake:
    http: DELETE /things/{made}
    effect: write
    idempotency: {header: Idempotency-Key}
    input: {made: {type: string, from: cells.make.made}}
    output: {gone: {type: boolean}}
    ensures: [{that: result.gone}]
  pay:
    http: POST /pay
    effect: irreversible
    idempotency: {none: the bank has no keys}
    input: {thing_id: {type: string, from: input.thing_id}}
    output: {paid: {type: boolean}}
    ensures: [{that: result.paid}]
"""


@pytest.fixture
def library():
    """The tools that a procedure on the stage may call."""
    return LIBRARY


@pytest.fixture
def play(tmp_path):
    """Begin a procedure given as its keys below the head, in a bundle with the tools of LIBRARY."""

    def begin(text, given=None, tools=None, others=None, hold=(), rules=RULES):
        head = "apiVersion: interlock/v1\nkind: Procedure\nname: {}\nuses: [tools]\n"
        (tmp_path / "tools.yaml").write_text(LIBRARY)
        (tmp_path / "main.yaml").write_text(head.format("main") + dedent(text))
        for name, other in (others or {}).items():
            (tmp_path / f"{name}.yaml").write_text(head.format(name) + dedent(other))
        compiled = compile_folder(tmp_path)
        assert not compiled.errors, "\n".join(map(str, compiled.errors))
        world = World(dict(compiled.plans), tools or {}, hold=set(hold), rules=rules)
        return Run(world, "main", given or {})

    return begin
