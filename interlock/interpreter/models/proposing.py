"""What a model proposes for the arguments of a chosen tool, and what of it can be traced to the user's words."""

from typing import TYPE_CHECKING, Any

from interlock.interpreter.identifiers import copied_slots, squashed
from interlock.interpreter.models import roles
from interlock.interpreter.models.asking import asked, description, noted
from interlock.interpreter.turn import Calling, Turn

if TYPE_CHECKING:
    from collections.abc import Mapping

    from interlock.interpreter.models.selecting import Candidate
    from interlock.interpreter.state import Json
    from interlock.interpreter.turn import Found
    from interlock.plan.steps import ActStep
    from interlock.plan.tools import Argument, Taking

PROPOSE = (
    "You give the arguments of one tool call, from the conversation alone. "
    "Copy what the user wrote; never invent, complete or correct it. Give null for what the conversation does not say."
)


def propose(turn: Turn, step: "ActStep", candidate: "Candidate") -> "Calling[Json]":
    """Proposed values by argument: free texts as written, others as far as they are to be traced.

    A tool whose arguments all stand in the message, or are none of the model's business, needs no question.
    """
    tool = candidate.taking
    slots = copied_slots(tool.input, candidate.bind)
    shown = {name: one for name, one in tool.input.items() if name in slots or one.source == "model"}
    if not any(one.source == "model" or not _stands(turn, slots[name]) for name, one in shown.items()):
        return {}
    system = f"{PROPOSE}\n\nTool {candidate.name}: {description(turn, candidate.name)}"
    question = asked(turn, step, "arguments", roles.chooser(turn, "arguments"), system, _schema(turn, shown, slots))
    came = (yield [question])[0]
    value = noted(turn, question, came)
    return _canonical(turn, tool, slots, value or {})


def _stands(turn: Turn, slot: str) -> bool:
    filled = turn.slots.get(slot)
    return filled is not None and filled.status == "filled"


def _schema(turn: Turn, shown: "Mapping[str, Argument]", slots: "Mapping[str, str]") -> "Json":
    properties: Json = {name: _property(turn, one, slots.get(name, "")) for name, one in shown.items()}
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


def _property(turn: Turn, argument: "Argument", slot: str) -> "Json":
    declared: Json = {"type": ["string", "null"]}
    words = [argument.description]
    if slot:
        known = turn.program.plan.slots[slot]
        words += [f"also called {', '.join(known.labels)}"] if known.labels else []
        if known.vocabulary:
            terms = turn.program.plan.vocabularies[known.vocabulary].terms
            title = turn.program.term_title
            codes = (f"{term.code} ({title(known.vocabulary, term.code, turn.language)})" for term in terms)
            words.append("one of " + ", ".join(codes))
    elif argument.max_length is not None:
        words.append(f"at most {argument.max_length} characters")
    if text := "; ".join(filter(None, words)):
        declared["description"] = text
    return declared


def _canonical(turn: Turn, tool: "Taking", slots: "Mapping[str, str]", value: "Json") -> "Json":
    """The values by argument: a model may use the name on the wire, the slot's, or a label of it."""
    names: dict[str, str] = {}
    for name, argument in tool.input.items():
        slot = turn.program.plan.slots.get(slots.get(name, ""))
        for alias in (name, argument.send_as, slots.get(name, ""), *(slot.labels if slot else ())):
            names.setdefault(squashed(alias), name)
    proposed: Json = {}
    for key, given in value.items():
        argument_name = names.get(squashed(key))
        if argument_name is not None and isinstance(given, str) and given.strip():
            proposed.setdefault(argument_name, given.strip())
    return proposed


def traced(turn: Turn, candidate: "Candidate", proposed: "Json") -> "tuple[Mapping[str, Any], dict[str, str]]":
    """What proposals prove: identifiers of trusted history that may be used, by slot; and invented ones, by argument.

    An identifier counts if it is one that was found in the message, or the one of history that the rules let through.
    """
    slots = copied_slots(candidate.taking.input, candidate.bind)
    history = candidate.judged.history if candidate.judged else {}
    admitted: dict[str, Any] = {}
    invented: dict[str, str] = {}
    for name, given in proposed.items():
        slot = slots.get(name, "")
        if slot not in turn.program.identifiers:
            continue
        said = turn.slots.get(slot)
        if said is not None and any(_is(given, one) for one in said.found):
            continue
        known = history.get(slot)
        if known is not None and _is(given, known):
            admitted[slot] = known
        else:
            invented[name] = slot
    return admitted, invented


def _is(given: str, found: "Found") -> bool:
    return squashed(given) in (squashed(found.raw), squashed(str(found.value)))
