"""Values that several slots could have read: whose they are where only one of the slots is needed."""

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from interlock.interpreter.reading import fill
from interlock.interpreter.slots import kept, root
from interlock.interpreter.spans import decided

if TYPE_CHECKING:
    from interlock.interpreter.turn import Turn
    from interlock.plan.plan import Plan


def settle(turn: "Turn", needs: Callable[["Plan", str], Collection[str]], whose: str) -> None:
    """Give every contended value of the message to the one slot that is needed; with several of them it stays open.

    `needs` says of `whose` which are; it is asked only where anything contends.
    """
    if not turn.contended:
        return
    needed = needs(turn.program.plan, whose)
    open_ = [one for one in turn.contended if _has_nothing_else(turn, one.slot)]
    certain, contended = decided(open_, needed)
    if not certain:
        return
    left = kept(turn)
    for name in {one.slot for one in open_}:
        del turn.slots[name]
        if name in left:
            turn.slots[name] = left[name]
    fill(turn, certain, contended)
    turn.context["slots"] = root(turn)


def _has_nothing_else(turn: "Turn", name: str) -> bool:
    known = turn.slots[name]
    return known.status == "ambiguous" and all(one in turn.contended for one in known.found)
