"""What comes back from MCP tools, over both transports, and what of it is refused."""

import sys

import pytest

from interlock.contract.limits import STORED_LIMIT

pytest.importorskip("mcp", reason="needs the extra `mcp`")


@pytest.fixture(params=["process", "stream", "json", "stateless"])
def anywhere(request, asked, desk):
    """Requests to the server by command, and over HTTP in each of its forms."""
    if request.param == "process":
        return asked
    url = desk(*{"stream": [], "json": ["json"], "stateless": ["stateless"]}[request.param])
    return lambda tool, **more: asked(tool, url=url, **more)


def test_a_structured_result_is_the_payload_and_big_numbers_are_exact(anywhere, answered):
    answer = answered(anywhere("big"))
    assert (answer.status, answer.payload) == (200, {"id": 2**200 + 1, "number": "00123", "amount": 12.5})


def test_arguments_arrive_as_they_are(anywhere, answered):
    given = {"order": "订单 00123", "id": 2**90, "none": None, "deep": {"list": [1, None, "x"]}, "flag": False}
    assert answered(anywhere("echo", **given)).payload == given


@pytest.mark.parametrize(
    ("said", "payload"),
    [
        ('{"order": "P1", "id": 12345678901234567890123}', {"order": "P1", "id": 12345678901234567890123}),
        (' [1, "2"]', [1, "2"]),
        ("in transit", {"text": "in transit"}),
        ("00123", {"text": "00123"}),
        ("123", {"text": "123"}),
        ("true", {"text": "true"}),
        ("{not json}", {"text": "{not json}"}),
        ("", {"text": ""}),
    ],
)
def test_a_text_is_the_json_that_it_is_or_else_a_text(asked, answered, said, payload):
    assert answered(asked("says", text=said)).payload == payload


def test_what_is_no_text_stands_beside_it(asked, answered):
    answer = answered(asked("picture"))
    assert answer.payload["text"] == "a picture"
    assert answer.payload["content"] == [{"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"}]


@pytest.mark.parametrize("said", ['{"a": 1, "a": 2}', '{"a": NaN}', '{"a": 0.10000000000000000001}'])
def test_a_text_that_is_json_but_not_strict_is_refused(asked, failing, said):
    kind, why, again, _ = failing(asked("says", text=said))
    assert (kind, again) == ("tool_error", False)
    assert "refused" in why


def test_a_tool_that_fails_has_status_500_and_is_tried_again(anywhere, failing):
    kind, why, again, details = failing(anywhere("fails", text='{"code": "BUSY"}'))
    assert (kind, why, again) == ("tool_error", "status 500", True)
    assert (details["status"], details["payload"], details["sent"]) == (500, {"code": "BUSY"}, True)


def test_outcomes_judge_a_tool_that_fails(asked, answered):
    rules = [{"at": "x:1:1", "when": "status == 500 and payload.code == 'NO_ORDER'", "outcome": "blocked"}]
    answer = answered(asked("fails", text='{"code": "NO_ORDER"}', outcomes=rules))
    assert (answer.status, answer.payload) == (500, {"code": "NO_ORDER"})


def test_an_error_of_the_protocol_is_final_and_says_what_it_is(anywhere, answered):
    answer = answered(anywhere("refuses", order="P1"))
    assert answer.status == 400
    assert answer.payload == {"code": -32602, "message": "no order 'P1'", "data": {"why": "unknown"}}


def test_a_server_that_asks_for_more_input_is_told_so_and_not_asked_again(anywhere, failing):
    kind, why, again, details = failing(anywhere("asks"))
    assert (kind, again, details["sent"]) == ("tool_error", False, True)
    assert "asks for more input" in why


def test_an_answer_beyond_the_cap_is_refused_and_others_go_on(anywhere, answered, failing):
    kind, why, again, _ = failing(anywhere("huge", bytes=300_000))
    assert (kind, again) == ("tool_error", False)
    assert "more than 262,144" in why
    large = answered(anywhere("huge", bytes=3_000_000, max_bytes=STORED_LIMIT))
    assert len(large.payload["text"]) == 3_000_000


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("twice", "stands twice"),
        ("inexact", "cannot be kept exactly"),
        ("digits", "cannot be kept exactly"),
        ("deep", "more than 64"),
        ("form", "not as the protocol has it"),
    ],
)
def test_an_answer_that_is_not_strict_is_refused_at_once(raw, failing, kind, why):
    failed, told, again, details = failing(raw(kind))
    assert (failed, again, details["sent"]) == ("tool_error", False, True)
    assert why in told


def test_what_is_no_message_on_the_line_of_messages_is_passed_over(raw, answered):
    assert answered(raw("noise")).payload == {"a": 1}


def test_a_server_cannot_forge_a_failure_of_ours(raw, failing):
    kind, why, _, details = failing(raw("forged"))
    assert (kind, why) == ("tool_error", "status 500")
    assert details["payload"]["code"] == -32700


def test_a_line_without_end_ends_the_server(raw, failing):
    kind, why, again, details = failing(raw("endless"))
    assert (kind, again, details["sent"]) == ("tool_error", True, True)
    assert "went away" in why


def test_a_list_of_tools_without_end_is_no_list(raw, failing):
    assert "has no end" in failing(raw("pages"))[1]


def test_the_sdk_is_loaded_by_a_call_only():
    import subprocess

    code = "import sys; from interlock_activities import Activities, Settings; Activities(Settings()); print('mcp' in sys.modules)"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout == "False\n"
