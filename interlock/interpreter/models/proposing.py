"""What a model proposes for the arguments of a chosen tool, and what of it can be traced to the user's words."""

from typing import TYPE_CHECKING, Any

from interlock.interpreter.identifiers import copied_slots, squashed
from interlock.interpreter.models import roles
from interlock.interpreter.models.asking import asked, description, noted
from interlock.interpreter.reading import values_of
from interlock.interpreter.slots import put
from interlock.interpreter.structured import object_schema
from interlock.interpreter.trusted import EDGES
from interlock.interpreter.turn import Calling, Found, Turn
from interlock.interpreter.unrecognized import beside

if TYPE_CHECKING:
    from collections.abc import Mapping

    from interlock.interpreter.models.selecting import Candidate
    from interlock.interpreter.state import Json
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
    role, schema = roles.chooser(turn, "arguments"), _schema(turn, shown, slots)
    question = asked(turn, step, "arguments", role, system, schema, partial=True)
    came = (yield [question])[0]
    value = noted(turn, question, came)
    return _canonical(turn, tool, slots, value or {})


def _stands(turn: Turn, slot: str) -> bool:
    filled = turn.slots.get(slot)
    return filled is not None and filled.status == "filled"


def _schema(turn: Turn, shown: "Mapping[str, Argument]", slots: "Mapping[str, str]") -> "Json":
    return object_schema({name: _property(turn, one, slots.get(name, "")) for name, one in shown.items()})


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
        exact = turn.program.plan.slots[slot].exact_case
        if said is not None and any(_is(given, one, exact) for one in said.found):
            continue
        known = history.get(slot)
        if known is not None and _is(given, known, exact):
            admitted[slot] = known
        else:
            invented[name] = slot
    return admitted, invented


def _is(given: str, found: "Found", exact_case: bool) -> bool:
    wanted = squashed(given, exact_case=exact_case)
    return wanted in (squashed(one, exact_case=exact_case) for one in (found.raw, str(found.value)))


def with_strangers(turn: Turn, candidate: "Candidate", proposed: "Json") -> list[str]:
    """The arguments whose proposed texts name an identifier that the user has not said lately."""
    inputs = candidate.taking.input
    texts = {name: given for name, given in proposed.items() if inputs[name].source == "model"}
    return [name for name, text in texts.items() if names_strangers(turn, text)]


def names_strangers(turn: Turn, text: str) -> bool:
    """Whether a text names an identifier that the user has not said lately, in whatever case."""
    if not turn.program.identifiers:
        return False
    said = _said(turn)
    return any(_named(turn, form) - said for form in (text, text.lower(), text.upper()))


def _said(turn: Turn) -> set[str]:
    """The identifiers of the message, of what is kept, and of the trusted history."""
    words = [word for filled in turn.slots.values() for one in filled.found for word in (one.raw, str(one.value))]
    earlier = [each for message in turn.state.messages for each in message["slots"].values()]
    words += [str(value) for each in earlier for value, *_ in each]
    return _named(turn, turn.text) | _named(turn, turn.asking.said) | {squashed(word) for word in words}


def _named(turn: Turn, text: str) -> set[str]:
    """What in a text has the form of an identifier."""
    finder, identifiers = turn.program.finder, turn.program.identifiers
    found = [*finder.bare(text.strip(EDGES))]
    for (kind, name), hits in finder.shapes(text).items():
        if kind == "slot" and name in identifiers:
            found += hits
    return {squashed(hit.raw) for hit in found}


def notice_unknown(turn: Turn, candidate: "Candidate", proposed: "Json") -> None:
    """Let slots know of what is proposed for a look-up, stands in the message, and means none of their codes."""
    tool = turn.program.plan.tools.get(candidate.name)
    if tool is None or tool.fact is None:
        return
    for name, slot in copied_slots(tool.input, candidate.bind).items():
        given = proposed.get(name)
        if given is None or slot not in turn.program.looked_up or slot in turn.slots:
            continue
        if squashed(given) in squashed(turn.text) and not _means_something(turn, slot, given):
            start = max(turn.text.find(given), 0)
            put(turn, beside(turn, slot, (Found(slot, None, given, start, start + len(given)),)))


def _means_something(turn: Turn, slot: str, given: str) -> bool:
    vocabulary = turn.program.plan.slots[slot].vocabulary
    terms = turn.program.plan.vocabularies[vocabulary].terms
    names = (name for term in terms for name in (term.code, *(term.title or {}).values()))
    return squashed(given) in map(squashed, names) or bool(values_of(turn, slot, given))
