"""The runtime `pipeline`: rules where identifiers decide, else one question; another round needs the word for it."""

from typing import TYPE_CHECKING

from interlock.interpreter.runtimes.port import NO_TOOL, Act, Ask, End, Move, View

if TYPE_CHECKING:
    from interlock.interpreter.state import Json

CHOOSE = (
    "You decide whether one of the tools below is to be called now for the user's last message. "
    f"Choose `{NO_TOOL}` unless one of them is plainly what the message asks for. "
    "Say under `should_call_now` whether everything that it needs is known, and name under "
    "`missing_required_arguments` what is not. Say under `more` whether another tool has to be called after it. "
    "You never see or give identifiers of your own: what you do not know is missing."
)


class Pipeline:
    """Chooses once for each call, before it is made."""

    def goes_on(self, blocks: "tuple[Json, ...]") -> bool:
        """After a success, if another call was announced with the choice."""
        chosen = [block for block in blocks if block["kind"] == "action"]
        return blocks[-1]["outcome"] == "success" and bool(chosen[-1]["more"])

    def choose(self, view: View) -> Move:
        """The ruled action; else what the model answers, if that is one."""
        if view.ruled:
            return Act(view.ruled)
        if not view.actions:
            return End()
        if not view.asked:
            return Ask(CHOOSE, _properties(view), sees=False)
        answer = view.answer
        if answer is None:
            return End()
        thought = str(answer["reason"])
        if answer["tool"] == NO_TOOL:
            return End(thought)
        missing = tuple(answer["missing_required_arguments"])
        ready = answer["should_call_now"] and not missing
        return Act(answer["tool"], ready, missing, more=answer["more"], thought=thought)


def _properties(view: View) -> "Json":
    return {
        "tool": {"type": "string", "enum": [*(one.name for one in view.actions), NO_TOOL]},
        "should_call_now": {"type": "boolean"},
        "missing_required_arguments": {"type": "array", "items": {"type": "string"}},
        "more": {"type": "boolean"},
        "reason": {"type": "string"},
    }
