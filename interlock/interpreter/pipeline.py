"""The order of a turn: screens, gates, the flow that waits or the route, the flow."""

from interlock.interpreter.contended import settle
from interlock.interpreter.gates import gated, screened
from interlock.interpreter.needs import needs_of_flow
from interlock.interpreter.reading import read
from interlock.interpreter.replies import Answer
from interlock.interpreter.routing import Chosen, RouteFailed
from interlock.interpreter.running import run
from interlock.interpreter.slots import answers, speaks_of, take_up
from interlock.interpreter.state import Json
from interlock.interpreter.texts import engine_text
from interlock.interpreter.turn import Calling, Turn


def answer(turn: Turn) -> Calling[Answer]:
    """All that follows from one message of the user."""
    if turn.program.screen_gates:
        refused = yield from screened(turn)
        if refused is not None:
            turn.screened = not turn.read
            return refused
    gates = gated(turn)
    ended = None if gates is None else (yield from gates)
    if ended is not None:
        return ended
    try:
        flow = _flow(turn)
    except RouteFailed as failure:
        turn.failed(failure.route.at, "route-failed", str(failure))
        return Answer("refuse", engine_text(turn.program, turn.language, "failed"), "fallback", "route_failed")
    return (yield from flow)


def _flow(turn: Turn) -> Calling[Answer]:
    """The flow that answers, ready to be walked. Raises RouteFailed."""
    if not turn.read:
        read(turn)
    waiting = turn.state.flow
    if waiting is None:
        return _begin(turn, turn.program.routes.choose(turn))
    answered = answers(turn)
    chosen = None if answered or speaks_of(turn, waiting["asked"]) else turn.program.routes.choose(turn)
    if chosen is not None and not chosen.is_last and chosen.route.id != waiting["route"]:
        turn.abandoned = waiting["name"]
        return _begin(turn, chosen)
    return _go_on(turn, waiting, answered=answered)


def _begin(turn: Turn, chosen: Chosen) -> Calling[Answer]:
    route = chosen.route
    turn.route = {"id": route.id, "at": route.at, "flow": route.flow, "continued": False}
    turn.state.flow = None
    turn.state.vars = {}
    turn.context["vars"] = dict(turn.program.no_vars)
    settle(turn, needs_of_flow, route.flow)
    return run(turn, route.flow, route.id, {})


def _go_on(turn: Turn, waiting: Json, *, answered: bool) -> Calling[Answer]:
    turn.going_on = {**waiting, "attempts": 0} if answered else waiting
    turn.route = {"id": waiting["route"], "at": None, "flow": waiting["name"], "continued": True}
    turn.state.flow = None
    settle(turn, needs_of_flow, waiting["name"])
    take_up(turn)
    return run(turn, waiting["name"], waiting["route"], waiting["journal"])
