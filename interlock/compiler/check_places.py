"""Steps and keys in the wrong kind of spec: what needs a conversation, or a procedure, or cannot be undone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from interlock.compiler.walk import all_steps, every
from interlock.spec.steps import NEEDED_IN_PROCEDURE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from interlock.compiler.findings import Findings
    from interlock.compiler.project import Project
    from interlock.compiler.units import Part, Unit
    from interlock.compiler.walk import Written
    from interlock.diagnostics import Location

TALKING = {
    "collect": "what it needs stands under `input`; what comes later is received: `receive`",
    "reply": "say a result with `respond`, or give it back by `result`",
    "refuse": "end it with `end` or `fail`",
    "handoff": "end it with `fail`; who looks after it may mend the cause and `retry`",
    "retrieve": "do it in the Agent that runs the procedure",
    "generate": "let it fill in fields: `output`",
    "act": "write the calls as steps: `call`",
    "plan": "write the calls as steps: `call`",
    "flow": "write the steps here, or in a procedure of their own: `run`",
}
"""Actions that need somebody to talk to, and what a procedure does instead."""

WORKING = {
    "parallel": "write the steps one after another",
    "for_each": "a call with `expand` is made once for each value of a slot",
    "wait": "a conversation waits for its next message by `collect`",
    "receive": "a conversation waits for its next message by `collect`",
    "end": "a flow ends after its last step; use `when`, `switch`, or `refuse`",
    "fail": "say it with `reply` or `refuse`",
}
"""Actions that only a procedure has, and what a flow does instead."""

KEYS_OF_CALLS = {
    "expand": "use `for_each`",
    "max_parts": "use `for_each`",
    "decompose": "use `for_each`",
    "waiting": "say it in the Agent that runs the procedure",
}
"""Keys of a step that need a conversation."""

KEYS_OF_WORK = {
    "timeout": "the tool may have a `timeout`",
    "repeat": "do it in a procedure",
    "compensate": "do it in a procedure",
}
"""Keys of any step that only a procedure has."""

TALKING_PARTS = ("slots", "intents")

WITHOUT_TURNS = "leave `scope` out: the cell lives as long as the run, or the pass of a loop"


def check_places(project: Project, findings: Findings) -> None:
    """All steps of all Agents and Procedures, and the parts that a Procedure declares."""
    for unit in project.runnable:
        for step in all_steps(unit):
            if unit.kind == "Procedure":
                _in_procedure(unit, step, findings)
            else:
                _in_flow(unit, step, findings)
    for unit in project.procedures:
        _parts(unit, findings)
        _turns(unit, findings)
        for step in all_steps(unit):
            _undoing(unit, step, findings)


def _in_procedure(unit: Unit, step: Written, findings: Findings) -> None:
    needed = NEEDED_IN_PROCEDURE.get(step.action)
    if step.action in TALKING and (needed is None or needed not in step.model.model_fields_set):
        what = f"`{step.action}`" + (f" without `{needed}`" if needed else "")
        message = f"a procedure talks to nobody: {what} is for the flows of an Agent"
        place = unit.key(*step.path, step.action)
        findings.error("not-in-procedure", message, place, hint=TALKING[step.action])
    for key, remedy in KEYS_OF_CALLS.items():
        if key in step.model.model_fields_set:
            message = f"`{key}` is about a conversation, and a procedure has none"
            findings.error("not-in-procedure", message, unit.key(*step.path, key), hint=remedy)


def _in_flow(unit: Unit, step: Written, findings: Findings) -> None:
    if step.action in WORKING:
        message = f"`{step.action}` is for the steps of a Procedure"
        place = unit.key(*step.path, step.action)
        findings.error("not-in-flow", message, place, hint=WORKING[step.action])
    for key, remedy in KEYS_OF_WORK.items():
        if step.action != "fail" and key in step.model.model_fields_set:
            message = f"`{key}` is for the steps of a Procedure"
            findings.error("not-in-flow", message, unit.key(*step.path, key), hint=remedy)


def _parts(unit: Unit, findings: Findings) -> None:
    for plural in TALKING_PARTS:
        for part in unit.parts(plural).values():
            message = f"{part.called} is found in what somebody says, and a procedure talks to nobody"
            findings.error("not-in-procedure", message, part.key(), hint="what it needs stands under `input`")


def _turns(unit: Unit, findings: Findings) -> None:
    """Cells of its own tools, and of those of Libraries that it calls, which would live for a turn."""
    own = unit.parts("tools")
    for part in own.values():
        for place, message in _for_a_turn(part):
            findings.error("not-in-procedure", message, place, hint=WITHOUT_TURNS)
    called = {step.model.call: step for step in reversed(all_steps(unit)) if step.action == "call"}
    for name, step in called.items():
        tool = unit.find("tools", name)
        for place, message in _for_a_turn(tool) if tool is not None and name not in own else ():
            at, also = unit.key(*step.path, "call"), ((place, "it is declared here"),)
            findings.error("not-in-procedure", message, at, also=also, hint=WITHOUT_TURNS)


def _for_a_turn(tool: Part) -> Iterator[tuple[Location, str]]:
    for key, cell in (tool.model.produces or {}).items():
        if cell.scope == "turn":
            message = f"`cells.{tool.name}.{key}` lives for a turn of a conversation, and a procedure has none"
            yield tool.value("produces", key, "scope"), message


def _undoing(unit: Unit, step: Written, findings: Findings) -> None:
    """What undoes a step neither ends the run nor has to be undone itself."""
    for inner in every(step.undoing):
        if inner.action in ("end", "fail"):
            message = f"`{inner.action}` cannot stand in what undoes a step: the run ends when all is undone"
            hint = "leave it out; an undoing that goes wrong is told by itself, and can be retried"
            findings.error("not-in-undoing", message, unit.key(*inner.path, inner.action), hint=hint)
        elif inner.undoing:
            message = "what undoes a step is not undone in turn"
            findings.error("not-in-undoing", message, unit.key(*inner.path, "compensate"), hint="leave it out")
