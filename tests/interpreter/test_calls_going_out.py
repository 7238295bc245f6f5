"""A call from end to end: what goes out, what it counts, what it leaves, and what stops it."""

import json

import pytest

from interlock.interpreter import cells
from interlock.interpreter.cells import is_live
from interlock.interpreter.events import ToolReturned
from interlock.interpreter.turn import side_by_side
from interlock.plan.base import Field
from interlock.plan.tools import Outcome, Produces


@pytest.fixture
def track(kit):
    return kit.tool(
        {
            "no": kit.argument("slots.no"),
            "query": kit.argument("message.text"),
            "round": kit.argument("turn.round", "integer"),
        },
        unwrap="response",
        output={"status": Field(type="string")},
        produces={"status": Produces(at="status")},
    )


def test_a_call_goes_out_with_its_arguments_and_leaves_a_receipt_and_its_cells(kit, track):
    talk = kit.Talk(kit.plan({"track": track}))
    talk.hears("555E898665 帮查一下")
    result = talk.calls("track", kit.returns({"response": {"status": "open", "extra": 1}}))
    assert talk.sent[0].arguments == {"no": "555E898665", "query": "555E898665 帮查一下", "round": 1}
    assert (talk.sent[0].call_id, talk.sent[0].step, talk.sent[0].at) == ("run/1", "f/s", kit.AT)
    assert (result.outcome, result.went_out, result.result, result.receipt_id) == (
        "success",
        True,
        {"status": "open"},
        "run/1",
    )
    assert talk.state.receipts == [
        {
            "id": "run/1", "tool": "track", "step": "f/s", "turn": 1, "arguments": talk.sent[0].arguments,
            "outcome": "success", "status": 200, "at_ms": 1_000,
        }
    ]  # fmt: skip
    assert talk.state.cells["track"]["status"]["value"] == "open"
    assert talk.state.cells["track"]["status"]["made_from"] == {
        "message.text": "555E898665 帮查一下",
        "slots.no": "555E898665",
    }
    assert talk.turn.context["cells"]["track"]["status"] == "open"
    assert talk.turn.calls == [result]


def test_the_record_of_a_call_says_where_each_argument_came_from(kit, track):
    talk = kit.Talk(kit.plan({"track": track}))
    talk.hears("请查 ５５５Ｅ898665")
    audit = talk.calls("track", kit.returns({"response": {"status": "open"}})).audit
    assert audit["sources"]["no"] == {
        "raw": "５５５Ｅ898665", "start": 3, "end": 13, "source": "slots.no", "from": "message", "turn": 1,
    }  # fmt: skip
    assert audit["arguments"]["no"] == "555E898665"
    assert audit["receipt"] == "run/1"
    assert audit["attempts"] == 1
    assert audit["filled"] == {"track.status": "open"}


@pytest.mark.parametrize(
    ("world", "outcome", "error"),
    [
        (
            ("returns", {"response": {"status": 1}}),
            "error",
            "the answer is not as `output` says: status: not a string: 1",
        ),
        (("returns", {}), "error", "the answer has nothing at `unwrap`: response"),
        (("returns", {}, 503), "error", "status 503"),
        (("returns", {}, 504), "timeout", "status 504"),
        (("fails", "timeout", "no answer in 10s"), "timeout", "no answer in 10s"),
        (("fails", "error"), "error", "error"),
    ],
)
def test_a_failed_call_fills_no_cell_and_keeps_the_old_one(kit, track, world, outcome, error):
    talk = kit.Talk(kit.plan({"track": track}))
    talk.hears("555E898665")
    talk.calls("track", kit.returns({"response": {"status": "open"}}))
    result = talk.calls("track", getattr(kit, world[0])(*world[1:]))
    assert (result.outcome, result.went_out, result.result, result.audit["error"]) == (outcome, True, None, error)
    assert talk.state.cells["track"]["status"]["receipt"] == "run/1"
    assert talk.state.receipts[-1]["outcome"] == outcome
    assert talk.turn.context["turn"]["tool_errors"] == 1


