"""The words in which a model is asked for a plan, and the form of its answer."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from interlock.interpreter.models.asking import description
from interlock.interpreter.structured import object_schema

if TYPE_CHECKING:
    from interlock.interpreter.models.plan_checks import Open
    from interlock.interpreter.models.selecting import Candidate
    from interlock.interpreter.state import Json
    from interlock.interpreter.turn import Turn

PLAN = (
    "You propose a plan for the goal below: a list of at most {most} actions, in the order in which they are taken. "
    "Take only those that the goal plainly needs, each at most once; none if nothing is to be done. "
    "Give for each the arguments that are listed with it, and no others: a `text` from the conversation, or the result "
    "of an earlier action, by the number of its `step` (the first is 1) and the `path` of one of its fields. "
    "What is not listed is known already. You never see or give identifiers of your own."
)


def told_action(turn: "Turn", candidate: "Candidate", arguments: "Mapping[str, Open]") -> str:
    """An action with the arguments that are open, and the fields that it gives."""
    lines = [f"- {candidate.name}: {description(turn, candidate.name)}"]
    for name, wants in arguments.items():
        declared = candidate.taking.input[name]
        bound = f", at most {declared.max_length} characters" if declared.max_length is not None else ""
        what = f"a text{bound}" if wants == "text" else f"the result of an earlier action, {declared.type}"
        optional = " (optional)" if declared.optional or declared.default is not None else ""
        lines.append(f"  - argument {name}{optional}: {what}. {declared.description}".rstrip())
    tool = turn.program.plan.tools.get(candidate.name)
    if tool is not None and tool.output:
        gives = ", ".join(f"{name} ({field.type})" for name, field in tool.output.items() if not field.sensitive)
        lines.append(f"  - gives {gives}")
    return "\n".join(lines)


def schema_of(names: Sequence[str]) -> "Json":
    """The form of a plan over these actions."""
    argument = object_schema(
        {
            "name": {"type": "string"},
            "text": {"type": ["string", "null"]},
            "step": {"type": ["integer", "null"]},
            "path": {"type": ["string", "null"]},
        }
    )
    action = object_schema(
        {"action": {"type": "string", "enum": [*names]}, "arguments": {"type": "array", "items": argument}}
    )
    return object_schema({"thought": {"type": "string"}, "steps": {"type": "array", "items": action}})
