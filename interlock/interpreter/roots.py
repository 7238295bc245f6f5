"""The context of a turn, and its roots that are computed when they are read: slots, cells, conditions, decisions."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from interlock.expressions.outcomes import Missing, NotMet, Several
from interlock.interpreter import cells
from interlock.interpreter.conditions import NeedsRead
from interlock.interpreter.context import Context, at_time
from interlock.interpreter.reading import read
from interlock.interpreter.texts import chosen_language, shower
from interlock.interpreter.turn import Turn
from interlock.plan.templates import only_path

if TYPE_CHECKING:
    from interlock.interpreter.events import MessageReceived
    from interlock.interpreter.program import Program
    from interlock.interpreter.state import Json, State
    from interlock.plan.rules import Decision, Row, TableInput


def new_turn(program: "Program", state: "State", message: "MessageReceived", metadata: "Json") -> Turn:
    """A turn of one message, with its context; nothing is read or decided yet."""
    language = chosen_language(program.plan.languages, state.user.get("locale"), message.text)
    context = Context(
        {
            "message": {"id": message.id, "type": message.type, "text": message.text, "metadata": metadata},
            "user": state.user,
            "session": {"id": state.session_id, "status": state.status},  # as it is now: the turn may change it
            "config": program.plan.config,
            "steps": {},
        }
    )
    turn = Turn(program, state, message, message.now_ms, language, context, message.text)
    context.lazy = partial(_root, turn)
    return turn


def _root(turn: Turn, name: str) -> Any:
    return _ROOTS[name](turn)


def _slots(turn: Turn) -> Any:
    read(turn)
    return turn.context["slots"]


def _intents(turn: Turn) -> Any:
    read(turn)
    return turn.context["intents"]


class Conditions(dict[str, bool]):
    """The root `conditions`: each is computed where it is read; what cannot be decided leaves the asker undecided."""

    def __init__(self, turn: "Turn") -> None:
        super().__init__()
        self._turn = turn

    def __missing__(self, name: str) -> bool:
        condition = self._turn.program.plan.conditions[name]
        if condition.call:
            raise NeedsRead(name)
        met = self._turn.program.condition(condition.that)(self._turn.context)
        self._turn.conditions[name] = {"at": condition.at, "met": bool(met)}
        if isinstance(met, NotMet):
            raise Missing(met.path, met.reason)
        return bool(met)


class Decisions(dict[str, Any]):
    """The root `decisions`: each table is asked where it is read, and the record says which rows hit."""

    def __init__(self, turn: "Turn") -> None:
        super().__init__()
        self._turn = turn

    def __missing__(self, name: str) -> Any:
        turn = self._turn
        decision = turn.program.plan.decisions[name]
        values = {column: self._input(one) for column, one in decision.inputs.items()}
        decided = turn.program.tables[name].decide(
            values, lambda row: self._outputs(decision, row), lambda row, column: self._cell(decision.rows[row], column)
        )
        rows = [decision.rows[row].at for row in decided.rows]
        marks, result = turn.program.sensitive, decided.result
        shown = result if marks is None else marks.masked(("decisions", name), result)
        turn.decisions[name] = {"at": decision.at, "rows": rows, "result": shown, "error": decided.error}
        if decided.error:
            raise Missing(f"decisions.{name}", "unreadable")
        return decided.result

    def _input(self, column: "TableInput") -> Any:
        try:
            value = self._turn.program.value(column.value)(self._turn.context)
        except Missing as missing:
            if column.optional and missing.reason != "ambiguous":
                return None
            raise
        if isinstance(value, Several):
            raise Missing(only_path(column.value), "ambiguous")
        return value

    def _outputs(self, decision: "Decision", row: int) -> dict[str, Any]:
        then = decision.rows[row].then
        return {column: self._turn.program.value(value)(self._turn.context) for column, value in then.items()}

    def _cell(self, row: "Row", column: str) -> Any:
        return self._turn.program.value(row.when[column].template)(self._turn.context)


_ROOTS: Mapping[str, Callable[[Turn], Any]] = {
    "now": lambda turn: at_time(turn.message.now_ms),
    "slots": _slots,
    "intents": _intents,
    "conditions": Conditions,
    "decisions": Decisions,
    "cells": lambda turn: cells.Live(turn.state, cells.current_in(turn.context)),
    "vars": lambda turn: {**turn.program.no_vars, **turn.state.vars},
    "run": lambda turn: {"id": turn.state.run_id},
    "turn": lambda turn: {"number": turn.state.turn, "round": 1, "tool_errors": 0},
    "$show": lambda turn: shower(turn.program, turn.language),
}
"""The roots that are made when they are first read; most turns read few of them."""
