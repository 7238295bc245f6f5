"""The runtime `react`: thought, action, observation; each round looks at what came of the last one, and at the goal."""

from typing import TYPE_CHECKING

from interlock.interpreter.runtimes.port import NO_TOOL, Act, Ask, End, HandOver, Move, View

if TYPE_CHECKING:
    from interlock.interpreter.state import Json

STEP = (
    "You work towards what the user's last message asks for, one action at a time. "
    "Look first at what the last action has given, then at the goal: say under `thought` in a sentence what is known "
    "and what is not, and under `goal_met` whether enough is known to answer. "
    "Then say under `control` how to go on: `continue` with one of the actions below, or `end`{hand_off}. "
    f"Name the action under `tool`, `{NO_TOOL}` if there is none that the goal plainly needs. "
    "Say under `should_call_now` whether everything that it needs is known, and name under "
    "`missing_required_arguments` what is not. Never take an action twice. What has failed has given nothing. "
    "You never see or give identifiers of your own: what you do not know is missing."
)
HAND_OFF = "; `hand_off` leaves the user to a person, who can do what the actions cannot"


class React:
    """Chooses after every observation anew."""

    def goes_on(self, blocks: "tuple[Json, ...]") -> bool:  # noqa: ARG002 - the model judges the observation
        """After every observation that another action may follow."""
        return True

    def choose(self, view: View) -> Move:
        """The ruled action to begin with; from then on what the model decides."""
        if view.ruled and not view.blocks:
            return Act(view.ruled)
        if not view.actions:
            return End()
        if not view.asked:
            return Ask(STEP.format(hand_off=HAND_OFF if view.may_hand_over else ""), _properties(view))
        answer = view.answer
        if answer is None:
            return End()
        thought = answer["thought"]
        if answer["control"] == "hand_off":
            return HandOver(thought)
        if answer["goal_met"] or answer["control"] == "end" or answer["tool"] == NO_TOOL:
            return End(thought)
        missing = tuple(answer["missing_required_arguments"])
        return Act(answer["tool"], answer["should_call_now"] and not missing, missing, more=True, thought=thought)


def _properties(view: View) -> "Json":
    controls = ["continue", "end", *(["hand_off"] if view.may_hand_over else [])]
    return {
        "thought": {"type": "string"},
        "goal_met": {"type": "boolean"},
        "control": {"type": "string", "enum": controls},
        "tool": {"type": "string", "enum": [*(one.name for one in view.actions), NO_TOOL]},
        "should_call_now": {"type": "boolean"},
        "missing_required_arguments": {"type": "array", "items": {"type": "string"}},
    }
