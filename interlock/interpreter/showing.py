"""How the filter `show` reads what a call was made with: a code by the vocabulary of the slot that it is made from."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from interlock.interpreter.lookups import slots_behind
from interlock.plan.steps import CallStep, steps_in

if TYPE_CHECKING:
    from interlock.interpreter.turn import CallResult, Turn
    from interlock.plan.tools import Taking

Show: TypeAlias = Callable[[Any, str], str]


def show_arguments(turn: "Turn", tool: "Taking | None", bind: Mapping[str, Any]) -> Show:
    """The filter where the root `args` holds the arguments of a call; `bind` is all that binds them."""

    def show(value: Any, path: str = "") -> str:
        root, _, name = path.partition(".")
        slot = slots_behind(tool, bind).get(name) if root == "args" and tool is not None else None
        shown: str = turn.context["$show"](value, path if slot is None else f"slots.{slot}")
        return shown

    return show


def bound(turn: "Turn", call: "CallResult") -> dict[str, Any]:
    """What the mount and the step of a call that was made bind."""
    plan, mount = turn.program.plan, turn.program.mounts.get(call.tool)
    steps = (step for flow in plan.flows.values() for step in steps_in(flow))
    own = next((step.bind for step in steps if isinstance(step, CallStep) and step.at == call.at), {})
    return {**(mount.bind if mount is not None else {}), **own}
