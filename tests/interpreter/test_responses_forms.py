"""Responses: raw JSON, a subset of it, or a text; fenced or not; and what is said when that cannot be made."""

import json

import pytest

from interlock.interpreter import responses
from interlock.plan.base import Field
from interlock.plan.rules import Check
from interlock.plan.tools import Mount, Outcome, Response

PAYLOAD = {
    "code": "OK",
    "response": {
        "no": "007",
        "status": "在途",
        "location": {"city": "深圳", "zip": "1"},
        "rows": [{"v": 1, "w": 2}, {"v": 3}],
        "extra": 1,
    },
}
OUTPUT = {
    "no": Field(type="string"),
    "status": Field(type="string"),
    "eta": Field(type="date", optional=True),
    "location": Field(type="object", fields={"city": Field(type="string"), "zip": Field(type="string")}),
    "rows": Field(type="list"),
}


def response(kit, kind, **rest):
    return Response(at=kit.AT, kind=kind, **rest)


@pytest.fixture
def talk(kit):
    tool = kit.tool(
        {"no": kit.argument("slots.no")}, unwrap="response", output=OUTPUT, server="tracker",
        outcomes=(Outcome(at=kit.AT, when="payload.code != 'OK'", outcome="error"),),
    )  # fmt: skip
    text = {
        "en": "{{ result.no }}: {{ result.status }}, {{ result.eta | default('unknown') }}",
        "zh": "运单 {{ result.no }}：{{ result.status }}",
    }
    broken = {"*": "{{ result.eta }}"}
    plan = kit.plan(
        {"track": tool},
        languages=("zh", "en"),
        mounts=(Mount(at=kit.AT, call="track", respond="brief"),),
        responses={
            "raw": response(kit, "raw"),
            "raw_fenced": response(kit, "raw", fenced=True),
            "brief": response(kit, "fields", fields=("status", "eta", "location.city", "rows.1.v", "no"), fenced=True),
            "nothing": response(kit, "fields", fields=("eta", "location.street"), fenced=True),
            "words": response(kit, "text", text=text, fenced=True),
            "broken": response(kit, "text", text=broken, fenced=True),
        },
        servers={"tracker": {"at": kit.AT, "http": "http://127.0.0.1"}},
    )
    return kit.Talk(plan)


def rendered(talk, kit, name, payload=PAYLOAD, *, text="track 555E898665", world=None):
    turn = talk.hears(text)
    call = talk.calls("track", world or kit.returns(payload))
    return responses.render(turn, name, call)


def test_raw_is_the_business_part_with_all_the_service_said(talk, kit):
    made = rendered(talk, kit, "raw")
    assert json.loads(made.text) == PAYLOAD["response"]
    assert "在途" in made.text
    assert (made.output_mode, made.data, made.fallback_used) == ("raw_json", PAYLOAD["response"], False)
    assert rendered(talk, kit, None).text == made.text


def test_fields_keep_what_is_there_nested_and_in_the_order_declared(talk, kit):
    made = rendered(talk, kit, "brief")
    wanted = {"status": "在途", "location": {"city": "深圳"}, "rows": [{"v": 3}], "no": "007"}
    assert made.text == f"```json\n{json.dumps(wanted, ensure_ascii=False)}\n```"
    assert (made.output_mode, made.data, list(made.data)) == (
        "json_subset",
        wanted,
        ["status", "location", "rows", "no"],
    )


def test_a_text_is_in_the_language_of_the_reader_and_never_fenced(talk, kit):
    assert rendered(talk, kit, "words").text == "007: 在途, unknown"
    made = rendered(talk, kit, "words", text="查一下 555E898665")
    assert (made.text, made.output_mode, made.data) == ("运单 007：在途", "text", None)


@pytest.mark.parametrize(("name", "code"), [("nothing", "no-field-there"), ("broken", "text-incomplete")])
def test_what_cannot_be_rendered_is_said_raw_fenced_as_declared_and_recorded(talk, kit, name, code):
    made = rendered(talk, kit, name)
    assert made.text == f"```json\n{json.dumps(PAYLOAD['response'], ensure_ascii=False)}\n```"
    assert (made.output_mode, made.fallback_used) == ("raw_json", True)
    [problem] = talk.turn.problems
    assert (problem["at"], problem["code"]) == (kit.AT, code)
    said = {"nothing": "none of eta, location.street is in the result", "broken": "result.eta: missing"}
    assert problem["message"] == said[name]


def test_a_failed_call_with_a_payload_is_rendered_by_the_same_rule(talk, kit):
    failed = {"code": "E1", "response": {"status": "unknown", "no": "x"}}
    made = rendered(talk, kit, "brief", failed)
    assert (made.data, made.output_mode) == ({"status": "unknown", "no": "x"}, "json_subset")
    late = rendered(talk, kit, "raw", world=kit.fails("timeout", payload={"code": "LATE"}))
    assert late.data == {"code": "LATE"}


