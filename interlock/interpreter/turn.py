"""The scratch of one turn: what was read, called and said so far. Never serialised; the state is what outlives it."""

from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, TypeVar

from interlock.contract.calls import RULES
from interlock.interpreter.commands import Asked, RunProcedure
from interlock.interpreter.events import Ended, MessageReceived
from interlock.interpreter.stages import Stages
from interlock.interpreter.state import Json, State

if TYPE_CHECKING:
    from interlock.interpreter.context import Context
    from interlock.interpreter.program import Program
    from interlock.interpreter.secrets import Secrets

T = TypeVar("T")

Calling: TypeAlias = Generator[list[Any], list[Any], T]
"""Work that may ask the world: yields what is `Asked` side by side, is sent each end in that order, returns a T."""

CallOutcome: TypeAlias = Literal[
    "success",
    "blocked",
    "error",
    "timeout",
    "skipped",
    "missing",
    "ambiguous",
    "requires",
    "ensures",
    "unknown",
    "unrecognized",
]

FINE: frozenset[CallOutcome] = frozenset({"success", "skipped", "unrecognized"})
"""Outcomes that are no failure."""

Effect: TypeAlias = Literal["none", "happened", "unknown"]
"""Whether a call has changed something outside."""

SlotStatus: TypeAlias = Literal["filled", "ambiguous", "invalid", "unrecognized"]
SlotSource: TypeAlias = Literal["message", "kept", "assumed", "default"]


class Found(NamedTuple):
    """One value of a slot in a text: normalised `value`, and the raw words it was read from."""

    slot: str
    value: Any
    raw: str
    start: int
    end: int


class Filled(NamedTuple):
    """What is known of one slot. A slot that nothing is known of has no entry.

    `found` holds distinct values in the order of the text; it is empty for assumed and default values.
    `value` is a list for a slot of many values, None unless the status is `filled`. `unknown` are words of the message
    in the place of a code that mean none.
    """

    slot: str
    status: SlotStatus
    value: Any
    found: tuple[Found, ...]
    source: SlotSource
    turn: int
    problem: str = ""
    unknown: tuple[Found, ...] = ()

    @property
    def candidates(self) -> list[Any]:
        """The distinct values found."""
        return [one.value for one in self.found]


@dataclass(slots=True)
class CallResult:
    """One call of a tool as the flow sees it, whether or not it went out.

    `missing` names slots that would let the call go out; `candidates` gives the values of the ambiguous ones.
    `message` is what the person may be told, in the language of the turn. `audit` goes into the record, masked.
    `sent` is the request of a call that may have had an effect, for whoever makes it again; `cells` what its answer
    fills, for whoever undoes it, whether or not its `ensures` hold. `fact` is what a look-up has come to:
    `{status, value, unit, source, arguments}`, or `{status, param, slot, raw}`.
    """

    tool: str
    step: str
    at: str
    outcome: CallOutcome
    went_out: bool = False
    arguments: Json = field(default_factory=dict)
    payload: Any = None
    result: Any = None
    message: str = ""
    missing: tuple[str, ...] = ()
    candidates: dict[str, list[Any]] = field(default_factory=dict)
    receipt_id: str | None = None
    effect: Effect = "none"
    audit: Json = field(default_factory=dict)
    sent: Json | None = None
    cells: Json = field(default_factory=dict)
    fact: Json | None = None


@dataclass(slots=True)
class Part:
    """Something said by a step: its text, how it was made, and what it makes of the turn."""

    text: str
    source: Literal["fixed_reply", "direct_response", "facts", "llm_generated", "narrative", "fallback"]
    data: Any = None
    output_mode: str | None = None
    rule: str | None = None
    fallback_used: bool = False
    outcome: Literal["answer", "ask", "decline", "degraded", "error"] = "answer"
    reason: str = ""


@dataclass(slots=True)
class Asking:
    """What a turn has asked of models and retrievers, and what came of it."""

    passages: list[Json] = field(default_factory=list)
    """What retrievers have found, in the order of their numbers: `{text, source, score}`."""
    lack: Json | None = None
    """What the person must give before anything else can be said, as data."""
    lacking: CallResult | None = None
    """The call that lacks it."""
    earlier: list[CallResult] = field(default_factory=list)
    """What calls of earlier turns of this flow, and procedures, have given to a loop that goes on."""
    said: str = ""
    """The message that such a loop works for, as it was kept; no message came in with its turn."""
    scratchpads: dict[str, list[Json]] = field(default_factory=dict)
    """Thoughts, actions and observations, by the step whose loop they are of."""
    memory: Json | None = None
    """What the record says of long-term memory; none as long as it has not been asked for."""
    remembered: Json = field(default_factory=dict)
    """What it holds of the person, for what a model writes."""
    plans: list[Json] = field(default_factory=list)
    """What was proposed as a plan, and the verdict on it."""
    selections: list[Json] = field(default_factory=list)
    """What each round of the loop chose, and what was left out and why."""
    roles: list[Json] = field(default_factory=list)
    """Which role was asked at each stage, and by which rule."""
    generations: list[Json] = field(default_factory=list)
    """Every question to a model and what came of it, without its words."""
    retrievals: list[Json] = field(default_factory=list)
    """Every search, with the sources that it found."""
    looks_up: bool = False
    """Whether a model could have looked a fact up."""
    flags: Json = field(default_factory=dict)
    """What the checks on prose have found: `unsourced_figures`, `unknown_citations`, `prose_dropped`, `cut`."""


