"""The plans that are measured, built as the compiler would build them."""

from collections.abc import Sequence

from interlock.plan.base import Field
from interlock.plan.plan import Plan
from interlock.plan.rules import Gate, Route
from interlock.plan.steps import Branch, CallStep, ReplyStep, RespondStep, SetStep, SwitchStep
from interlock.plan.tools import Argument, Mount, Response, Retry, Server, Tool
from interlock.plan.words import Intent, Slot, Term, Vocabulary

AT = "agent.yaml:1:1"
NUMBER = r"\bQAE\d{8}\b"


def deciding(phrases: Sequence[str], patterns: Sequence[str]) -> Plan:
    """Twenty gates that let the message pass, a route for every phrase, and a text with values in it."""
    terms = tuple(Term(code=f"T{number}", aliases=(phrase,)) for number, phrase in enumerate(phrases))
    conditions = (
        "message.type == 'form'",
        "user.tier == 'vip' and slots.number",
        "slots.topic in ['closed', 'gone'] or slots.number == 'QA{n}'",
        "not slots.number and user.tier == 'basic'",
    )
    gates = tuple(
        Gate(at=AT, id=f"gate_{n}", when=conditions[n % 4].replace("{n}", str(n)), verdict="reply", text={"*": "No."})
        for n in range(20)
    )
    routes = tuple(Route(at=AT, id=f"r{n}", when=f"slots.topic == 'T{n}'", flow="answer") for n in range(len(phrases)))
    text = "About {{ slots.topic }}: number {{ slots.number }} is being looked at."
    return Plan(
        bundle="benchmarks",
        name="deciding",
        languages=("en",),
        user={"tier": Field(type="string", enum=("basic", "vip"))},
        vocabularies={"topics": Vocabulary(at=AT, terms=terms)},
        slots={
            "topic": Slot(at=AT, kind="vocabulary", vocabulary="topics"),
            "number": Slot(at=AT, kind="patterns", patterns=tuple(patterns)),
        },
        gates=gates,
        routes=(*routes, Route(at=AT, id="rest", flow="rest")),
        flows={
            "answer": (ReplyStep(at=AT, id="says", action="reply", text={"*": text}),),
            "rest": (ReplyStep(at=AT, id="says", action="reply", text={"*": "What is it about?"}),),
        },
    )


def six_steps() -> Plan:
    """Values are worked out, a branch is chosen, and a text is said."""
    steps = (
        _set("pieces", "{{ 4 }}"),
        _set("each", "{{ 3 }}"),
        _set("packing", "{{ 2 if message.type == 'user_chat' else 0 }}"),
        SwitchStep(
            at=AT,
            id="kind",
            action="switch",
            branches=(
                Branch(at=AT, when="vars.pieces > 10", do=(_set("kind", "charter"),)),
                Branch(at=AT, do=(_set("kind", "freight"),)),
            ),
        ),
        ReplyStep(at=AT, id="says", action="reply", text={"*": "14 kg: {{ vars.kind }}"}),
    )
    return Plan(
        bundle="benchmarks",
        name="six_steps",
        languages=("en",),
        user={"tier": Field(type="string")},
        routes=(Route(at=AT, id="all", flow="weigh"),),
        flows={"weigh": steps},
    )


def _set(name: str, value: str) -> SetStep:
    return SetStep(at=AT, id=f"set_{name}_{value[:3].strip('{ ')}", action="set", values={name: value})


def desk(http: str) -> Plan:
    """What the durable turns are measured with: keywords answered by a text, numbers looked up over HTTP."""
    return Plan(
        bundle="benchmarks",
        name="desk",
        languages=("en",),
        slots={"number": Slot(at=AT, kind="patterns", patterns=(NUMBER,))},
        intents={"hours": Intent(at=AT, keywords=("opening hours", "when are you open"))},
        servers={"tracking": Server(at=AT, http=http)},
        tools={
            "track": Tool(
                at=AT,
                effect="read",
                transport="http",
                server="tracking",
                method="GET",
                path="/track/{number}",
                retry=Retry(attempts=3),
                timeout_ms=5_000,
                input={"number": Argument(type="string", source="slots.number", send_as="number", place="path")},
            )
        },
        responses={"raw": Response(at=AT, kind="raw")},
        mounts=(Mount(at=AT, call="track"),),
        gates=(Gate(at=AT, id="hours", when="intents.hours", verdict="reply", text={"*": "We are open from 9 to 5."}),),
        routes=(
            Route(at=AT, id="track", when="slots.number", flow="track"),
            Route(at=AT, id="rest", flow="rest"),
        ),
        flows={
            "track": (
                CallStep(at=AT, id="track", action="call", tool="track"),
                RespondStep(at=AT, id="answer", action="respond", response="raw"),
            ),
            "rest": (ReplyStep(at=AT, id="says", action="reply", text={"*": "What is it about?"}),),
        },
    )
