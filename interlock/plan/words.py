"""The parts of a plan that read a message: vocabularies, slots and intents."""

from typing import Literal

from interlock.plan.base import Expression, Part, Placed, Text, Value


class Term(Part):
    """One controlled code with its phrases; for a plain word list the code is the word itself."""

    code: str
    title: Text | None = None
    aliases: tuple[str, ...]


class Vocabulary(Placed):
    """Phrases to find, in the order written."""

    terms: tuple[Term, ...]


class SlotCheck(Placed):
    """A condition on `value`, and what the person is told when it does not hold."""

    that: Expression
    otherwise: Text


class Slot(Placed):
    """A value in the user's words: a controlled code, an identifier (verbatim) or an extracted value."""

    kind: Literal["vocabulary", "patterns", "extract"]
    vocabulary: str = ""
    patterns: tuple[str, ...] = ()
    in_context: tuple[str, ...] = ()
    looks_like: tuple[str, ...] = ()
    extract: str = ""
    timezone: str = ""
    title: Text | None = None
    labels: tuple[str, ...] = ()
    exact_case: bool = False
    normalise: tuple[Literal["upper", "lower", "no_spaces", "no_dashes", "half_width"], ...] = ()
    many: bool = False
    sensitive: bool = False
    ask: Text | None = None
    clarify: Text | None = None
    options: tuple[Text, ...] = ()
    assume: Value = None
    note: Text | None = None
    default: Value = None
    checks: tuple[SlotCheck, ...] = ()
    keep: Literal["flow", "session"] = "flow"


class Intent(Placed):
    """True when the message matches, or is a short follow-up to a trusted message that did."""

    keywords: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    follow_up: str = ""