@pytest.mark.parametrize(
    ("name", "fenced"), [("brief", True), ("raw_fenced", True), ("raw", False), ("words", True), (None, False)]
)
def test_a_failed_call_without_a_payload_gives_the_least_error_object(talk, kit, name, fenced):
    made = rendered(talk, kit, name, world=kit.fails("error", "upstream failed"))
    assert made.data == {
        "server_name": "tracker",
        "tool_name": "track",
        "status": "error",
        "error_message": "upstream failed",
    }
    assert made.text.startswith("```json\n{") is fenced
    assert (made.output_mode, made.fallback_used) == ("raw_json", False)


def test_a_result_of_null_is_a_result(kit):
    talk = kit.Talk(kit.plan({"t": kit.tool()}))
    turn = talk.hears("hi")
    assert responses.render(turn, None, talk.calls("t", kit.returns(None))).text == "null"


def test_a_back_tick_fence_in_the_result_cannot_close_the_fence(talk, kit):
    payload = {"code": "OK", "response": {**PAYLOAD["response"], "status": "x\n```\n# not ours"}}
    made = rendered(talk, kit, "brief", payload)
    assert [line for line in made.text.split("\n") if line.startswith("```")] == ["```json", "```"]


def test_exactly_one_real_call_is_answered_by_its_mount(talk, kit):
    turn = talk.hears("track 555E898665")
    assert responses.direct(turn) is None
    talk.calls("track", kit.returns(PAYLOAD))
    assert responses.direct(turn).output_mode == "json_subset"
    turn.skipped_tools.add("track")
    talk.calls("track")
    assert responses.direct(turn).output_mode == "json_subset"
    turn.skipped_tools.clear()
    talk.calls("track", kit.returns(PAYLOAD))
    assert responses.direct(turn) is None


def test_a_mount_without_response_answers_nothing_by_itself(kit):
    talk = kit.Talk(kit.plan({"t": kit.tool()}))
    turn = talk.hears("hi")
    talk.calls("t")
    assert responses.direct(turn) is None


@pytest.mark.parametrize(
    ("paths", "found"),
    [
        (["a"], (True, {"a": {"b": 1, "c": [1, 2]}})),
        (["a.b", "a"], (True, {"a": {"b": 1, "c": [1, 2]}})),
        (["a.c.1", "a.c.0"], (True, {"a": {"c": [1, 2]}})),
        (["x.y", "n"], (True, {"n": None})),
        (["a.x", "x"], (False, {})),
        (["a.c.9"], (False, {})),
    ],
)
def test_fields_are_paths_and_never_computed(paths, found):
    assert responses.chosen_fields({"a": {"b": 1, "c": [1, 2]}, "n": None}, paths) == found


COLOURS = {"colours": {"at": "agent.yaml:2:1", "terms": [{"code": "RED", "title": {"*": "Red"}, "aliases": ["red"]}]}}
COLOUR = {"at": "agent.yaml:3:1", "kind": "vocabulary", "vocabulary": "colours", "title": {"*": "colour"}}


@pytest.fixture
def shade(kit):
    """Calls a tool with one argument after the message `red`; its text, or what its checks say."""

    def shade(argument, mount=None, step=None, outcome=None, **checks):
        text = Response(at=kit.AT, kind="text", text={"*": "{{ args.x | show }}"})
        bind = {"x": step} if step else {}
        steps = [{"at": "agent.yaml:9:1", "id": "s", "action": "call", "tool": "t", "bind": bind}]
        tools = {"t": kit.tool({"x": argument}, outcomes=(outcome,) if outcome else (), **checks)}
        plan = kit.plan(
            tools, slots={"colour": COLOUR}, vocabularies=COLOURS, responses={"r": text}, flows={"f": steps},
            mounts=(Mount(at=kit.AT, call="t", bind={"x": mount} if mount else {}),),
        )  # fmt: skip
        one = kit.Talk(plan)
        one.hears("red")
        result = one.calls("t", bind=bind)
        result.at = "agent.yaml:9:1"
        return result.message or responses.render(one.turn, "r", result).text

    return shade


def test_an_argument_that_is_made_from_a_slot_is_shown_by_its_title(kit, shade):
    assert shade(kit.argument("slots.colour")) == "Red"
    assert shade(kit.argument("value", value="{{ slots.colour }}")) == "Red"
    assert shade(kit.argument("caller"), mount="{{ slots.colour }}") == "Red"
    assert shade(kit.argument("caller"), step="{{ slots.colour }}") == "Red"


def test_an_argument_that_no_slot_gives_is_shown_as_it_is(kit, shade):
    assert shade(kit.argument("caller"), step="RED") == "RED"
    assert shade(kit.argument("message.text")) == "red"


def test_what_the_person_is_told_of_a_call_shows_its_arguments_by_their_titles(kit, shade):
    said = {"*": "Not {{ args.x | show }}."}
    refused = Check(at=kit.AT, that="args.x == 'BLUE'", otherwise=said)
    assert shade(kit.argument("slots.colour"), requires=(refused,)) == "Not Red."
    assert shade(kit.argument("slots.colour"), ensures=(refused,)) == "Not Red."
    meant = Outcome(at=kit.AT, when="args.x is defined or true", outcome="error", message=said)
    assert shade(kit.argument("slots.colour"), outcome=meant) == "Not Red."