def test_a_refused_call_leaves_cells_as_they_are_and_no_receipt(kit, track):
    look = kit.tool(invalidates=("track",))
    talk = kit.Talk(kit.plan({"track": track, "look": look}))
    talk.hears("555E898665")
    talk.calls("track", kit.returns({"response": {"status": "open"}}))
    result = talk.calls("look", lambda call: ToolReturned(call.call_id, "error", 1_000, sent=False, attempts=0))
    assert (result.outcome, result.went_out, result.receipt_id) == ("error", False, None)
    assert [one["tool"] for one in talk.state.receipts] == ["track"]
    assert talk.state.cells["track"]["status"]["value"] == "open"
    assert talk.turn.real_calls == talk.turn.calls[:1]


def test_a_service_that_lacks_an_argument_blocks_and_names_the_slot(kit):
    lacks = Outcome(
        at=kit.AT, when="payload.code == 'LACKS'", outcome="blocked", missing="no", message={"en": "Not {{ args.no }}"}
    )
    talk = kit.Talk(kit.plan({"t": kit.tool({"no": kit.argument("slots.no")}, outcomes=(lacks,))}))
    talk.hears("555E898665")
    result = talk.calls("t", kit.returns({"code": "LACKS"}))
    assert (result.outcome, result.missing, result.message, result.went_out) == (
        "blocked",
        ("no",),
        "Not 555E898665",
        True,
    )


def test_a_declared_outcome_gives_the_words_for_a_call_whose_last_attempt_failed_with_an_answer(kit):
    unknown = Outcome(
        at=kit.AT, when="payload.code == 'UNKNOWN'", outcome="error", message={"en": "No such number: {{ args.no }}"}
    )
    talk = kit.Talk(kit.plan({"t": kit.tool({"no": kit.argument("slots.no")}, outcomes=(unknown,))}))
    talk.hears("555E898665")
    result = talk.calls("t", kit.fails("error", "given up", {"code": "UNKNOWN"}, 200))
    assert (result.outcome, result.message) == ("error", "No such number: 555E898665")
    assert talk.calls("t", kit.fails("timeout", "too late", {"code": "UNKNOWN"}, 200)).message == ""


def test_a_cell_that_is_too_large_is_refused_and_says_so(kit):
    talk = kit.Talk(kit.plan({"t": kit.tool(produces={"all": Produces(at="")})}))
    talk.hears("hi")
    result = talk.calls("t", kit.returns({"x": "字" * 10_000}))
    assert result.outcome == "error"
    assert result.audit["error"] == "the cell 'all' would take 30009 bytes, more than 16384"
    assert talk.state.cells == {}


def test_a_receipt_keeps_no_more_than_the_digest_of_long_arguments(kit):
    talk = kit.Talk(kit.plan({"t": kit.tool({"q": kit.argument("message.text")})}))
    talk.hears("长" * 10_000)
    assert talk.calls("t").outcome == "success"
    assert set(talk.state.receipts[0]["arguments"]) == {"sha256", "bytes"}
    assert len(json.dumps(talk.state.as_json())) < 5_000


def test_only_the_last_hundred_receipts_are_kept_and_numbers_go_on(kit):
    talk = kit.Talk(kit.plan({"t": kit.tool()}))
    talk.hears("hi")
    for _ in range(103):
        talk.calls("t")
    assert [talk.state.receipts[0]["id"], talk.state.receipts[-1]["id"]] == ["run/4", "run/103"]
    assert len(talk.state.receipts) == 100


def test_a_call_that_does_not_go_out_counts_for_nothing(kit, track):
    talk = kit.Talk(kit.plan({"track": track}))
    talk.hears("hello")
    result = talk.calls("track")
    assert (result.outcome, result.went_out, result.missing) == ("missing", False, ("no",))
    assert (talk.sent, talk.state.calls, talk.state.receipts, talk.turn.real_calls) == ([], 0, [], [])
    assert talk.turn.calls == [result]
    assert result.audit["blocks"] == [
        {"why": "missing", "argument": "no", "reason": "nothing fills the slot 'no'", "slot": "no"}
    ]


def test_a_tool_that_is_not_mounted_is_never_called(kit, track):
    talk = kit.Talk(kit.plan({"track": track}, mounts=()))
    talk.hears("555E898665")
    result = talk.calls("track")
    assert (result.outcome, result.audit["error"], talk.sent) == ("blocked", "'track' is not mounted", [])


