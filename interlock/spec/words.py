"""The parts of a spec that read a message: vocabularies, slots and intents."""

from typing import Annotated, Literal

from pydantic import Field as Key
from pydantic import StringConstraints

from interlock.spec.base import Expression, Listed, Maybe, Name, Said, SpecModel, Text, Value
from interlock.spec.patterns import CODE
from interlock.spec.rules import AnyOf, Beside, OneOf

Code = Annotated[str, StringConstraints(pattern=CODE)]


class Term(SpecModel):
    """One controlled code and the phrases that mean it."""

    title: Maybe[Text] = None
    """Its name for people; `show` says it in the reader's language."""
    aliases: Listed[Said]
    """Phrases, in any language."""


class Vocabulary(SpecModel):
    """Phrases to find in a message."""

    key_rules = (OneOf("a vocabulary has one origin", ("words", "terms", "csv")),)

    words: Maybe[Listed[Said]] = None
    """A plain word list."""
    terms: Maybe[Annotated[dict[Code, Term], Key(min_length=1)]] = None
    """Controlled codes with their phrases."""
    csv: Maybe[Said] = None
    """A CSV file beside the spec: `word`, or `code, title.zh, title.en, aliases` with `;` between aliases."""


class SlotCheck(SpecModel):
    """A condition on a slot's value."""

    that: Expression
    """The assertion; it sees `value`."""
    else_: Text = Key(alias="else")
    """What the person is told when it does not hold."""


class Slot(SpecModel):
    """A value in the user's words: a controlled code, an identifier, or an extracted value."""

    key_rules = (
        OneOf("a slot is read in one way", ("vocabulary", "patterns", "extract")),
        OneOf("a missing value is filled in one way", ("assume", "default"), optional=True),
        Beside("note", ("assume",)),
        Beside("in_context", ("patterns",)),
        Beside("case", ("patterns",)),
        Beside("looks_like", ("vocabulary",)),
        Beside("normalise", ("patterns",)),
        Beside("timezone", ("extract",)),
    )

    vocabulary: Maybe[Name] = None
    """A vocabulary; the value is the code that was meant."""
    patterns: Maybe[Listed[Said]] = None
    """RE2 patterns of an identifier, kept verbatim."""
    extract: Maybe[Name] = None
    """A built-in or plug-in extractor: date, number, amount, integer, range, email, url, quote."""
    timezone: Maybe[Said] = None
    """Time zone in which a date is counted from now, such as `Asia/Shanghai`; without one it is UTC."""
    in_context: Maybe[Listed[Said]] = None
    """Patterns that count only if the message holds nothing else and trusted history shows the intent."""
    looks_like: Maybe[Listed[Said]] = None
    """RE2 patterns of what would be a code: where one matches that is none, nothing is assumed, and that is said."""
    title: Maybe[Text] = None
    """Name for people."""
    labels: Maybe[Listed[Said]] = None
    """Names that may stand beside the value in a message."""
    case: Maybe[Literal["exact"]] = None
    """`exact`: upper and lower case differ."""
    normalise: Maybe[Listed[Literal["upper", "lower", "no_spaces", "no_dashes", "half_width"]]] = None
    """How the identifier is written for tools."""
    many: bool = False
    """It may hold several values."""
    sensitive: bool = False
    """Masked in records, receipts and the transcript."""
    ask: Maybe[Text] = None
    """Asked when the value is missing."""
    clarify: Maybe[Text] = None
    """Asked when several were found; it sees `candidates`."""
    options: Maybe[Listed[Text]] = None
    """Values offered with the question."""
    assume: Value = None
    """Filled in when missing, and said; a list where there may be several."""
    note: Maybe[Text] = None
    """How an assumed value is said."""
    default: Value = None
    """Filled in when missing, silently; a list where there may be several."""
    checks: Maybe[Listed[SlotCheck]] = None
    """What a valid value is."""
    keep: Literal["flow", "session"] = "flow"
    """How long the value lives."""


class Intent(SpecModel):
    """True when the message matches, or is a short follow-up to a trusted one that did."""

    key_rules = (AnyOf("an intent", ("keywords", "patterns", "follow_up")),)

    keywords: Maybe[Listed[Said]] = None
    """Phrases that show it."""
    patterns: Maybe[Listed[Said]] = None
    """RE2 patterns that show it."""
    follow_up: Maybe[Name] = None
    """A vocabulary of elliptical phrases ("check it") that go on with it."""
    merge: Maybe[Literal["append", "replace"]] = None
    """How it meets the intent of the same name in a Library."""
