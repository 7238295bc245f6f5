"""An untraceable identifier never reaches a tool, whatever is bound, kept, set, assumed or handed in; a legal one does."""

import json
import random
from collections import Counter

import pytest

from interlock.interpreter import slots
from interlock.interpreter.turn import Filled, Found
from interlock.plan.base import Field
from interlock.plan.naming import names_identifier
from interlock.plan.tools import Mount
from interlock.plan.words import Intent

ATTACKS = 5_000
SEED = 20240501

TEMPLATES = {
    "vars_only": "{{ vars.x }}",
    "vars_upper": "{{ vars.x | upper }}",
    "vars_text": "No. {{ vars.x }}",
    "whole_text": "{{ message.text }}",
    "whole_text_upper": "{{ message.text | upper }}",
    "default_filter": "{{ slots.no | default(vars.x) }}",
    "either": "{{ vars.x if vars.x is defined else slots.no }}",
    "joined": "{{ [slots.no, vars.x] | join('') }}",
    "prefixed": "X{{ slots.no }}",
    "first_of_many": "{{ slots.many | first }}{{ vars.x }}",
    "chosen_of_several": "{{ slots.no | first }}",
    "metadata_made": "{{ message.metadata.no }}{{ vars.x }}",
}
"""Bindings of an argument whose name says it is an identifier; `vars.x` holds a forged one."""

COPIES = {
    "copy": "{{ slots.no }}",
    "chosen": "{{ slots.many | first }}",
    "of_user": "{{ user.account }}",
    "of_vars": "{{ vars.x }}",
    "of_model": "{{ steps.wrote.result.text }}",
}


@pytest.fixture(scope="module")
def plan(kit):
    tools = {name: kit.tool({"no": kit.argument("caller", optional=True)}) for name in (*TEMPLATES, *COPIES)}
    tools |= {
        "direct": kit.tool({"a": kit.argument("slots.no")}),
        "optional": kit.tool({"a": kit.argument("slots.no", optional=True)}),
        "defaulted": kit.tool({"a": kit.argument("slots.no", default="S99ES0000000")}),
        "trusting": kit.tool({"a": kit.argument("slots.no", history="single")}),
        "computed": kit.tool({"order_no": kit.argument("value", value="{{ vars.x }}")}),
        "list": kit.tool(
            {"ids": kit.argument("value", "list", value=["{{ slots.no }}", "{{ vars.x }}"], optional=True)}
        ),
    }
    bound = {**TEMPLATES, **COPIES}
    mounts = tuple(
        Mount(
            at=kit.AT,
            call=name,
            intent="track" if name == "trusting" else "",
            bind={"no": bound[name]} if name in bound else {},
        )
        for name in tools
    )
    step = {"at": kit.AT, "id": "v", "action": "set", "values": {"x": "{{ message.text }}"}}
    asks = {"at": kit.AT, "id": "wrote", "action": "generate", "role": "auto"}
    return kit.plan(
        tools, mounts=mounts, slots={"no": kit.SLOT, "many": {**kit.SLOT, "patterns": (r"M\d{8}",), "many": True}}, flows={"f": [step, asks]},
        intents={"track": Intent(at=kit.AT, keywords=("track",))},
    )  # fmt: skip


def an_identifier(dice: random.Random) -> str:
    return dice.choice(
        [
            f"555E{dice.randrange(10**6):06}",
            f"S{dice.randrange(100):02}ES{dice.randrange(10**7):07}",
            f"{dice.randrange(10**12):012}",
        ]
    )


def forge_nothing(talk, forged):
    """Only `vars.x` holds it."""


def forge_assumed(talk, forged):
    slots.put(talk.turn, Filled("no", "filled", forged, (), "assumed", 1))


def forge_default(talk, forged):
    slots.put(talk.turn, Filled("no", "filled", forged, (), "default", 1))


def forge_finding(talk, forged):
    slots.put(talk.turn, Filled("no", "filled", forged, (Found("no", forged, forged, 0, len(forged)),), "message", 1))


def forge_other_raw(talk, forged):
    said = talk.turn.message.text
    slots.put(talk.turn, Filled("no", "filled", forged, (Found("no", forged, said, 0, len(said)),), "message", 1))


def forge_candidates(talk, forged):
    slots.put(
        talk.turn,
        Filled("no", "ambiguous", None, (Found("no", forged, forged, 0, 1), Found("no", "x", "x", 0, 1)), "message", 1),
    )


def forge_history(talk, forged):
    talk.state.messages.append(
        {"turn": 0, "text": forged, "intents": [], "called": [], "slots": {"no": [[forged, forged, 0, 1]]}}
    )


FORGERIES = [
    forge_nothing,
    forge_assumed,
    forge_default,
    forge_finding,
    forge_other_raw,
    forge_candidates,
    forge_history,
]
SENTENCES = ["你好", "hello there", "查一下 {}", "please look at {} now", "{}和{}", "what about it"]


