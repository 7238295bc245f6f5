"""Arguments: each has its one source, is copied from there verbatim, and stops the call when it is not there."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.interpreter import slots
from interlock.interpreter.turn import Filled
from interlock.plan.base import Field
from interlock.plan.tools import Mount, Produces
from interlock.plan.words import Slot

A, B = "555E898665", "S55ES0000134"


@pytest.fixture
def one(kit):
    """A talk about one tool with one argument `x`, after one message."""

    def one(argument, text="hi", bind=None, metadata=None, **plan):
        talk = kit.Talk(
            kit.plan({"t": kit.tool({"x": argument})}, mounts=(Mount(at=kit.AT, call="t", bind=bind or {}),), **plan)
        )
        talk.hears(text, metadata=metadata)
        return talk

    return one


def why(result):
    return [(block["why"], block["reason"]) for block in result.audit["blocks"]]


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("user.id", "u1"),
        ("session.id", "s"),
        ("config.shop", "店"),
        ("message.text", "hi"),
        ("message.metadata.order", "0012"),
        ("slots.colour", "RED"),
    ],
)
def test_a_path_of_the_context_is_copied(kit, one, source, value):
    red = Slot(at=kit.AT, kind="vocabulary", vocabulary="colours")
    talk = one(
        kit.argument(source), "red hi" if source == "slots.colour" else "hi", metadata={"order": "0012"}, config={"shop": "店"},
        slots={"colour": red}, vocabularies={"colours": {"at": kit.AT, "terms": [{"code": "RED", "aliases": ["red"]}]}},
    )  # fmt: skip
    result = talk.calls("t")
    assert talk.sent[0].arguments == {"x": value}
    assert result.audit["sources"]["x"]["source"] == source


@pytest.mark.parametrize("source", ["user.tier", "message.metadata.order", "slots.no", "cells.other.k", "caller"])
def test_a_required_value_that_is_not_there_stops_the_call_and_an_optional_one_is_left_out(kit, one, source):
    talk = one(kit.argument(source))
    result = talk.calls("t")
    assert (result.outcome, talk.sent, why(result)[0][0]) == ("missing", [], "missing")
    assert result.missing == (("no",) if source == "slots.no" else ())
    talk = one(kit.argument(source, optional=True))
    assert (talk.calls("t").outcome, talk.sent[0].arguments) == ("success", {})


def test_a_default_stands_in_for_what_is_not_there_and_says_so(kit, one):
    talk = one(kit.argument("user.tier", default="basic"))
    assert talk.calls("t").audit["sources"] == {"x": {"source": "default"}}
    assert talk.sent[0].arguments == {"x": "basic"}


def test_what_no_slot_would_help_is_told_in_words(kit, one):
    talk = one(kit.argument("user.tier", title={"en": "your tier"}))
    assert talk.calls("t").message == "Without your tier I cannot go on."


def test_a_caller_binds_and_the_step_counts_before_the_mount(kit, one):
    flow = {"f": [{"at": kit.AT, "id": "s", "action": "call", "tool": "t", "bind": {"x": "step {{ user.id }}"}}]}
    talk = one(kit.argument("caller"), bind={"x": "mount"}, flows=flow)
    talk.calls("t")
    talk.calls("t", bind={"x": "step {{ user.id }}"})
    assert [call.arguments["x"] for call in talk.sent] == ["mount", "step u1"]
    assert talk.turn.calls[1].audit["sources"]["x"] == {"source": "caller", "reads": ["user.id"]}


def test_a_caller_that_copies_one_path_is_that_source(kit, one):
    talk = one(kit.argument("caller"), A, bind={"x": "{{ slots.no }}"})
    result = talk.calls("t")
    assert result.audit["sources"]["x"] == {
        "by": "caller",
        "raw": A,
        "start": 0,
        "end": 10,
        "source": "slots.no",
        "from": "message",
        "turn": 1,
    }
    talk.hears("no number")
    assert talk.calls("t").missing == ("no",)


ASKED = {
    "conditions": {"vip": {"at": "agent.yaml:2:1", "that": "user.tier == 'gold'"}},
    "decisions": {
        "desk": {
            "at": "agent.yaml:3:1", "hit": "first",
            "inputs": {"tier": {"type": "string", "value": "{{ user.tier }}"}}, "outputs": {"to": {"type": "string"}},
            "rows": [{"at": "agent.yaml:4:1", "when": {}, "then": {"to": "front"}}],
        }
    },
}  # fmt: skip


@pytest.mark.parametrize(
    ("path", "of_type", "value"), [("decisions.desk.to", "string", "front"), ("conditions.vip", "boolean", True)]
)
def test_a_copy_of_a_table_or_condition_asks_it(kit, path, of_type, value):
    mount = Mount(at=kit.AT, call="t", bind={"x": f"{{{{ {path} }}}}"})
    talk = kit.Talk(
        kit.plan({"t": kit.tool({"x": kit.argument("caller", of_type)})}, mounts=(mount,), **ASKED), tier="gold"
    )
    talk.hears("hi")
    assert talk.calls("t").outcome == "success"
    assert talk.sent[0].arguments == {"x": value}
    assert talk.turn.calls[0].audit["sources"]["x"]["source"] == path


def test_a_copy_of_a_table_that_lacks_its_input_says_what_is_not_there(kit):
    mount = Mount(at=kit.AT, call="t", bind={"x": "{{ decisions.desk.to }}"})
    talk = kit.Talk(kit.plan({"t": kit.tool({"x": kit.argument("caller")})}, mounts=(mount,), **ASKED))
    talk.hears("hi")
    assert why(talk.calls("t")) == [("missing", "`user.tier` holds no value (missing)")]


def test_only_what_the_tool_declares_as_bound_is_bound(kit, one):
    talk = one(kit.argument("user.id"), bind={"x": "forged"})
    talk.calls("t")
    assert talk.sent[0].arguments == {"x": "u1"}


@pytest.mark.parametrize(
    ("value", "type_name", "sent"),
    [
        ("{{ slots.bags - 3 }}", "integer", 2),
        ("{{ slots.bags }} bags", "string", "5 bags"),
        ([1, "{{ user.id }}"], "list", [1, "u1"]),
        (7, "integer", 7),
    ],
)
def test_a_computed_value_keeps_its_type_and_records_what_it_reads(kit, one, value, type_name, sent):
    bags = Slot(at=kit.AT, kind="extract", extract="integer")
    talk = one(kit.argument("value", type_name, value=value), "5", slots={"bags": bags})
    result = talk.calls("t")
    assert talk.sent[0].arguments == {"x": sent}
    assert result.audit["sources"]["x"]["source"] == "value"


def test_a_template_over_what_is_not_there_names_the_slot_to_ask(kit, one):
    bags = Slot(at=kit.AT, kind="extract", extract="integer")
    talk = one(kit.argument("value", "integer", value="{{ slots.bags - 3 }}"), slots={"bags": bags})
    result = talk.calls("t")
    assert (result.outcome, result.missing, talk.sent) == ("missing", ("bags",), [])


@pytest.mark.parametrize("bind", ["{{ slots.no }}", "{{ slots.no | first }}", "No. {{ slots.no }}"])
def test_an_ambiguous_slot_asks_and_never_chooses(kit, one, bind):
    for argument in (kit.argument("caller"), kit.argument("caller", optional=True)):
        talk = one(argument, f"{A} or {B}", bind={"x": bind})
        result = talk.calls("t")
        assert (result.outcome, result.candidates, talk.sent) == ("ambiguous", {"no": [A, B]}, [])


def test_a_slot_that_fails_its_check_says_why(kit, one):
    check = {"at": kit.AT, "that": "value != '555E898665'", "otherwise": {"en": "Not that one."}}
    talk = one(kit.argument("slots.no"), A, slots={"no": {**kit.SLOT, "checks": [check]}})
    result = talk.calls("t")
    assert (result.outcome, result.missing, why(result)) == ("missing", ("no",), [("missing", "Not that one.")])


@pytest.mark.parametrize(
    ("argument", "reason"),
    [
        ({"type": "integer"}, "x: not an integer: '0123456789'"),
        ({"pattern": "^9"}, "x: '0123456789' does not match '^9'"),
        ({"enum": ("1",)}, "x: '0123456789' is not one of '1'"),
        ({"max_length": 3}, "x: '0123456789' is longer than 3"),
        ({"format": "uuid"}, "x: '0123456789' is not a valid uuid"),
        ({"json_schema": {"minLength": 40}}, "x: '0123456789' is too short"),
    ],
)
def test_an_argument_that_is_not_as_declared_blocks_with_its_reason(kit, one, argument, reason):
    talk = one(kit.argument("slots.no", **argument), "0123456789")
    result = talk.calls("t")
    assert (result.outcome, talk.sent, why(result)) == ("blocked", [], [("invalid", reason)])


def test_everything_that_is_wrong_is_told_at_once(kit):
    talk = kit.Talk(
        kit.plan(
            {
                "t": kit.tool(
                    {
                        "a": kit.argument("user.id", "integer"),
                        "b": kit.argument("slots.no"),
                        "c": kit.argument("user.tier"),
                    }
                )
            }
        )
    )
    talk.hears("hi")
    result = talk.calls("t")
    assert [(block["argument"], block["why"]) for block in result.audit["blocks"]] == [
        ("a", "invalid"),
        ("b", "missing"),
        ("c", "missing"),
    ]
    assert (result.outcome, result.missing) == ("missing", ("no",))


def test_an_identifier_is_never_assumed_or_defaulted(kit, one):
    for argument in (kit.argument("slots.no"), kit.argument("slots.no", optional=True)):
        for source in ("assumed", "default"):
            talk = one(argument)
            slots.put(talk.turn, Filled("no", "filled", A, (), source, 1))
            result = talk.calls("t")
            assert (result.outcome, result.missing, talk.sent) == ("missing", ("no",), [])
            assert why(result) == [("untraceable", "'x' holds an identifier that the user did not say")]
    talk = one(kit.argument("slots.no", default=A))
    assert (talk.calls("t").outcome, talk.sent) == ("missing", [])


class Chain:
    """Two tools: one fills a cell from a slot, the other takes the cell."""

    def __init__(self, kit, **argument):
        find = kit.tool(
            {"no": kit.argument("slots.no")}, produces={"key": Produces(at="key")}, output={"key": Field(type="string")}
        )
        use = kit.tool({"key": kit.argument("cells.find.key", **argument)})
        self.kit = kit
        self.talk = kit.Talk(kit.plan({"find": find, "use": use}))

    def find(self, text, key):
        self.talk.hears(text)
        return self.talk.calls("find", self.kit.returns({"key": key}))


def test_a_cell_is_taken_verbatim_with_its_receipt(kit):
    chain = Chain(kit)
    chain.find(A, "0007")
    result = chain.talk.calls("use")
    assert chain.talk.sent[-1].arguments == {"key": "0007"}
    assert result.audit["sources"]["key"] == {"source": "cells.find.key", "receipt": "run/1"}


def test_a_cell_of_another_object_stops_the_call(kit):
    chain = Chain(kit)
    chain.find(A, "0007")
    chain.talk.hears(B)
    result = chain.talk.calls("use")
    assert (result.outcome, len(chain.talk.sent)) == ("missing", 1)
    assert why(result) == [("stale", "`cells.find.key` is stale: `slots.no` has changed since")]
    assert result.message == "Without key I cannot go on."


def test_a_cell_that_is_too_old_stops_the_call(kit):
    chain = Chain(kit, max_age_ms=500)
    chain.find(A, "0007")
    chain.talk.hears("go on", now_ms=1_501)
    assert why(chain.talk.calls("use")) == [("stale", "`cells.find.key` is stale: 501 ms old, 500 ms are allowed")]
    chain.talk.hears("go on", now_ms=1_500)
    assert chain.talk.calls("use").outcome == "success"


HARD = st.sampled_from(
    ["0000000000", "0123456789", str(2**53), str(2**53 + 1), str(2**64), str(2**128 - 1), "S55ES0000134", "555E898665"]
) | st.integers(min_value=10**9, max_value=10**38).map(str).map(lambda text: "0" + text)
AROUND = st.sampled_from(
    ["{}", "查{}单", "帮我查一下 {}", "订单{}，谢谢", "no {} please", "（{}）", "“{}”", "{}。", "请查{}在哪"]
)
WIDE = str.maketrans("0123456789ESXA", "０１２３４５６７８９ＥＳＸＡ")


@settings(max_examples=300, deadline=None)
@given(value=HARD, around=AROUND, width=st.sampled_from(["half", "full", "lower"]))
def test_identifiers_are_byte_identical_from_message_to_argument_to_cell_to_argument(kit, value, around, width):
    chain = Chain(kit)
    said = {"half": value, "full": value.translate(WIDE), "lower": value.lower()}[width]
    assert chain.find(around.format(said), value).outcome == "success"
    assert chain.talk.calls("use").outcome == "success"
    assert [call.arguments for call in chain.talk.sent] == [{"no": value}, {"key": value}]


@settings(max_examples=100, deadline=None)
@given(value=st.uuids().map(str), upper=st.booleans())
def test_uuids_pass_as_they_are_written(kit, value, upper):
    pattern = r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b"
    plan = kit.plan(
        {"t": kit.tool({"x": kit.argument("slots.id", format="uuid")})},
        slots={"id": {"at": kit.AT, "kind": "patterns", "patterns": (pattern,), "exact_case": True}},
    )
    talk = kit.Talk(plan)
    said = value.upper() if upper else value
    talk.hears(f"查{said}单")
    assert talk.calls("t").outcome == "success"
    assert talk.sent[0].arguments == {"x": said}