def test_a_tool_that_a_gate_has_skipped_is_not_called(kit, track):
    talk = kit.Talk(kit.plan({"track": track}))
    talk.hears("555E898665").skipped_tools.add("track")
    assert (talk.calls("track").outcome, talk.sent) == ("skipped", [])


def test_nothing_goes_out_once_a_person_has_taken_over(kit, track):
    talk = kit.Talk(kit.plan({"track": track}))
    talk.hears("555E898665").interrupted = "handed_off"
    assert (talk.calls("track").outcome, talk.sent) == ("skipped", [])


@pytest.mark.parametrize(
    ("world", "left"), [(("returns", {}), []), (("fails", "timeout"), []), (("returns", {}, 422), ["login"])]
)
def test_a_call_takes_away_the_cells_it_invalidates_unless_the_service_refused(kit, world, left):
    tools = {
        "login": kit.tool(produces={"token": Produces(at="token")}),
        "logout": kit.tool(
            invalidates=("login",), outcomes=(Outcome(at=kit.AT, when="status == 422", outcome="blocked"),)
        ),
    }
    talk = kit.Talk(kit.plan(tools))
    talk.hears("hi")
    talk.calls("login", kit.returns({"token": "t"}))
    result = talk.calls("logout", getattr(kit, world[0])(*world[1:]))
    assert [name for name, filled in talk.state.cells.items() if is_live(filled)] == left
    assert result.audit.get("invalidated", []) == ([] if left else ["login"])


def test_sensitive_values_are_masked_in_receipt_and_record_but_sent(kit):
    plan = kit.plan(
        {"t": kit.tool({"pin": kit.argument("user.pin", sensitive=True), "no": kit.argument("slots.no")})},
        slots={"no": {**kit.SLOT, "sensitive": True}},
    )
    talk = kit.Talk(plan, pin="1234")
    talk.hears("555E898665")
    result = talk.calls("t")
    assert talk.sent[0].arguments == {"pin": "1234", "no": "555E898665"}
    assert talk.state.receipts[0]["arguments"] == {"pin": "***", "no": "***"}
    assert "555E" not in json.dumps(result.audit)
    assert "1234" not in json.dumps(result.audit)


def test_calls_side_by_side_have_their_own_receipts_and_values(kit):
    plan = kit.plan({"t": kit.tool({"no": kit.argument("slots.no")})}, slots={"no": {**kit.SLOT, "many": True}})
    talk = kit.Talk(plan)
    turn = talk.hears("555E898665 和 S55ES0000134 还有 0000000001")
    from interlock.interpreter import calls

    parts = [
        calls.call(turn, tool="t", bind={}, step_id="f/s", at=kit.AT, slot_values={"no": one})
        for one in turn.slots["no"].value
    ]
    results = talk.runs(side_by_side(parts), lambda call: kit.returns({"no": call.arguments["no"]})(call))
    assert [result.result["no"] for result in results] == ["555E898665", "S55ES0000134", "0000000001"]
    assert [result.receipt_id for result in results] == ["run/1", "run/2", "run/3"]


@pytest.mark.parametrize(("seen", "stale"), [("7", True), ("6", False)])
def test_a_cell_that_is_filled_anew_while_a_call_is_in_flight_was_not_what_it_was_made_from(kit, seen, stale):
    look = kit.tool({}, output={"id": Field(type="string")}, produces={"id": Produces(at="id")})
    use = kit.tool(
        {"id": kit.argument("cells.look.id")},
        output={"done": Field(type="string")},
        produces={"done": Produces(at="done")},
    )
    talk = kit.Talk(kit.plan({"look": look, "use": use}))
    talk.hears("x")
    talk.calls("look", kit.returns({"id": "6"}))

    def meanwhile(call):
        talk.calls("look", kit.returns({"id": seen}))
        return kit.returns({"done": "yes"})(call)

    talk.calls("use", meanwhile)
    assert [call.arguments for call in talk.sent if call.tool == "use"] == [{"id": "6"}]
    assert talk.state.cells["use"]["done"]["made_from"] == {"cells.look.id": "6"}
    current = cells.current_in(talk.turn.context)
    assert (cells.live(talk.state, "use", current) == {}) is stale