def test_an_untraceable_identifier_never_reaches_a_tool(kit, plan):
    dice = random.Random(SEED)
    tried, sent = Counter(), 0
    names = [name for name in plan.tools if name != "of_user"]
    for _ in range(ATTACKS):
        forged = an_identifier(dice)
        sentence = dice.choice(SENTENCES)
        talk = kit.Talk(plan, account=an_identifier(dice))
        talk.hears(
            sentence.format(*(an_identifier(dice) for _ in range(2))) + dice.choice(["", " M00000001"]),
            kind=dice.choice(["user_chat", "form"]),
            metadata={"no": an_identifier(dice)},
        )
        if forged in talk.turn.message.text or forged == talk.turn.message.metadata["no"]:
            continue
        talk.turn.context["vars"]["x"] = dice.choice([forged, [forged], {"no": forged}, forged.lower(), f" {forged}"])
        forgery, name = dice.choice(FORGERIES), dice.choice(names)
        forgery(talk, forged)
        options = {"slot_values": {"no": forged}} if dice.random() < 0.3 else {}
        result = talk.calls(name, **options)
        tried[name, forgery.__name__, bool(options)] += 1
        for call in talk.sent:
            sent += 1
            assert forged.lower() not in json.dumps(call.arguments).lower(), (
                SEED,
                name,
                forgery,
                options,
                call,
                talk.turn.message,
            )
        assert result.went_out is bool(talk.sent)
    assert sum(tried.values()) > ATTACKS * 0.99, SEED
    assert len(tried) == len(names) * len(FORGERIES) * 2, SEED
    assert sent > 100, "nothing legal was left to pass, so nothing was shown"


def test_legal_identifiers_pass(kit, plan):
    dice = random.Random(SEED)
    for _ in range(1_000):
        value, account = an_identifier(dice), an_identifier(dice)
        talk = kit.Talk(plan, account=account)
        talk.hears(dice.choice(["track {}", "查{}单", "{}", "我的订单（{}）到哪了"]).format(value))
        for name, wanted in {
            "copy": value,
            "direct": value,
            "optional": value,
            "trusting": value,
            "of_user": account,
        }.items():
            result = talk.calls(name)
            assert (result.outcome, list(talk.sent[-1].arguments.values())) == ("success", [wanted]), (
                SEED,
                name,
                value,
            )
        talk.hears("M00000001 and M00000002")
        talk.calls("chosen")
        assert talk.sent[-1].arguments == {"no": "M00000001"}


def test_a_variable_may_carry_an_identifier_that_was_said(kit, plan):
    talk = kit.Talk(plan, account="0012345678")
    for value, outcome in (
        ("555E898665", "success"),
        ("0012345678", "success"),
        ("555E898666", "blocked"),
        ("555e898665", "blocked"),
    ):
        talk.hears("track 555E898665")
        talk.turn.context["vars"]["x"] = value
        assert talk.calls("of_vars").outcome == outcome, value


@pytest.mark.parametrize(("text", "outcome"), [("555E898665", "success"), ("555E898666", "blocked")])
def test_an_identifier_that_a_model_wrote_is_one_that_the_user_said(kit, plan, text, outcome):
    talk = kit.Talk(plan)
    talk.hears("track 555E898665")
    talk.turn.context["steps"] = {"wrote": {"result": {"text": text}}}
    assert talk.calls("of_model").outcome == outcome


def test_a_computed_identifier_says_what_to_do(kit, plan):
    talk = kit.Talk(plan)
    talk.hears("555E898665")
    result = talk.calls("prefixed")
    assert result.audit["blocks"] == [
        {
            "why": "untraceable",
            "argument": "no",
            "reason": "'no' names an identifier, but its value was computed: copy it from a slot, a cell or the user",
        }
    ]


@pytest.mark.parametrize(
    "name",
    [
        "id",
        "selectNo",
        "order_no",
        "orderNO",
        "IBAN",
        "trackingNumber",
        "ref",
        "api_key",
        "APIKey",
        "运单号",
        "客户编码",
    ],
)
def test_names_that_say_identifier(name):
    assert names_identifier(name)


@pytest.mark.parametrize("name", ["note", "query", "idea", "normal", "remark", "status", "keyword", "备注"])
def test_names_that_do_not(name):
    assert not names_identifier(name)


@pytest.mark.parametrize(
    ("argument", "bound"),
    [
        ({"format": "uuid"}, "{{ vars.x }}"),
        ({"type": "object"}, {"order_no": "{{ vars.x }}"}),
        ({"type": "object"}, {"orders": [{"id": "{{ vars.x }}"}]}),
        ({"type": "object", "fields": {"it": Field(type="string", format="uuid")}}, {"it": "{{ vars.x }}"}),
        ({"type": "list", "items": Field(type="string", format="uuid")}, ["{{ vars.x }}"]),
    ],
)
def test_identifiers_are_found_by_format_and_inside_objects_and_lists(kit, argument, bound):
    value = "123e4567-e89b-12d3-a456-426614174000"
    step = {"at": kit.AT, "id": "v", "action": "set", "values": {"x": "{{ message.text }}"}}
    tool = kit.tool({"remark": kit.argument("caller", **argument)})
    plan = kit.plan({"t": tool}, mounts=(Mount(at=kit.AT, call="t", bind={"remark": bound}),), flows={"f": [step]})
    for account, outcome in ((value, "success"), ("", "blocked")):
        talk = kit.Talk(plan, account=account)
        talk.hears("hello").context["vars"]["x"] = value
        assert talk.calls("t").outcome == outcome
