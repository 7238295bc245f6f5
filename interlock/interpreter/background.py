"""Flows that a procedure runs for: how it ended, and the turn in which such a flow goes on without a message."""

from typing import TYPE_CHECKING

from interlock.interpreter.events import MessageReceived, ProcedureEnded
from interlock.interpreter.roots import new_turn
from interlock.interpreter.running import run
from interlock.interpreter.slots import restore

if TYPE_CHECKING:
    from interlock.interpreter.program import Program
    from interlock.interpreter.replies import Answer
    from interlock.interpreter.state import State
    from interlock.interpreter.turn import Calling, Turn


def ended(state: "State", end: ProcedureEnded) -> None:
    """Keep how a procedure ended; of one that no flow waits for nothing is kept."""
    waiting = state.background.get(end.child_id)
    if waiting is not None:
        waiting["ended"] = {"ending": end.ending, "result": end.result, "message": end.message, "run": end.run_id}


def next_to_resume(state: "State") -> str:
    """The first flow that can go on: its procedure has ended, and the assistant has the word. Empty if none."""
    if state.status != "ai_active":
        return ""
    return next((child for child, waiting in state.background.items() if waiting["ended"] is not None), "")


def resumed(program: "Program", state: "State", child: str, now_ms: int) -> "tuple[Turn, Calling[Answer]]":
    """The turn in which the flow of that child goes on, with the slots and variables it had."""
    waiting = state.background.pop(child)
    message = MessageReceived(id=f"run:{child}", text="", now_ms=now_ms, role="procedure")
    turn = new_turn(program, state, message, {})
    turn.language, turn.resumed = waiting["language"], waiting["procedure"]
    restore(turn, waiting["slots"])
    turn.route = {"id": waiting["route"], "at": None, "flow": waiting["name"], "continued": True}
    turn.context["vars"] = {**program.no_vars, **waiting["vars"]}
    waiting["journal"][waiting["path"]]["ended"] = waiting["ended"]
    turn.events.append({"event": "procedure", "by": waiting["procedure"], "effect": waiting["ended"]["ending"]})
    return turn, run(turn, waiting["name"], waiting["route"], waiting["journal"])
