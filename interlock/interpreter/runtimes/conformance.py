"""What a runtime must do, as a function for the tests of those who write one."""

import copy
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from interlock.interpreter.runtimes.port import Act, Action, Ask, End, HandOver, Runtime, View
from interlock.interpreter.structured import checked

if TYPE_CHECKING:
    from interlock.interpreter.state import Json

ROUNDS = 5
FIND, BOOK = Action("find", "tool", "Where it is."), Action("book-it", "procedure", "Books it.")


def check_runtime(runtime: Runtime, answers: "Iterable[Json]" = ()) -> None:
    """Raises AssertionError unless every view gets a move that may be made, and equal views equal ones.

    `answers` are some that the questions of the runtime may be given; nothing usable is always among them.
    """
    for view in _views():
        move = _chosen(runtime, view)
        if isinstance(move, Ask):
            _check_question(move)
            for answer in [None, *_fitting(move, answers)]:
                again = _chosen(runtime, replace(view, asked=True, answer=answer))
                assert not isinstance(again, Ask), "a model is asked once a round"
                assert not isinstance(again, Act) or answer is not None or again.name == view.ruled, (
                    "without an answer nothing is chosen but what the rules choose"
                )
        if view.blocks:
            first, second = runtime.goes_on(view.blocks), runtime.goes_on(copy.deepcopy(view.blocks))
            assert isinstance(first, bool), "`goes_on` answers yes or no"
            assert first == second, "equal blocks, equal answers"


def _views() -> Iterator[View]:
    """Views as they come: nothing to do, an open and a ruled choice, and what follows each outcome."""
    yield View(1, (), "", ())
    for actions in ((FIND,), (FIND, BOOK)):
        yield View(1, actions, "", ())
        yield View(1, actions, "find", ())
        yield View(1, actions, "", (), may_hand_over=True)
        for number in range(2, ROUNDS + 1):
            for outcome in ("success", "error", "timeout"):
                yield View(number, actions, "", tuple(_blocks(number, outcome)))


def _blocks(number: int, outcome: str) -> "Iterator[Json]":
    for before in range(1, number):
        yield {"kind": "action", "round": before, "name": f"done_{before}", "by": "model", "more": True}
        came = {"result": {"state": "SENT"}} if outcome == "success" else {"message": "away"}
        yield {"kind": "observation", "round": before, "name": f"done_{before}", "outcome": outcome, **came}


def _chosen(runtime: Runtime, view: View) -> Any:
    untouched, twin = copy.deepcopy(view), copy.deepcopy(view)
    move, again = runtime.choose(view), runtime.choose(twin)
    assert isinstance(move, Ask | Act | HandOver | End), "`choose` gives an Ask, an Act, a HandOver or an End"
    assert move == again, "equal views, equal moves"
    assert view == untouched, "a view is not changed"
    if isinstance(move, Act):
        assert move.name in [one.name for one in view.actions], "only an action of the view is tried"
    assert view.may_hand_over or not isinstance(move, HandOver), "nothing is handed over where that is not allowed"
    return move


def _check_question(ask: Ask) -> None:
    assert ask.task.strip(), "a question says what is decided"
    assert ask.properties, "an answer has parts"


def _fitting(ask: Ask, answers: "Iterable[Json]") -> "list[Json]":
    """Those of the answers that the question can be given."""
    return [one for one in answers if checked(one, ask.schema).value is not None]
