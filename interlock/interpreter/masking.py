"""What is kept of a turn, without the values that are sensitive: where they are, and the words that may be some.

A plan says which places of the context are sensitive. The values that stand there are known from then on.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from interlock.interpreter.context import at_time
from interlock.interpreter.reading import accepted_bare
from interlock.interpreter.secrets import Secrets, Span, leaves
from interlock.text.extractors import extract

if TYPE_CHECKING:
    from interlock.interpreter.events import MessageReceived
    from interlock.interpreter.program import Program
    from interlock.interpreter.state import Json, State
    from interlock.interpreter.turn import Filled, Found, Turn
    from interlock.plan.marks import Mark
    from interlock.text.extractors import Extracted
    from interlock.text.hits import Hit

T = TypeVar("T")

# -- of a turn, or of a run's call ------------------------------------------------------------------------------------


def secrets_of(turn: "Turn") -> Secrets | None:
    """What is known to be sensitive now; none under a plan that declares nothing so."""
    program = turn.program
    if program.sensitive is None:
        return None
    secrets = turn.secrets = turn.secrets or Secrets(program.sensitive)
    if program.plan.work is None:
        _learn_state(secrets, program, turn.state, turn.message.metadata)
        for root in ("vars", "steps"):
            secrets.learn((root,), turn.context.get(root))
        for filled in turn.slots.values():
            _learn_slot(secrets, program, filled, turn.language)
        secrets.know([turn.message.text[start:end] for start, end in _heard(turn)])
    return secrets


def learn(turn: "Turn", path: "Mark", value: Any) -> None:
    """Know what is sensitive in a value that has come in."""
    if turn.program.sensitive is not None:
        turn.secrets = turn.secrets or Secrets(turn.program.sensitive)
        turn.secrets.learn(path, value)


def without_secrets(turn: "Turn", value: T, *, record: bool = False) -> T:
    """A value without what is sensitive, for records, receipts, and what models are shown."""
    secrets = secrets_of(turn)
    masked: T = value if secrets is None else secrets.kept(value, record=record)
    return masked


def is_sensitive(turn: "Turn", origin: "Json") -> bool:
    """Whether a value of this origin holds anything sensitive, or is made of it."""
    marks = turn.program.sensitive
    return marks is not None and marks.touch((origin["source"], *origin.get("reads", ())))


def text_to_keep(turn: "Turn") -> str:
    """The text of the message with sensitive words hidden, each letter by one star."""
    secrets = secrets_of(turn)
    return turn.message.text if secrets is None else secrets.starred(turn.message.text, _heard(turn))


def of_message(program: "Program", state: "State", message: "MessageReceived") -> Secrets | None:
    """What is known to be sensitive where a message comes in that no rule is asked about."""
    if program.sensitive is None:
        return None
    secrets = Secrets(program.sensitive)
    _learn_state(secrets, program, state, message.metadata)
    return secrets


def text_of(program: "Program", message: "MessageReceived", secrets: Secrets | None) -> str:
    """The text of such a message with all words hidden that a sensitive slot would take."""
    if secrets is None:
        return message.text
    return secrets.starred(message.text, _spans(program, message.text, message.now_ms))


# -- where the values are ---------------------------------------------------------------------------------------------


def _learn_state(secrets: Secrets, program: "Program", state: "State", metadata: "Json") -> None:
    secrets.learn(("user",), state.user)
    secrets.learn(("message",), {"metadata": metadata})
    secrets.learn(("vars",), state.vars)
    for tool, cells in state.cells.items():
        secrets.learn(("cells", tool), {key: cell["value"] for key, cell in cells.items()})
    for name in program.sensitive_slots:
        entry = state.slots.get(name, {})
        secrets.know([entry.get("value"), *(one[:2] for one in (*entry.get("found", ()), *entry.get("unknown", ())))])
        secrets.know([one[:2] for message in state.messages for one in message["slots"].get(name, ())])


def _learn_slot(secrets: Secrets, program: "Program", filled: "Filled", language: str) -> None:
    if filled.slot not in program.sensitive_slots:
        return
    vocabulary = program.plan.slots[filled.slot].vocabulary
    values = [filled.value, *(one.value for one in filled.found)]
    secrets.know([*values, *(one.raw for one in (*filled.found, *filled.unknown))])
    if vocabulary:
        secrets.know([program.term_title(vocabulary, code, language) for code in leaves(values)])


def _heard(turn: "Turn") -> list[Span]:
    """The words of the message that sensitive slots take, or might: only other slots that have read them tell them."""
    filled = [one for one in turn.slots.values() if one.turn == turn.state.turn]
    sensitive = turn.program.sensitive_slots
    own = [_span(one) for each in filled if each.slot in sensitive for one in (*each.found, *each.unknown)]
    others = [_span(one) for each in filled if each.slot not in sensitive for one in each.found]
    might = _spans(turn.program, turn.message.text, turn.message.now_ms)
    return [*own, *(span for span in might if not any(_overlap(span, other) for other in others))]


def _spans(program: "Program", text: str, now_ms: int) -> Iterator[Span]:
    """The words of a text that sensitive slots would take."""
    sensitive, finder = program.sensitive_slots, program.finder
    if not sensitive:
        return
    words = finder.words(text)
    for (kind, name), hits in (*words.items(), *finder.shapes(text).items()):
        slots = program.slots_of.get(name, ()) if kind == "vocabulary" else (name,) if kind == "slot" else ()
        if not sensitive.isdisjoint(slots):
            yield from map(_span, hits)
    yield from (_span(hit) for hit in finder.shaped(text) if hit.tag in sensitive)
    for name in sensitive.intersection(program.extracted):
        yield from map(_span, extract(program.plan.slots[name].extract, text, at_time(now_ms)))
    yield from (_span(one) for name, one in accepted_bare(program, text, words) if name in sensitive)


def _span(found: "Found | Hit | Extracted") -> Span:
    return found.start, found.end


def _overlap(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]