@dataclass(slots=True, init=False)
class Turn:
    """One message on its way through gates, route and flow."""

    program: "Program"
    state: State
    message: MessageReceived
    now_ms: int
    language: str
    context: "Context"
    text: str
    """The message with screened words masked; the only text that slots and intents are read from."""
    read: bool
    slots: dict[str, Filled]
    intents: dict[str, bool]
    contended: list[Found]
    """Values of the message that several slots could have read, one entry for each slot."""
    follow_ups: set[str]
    """Intents whose follow-up phrases are all that the message says."""
    gates: list[Json]
    """Every gate evaluated, as the record has it."""
    quick: str | None
    """The gate of the longest matching prefix, empty if none; None until it is looked for."""
    screened: bool
    """A screen has refused the message: nothing reads it, now or later."""
    route: Json | None
    abandoned: str
    """The waiting flow that another route has ended."""
    going_on: Json | None
    """The waiting flow that this message goes on with."""
    skipped_tools: set[str]
    calls: list[CallResult]
    """Calls in order, those that did not go out too."""
    last: list[CallResult]
    """What the last `call` step made: one result, or one for each combination."""
    caught: list[Json]
    """Failures that a `catch` has taken."""
    parts: list[Part]
    notes: list[tuple[str, str]]
    """Assumed slots with the words that say so."""
    options: list[str]
    decisions: dict[str, Json]
    """Tables asked in this turn: name to what the record keeps of it."""
    conditions: dict[str, Json]
    steps: list[Json]
    """Steps and branches begun in this turn, in order: `{id, at}`."""
    problems: list[Json]
    """What went wrong and was answered by a fallback: `{at, code, message}`."""
    runs: list[Json]
    """Procedures that the flow has begun, as the record has them."""
    begun: list[RunProcedure]
    """What the shell is to run once the turn has ended."""
    resumed: str
    """The procedure whose end this turn goes on from; no message came in."""
    events: list[Json]
    """What people did while a tool was working."""
    silent: bool
    """The flow has said on purpose that nothing is to be said."""
    interrupted: Literal["", "handed_off", "closed"]
    """Set while a person has the session, or has closed it, since a tool began to work: nothing more is said."""
    asked: Asking | None
    """None as long as no model or retriever has been asked."""
    stages: Stages
    """What is gone through, for whoever traces it."""
    secrets: "Secrets | None"
    """What is known to be sensitive; none as long as nobody has asked."""
    rules: int
    """By which rules the run goes: those of the version that it began with."""

    def __init__(  # written out, because the one of a dataclass calls a type for each field, which a turn feels
        self,
        program: "Program",
        state: State,
        message: MessageReceived,
        now_ms: int,
        language: str,
        context: "Context",
        text: str,
        read: bool = False,
    ) -> None:
        self.program, self.state, self.message = program, state, message
        self.now_ms, self.language, self.context = now_ms, language, context
        self.text, self.read = text, read
        self.slots, self.intents, self.follow_ups = {}, {}, set()
        self.contended = []
        self.gates, self.quick, self.screened = [], None, False
        self.route, self.abandoned, self.going_on = None, "", None
        self.skipped_tools, self.calls, self.last = set(), [], []
        self.caught, self.parts, self.notes, self.options = [], [], [], []
        self.decisions, self.conditions, self.steps = {}, {}, []
        self.problems, self.runs, self.begun, self.events = [], [], [], []
        self.resumed, self.silent, self.interrupted = "", False, ""
        self.asked = None
        self.stages = Stages()
        self.secrets = None
        self.rules = RULES

    @property
    def asking(self) -> Asking:
        """Where questions to models and retrievers, and what came of them, are noted."""
        if self.asked is None:
            self.asked = Asking()
        return self.asked

    @property
    def real_calls(self) -> list[CallResult]:
        """The calls that went out."""
        return [call for call in self.calls if call.went_out]

    def failed(self, at: str, code: str, message: str) -> None:
        """Keep for the record what a fallback has covered."""
        self.problems.append({"at": at, "code": code, "message": message})


def side_by_side(callings: list[Calling[T]]) -> Calling[list[T]]:
    """Run several callings at once: their calls go out together, each is sent the ends of its own."""
    results: dict[int, T] = {}
    waiting: dict[int, list[Asked]] = {}
    for number, calling in enumerate(callings):
        _advance(number, calling, None, results, waiting)
    while waiting:
        batch = list(waiting.items())
        returned = yield [command for _, commands in batch for command in commands]
        ends: Mapping[str, Ended] = {end.call_id: end for end in returned}
        for number, commands in batch:
            _advance(number, callings[number], [ends[one.call_id] for one in commands], results, waiting)
    return [results[number] for number in range(len(callings))]


def _advance(
    number: int,
    calling: Calling[T],
    ends: list[Ended] | None,
    results: dict[int, T],
    waiting: dict[int, list[Asked]],
) -> None:
    waiting.pop(number, None)
    try:
        waiting[number] = next(calling) if ends is None else calling.send(ends)
    except StopIteration as stop:
        results[number] = stop.value
