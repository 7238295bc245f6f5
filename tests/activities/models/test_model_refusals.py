"""What a service answers that is no answer: whether it is asked again, when, and in other words."""

import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from tests.activities.models import services
from tests.activities.models.services import BOTH, STREAMED, answers


@BOTH
@STREAMED
@pytest.mark.parametrize(
    ("status", "kind", "final"),
    [
        (400, "model_error", True),
        (401, "model_error", True),
        (403, "model_error", True),
        (404, "model_error", True),
        (413, "model_error", True),
        (408, "model_timeout", False),
        (409, "model_error", False),
        (425, "model_error", False),
        (429, "model_error", False),
        (500, "model_error", False),
        (503, "model_error", False),
        (504, "model_timeout", False),
        (529, "model_error", False),
    ],
)
def test_a_status_says_whether_to_ask_again(serve, asking, failing, provider, streamed, status, kind, final):
    wire = serve(status=status, body={"error": {"type": "some_error", "message": "planted-words of the service"}})
    failure = failing(asking(wire, provider, streamed=streamed))
    assert (failure.type, failure.non_retryable) == (kind, final)
    assert failure.message == f"model 'writer': status {status} (some_error)"
    assert failure.details[0]["status"] == status
    assert "planted" not in str(failure.details)
    assert len(wire.seen) == 1


def test_a_refusal_names_the_key_that_it_is_about(serve, asking, failing):
    told = {"code": "unsupported_value", "type": "invalid_request_error", "param": "temperature", "message": "planted"}
    assert failing(asking(serve(status=400, body={"error": told}))).message == (
        "model 'writer': status 400 (unsupported_value, temperature)"
    )


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry_after": "7"}, 7),
        ({"retry_after": "86400"}, 60),
        ({"retry_after": "soon"}, None),
        ({"retry_after_ms": "250"}, 0.25),
        ({"retry_after_ms": "250.5", "retry_after": "9"}, 0.251),
        ({"retry_after_ms": "-1", "retry_after": "9"}, 9),
        ({"retry_after_ms": "9" * 40}, 60),
        ({}, None),
    ],
)
def test_a_pause_that_is_asked_for_is_temporals_next(serve, asking, failing, headers, seconds):
    failure = failing(asking(serve(status=429, **headers)))
    assert failure.next_retry_delay == (None if seconds is None else timedelta(seconds=seconds))


def test_a_pause_may_be_a_date(serve, asking, failing):
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    failure = failing(asking(serve(status=529, retry_after=date)))
    assert timedelta(seconds=20) < failure.next_retry_delay <= timedelta(seconds=30)


@pytest.mark.parametrize(
    "body", [{"error": {"code": "upstream", "message": "x"}}, {"type": "error", "error": {"type": "upstream"}}]
)
def test_a_fault_that_comes_as_a_success_is_a_failure(serve, asking, failing, body):
    failure = failing(asking(serve(body=body)))
    assert failure.message == "model 'writer': the service broke off (upstream)"
    assert not failure.non_retryable


@STREAMED
def test_a_service_that_wants_the_key_of_today_is_asked_with_it_and_remembered(serve, asking, generate, streamed):
    told = {
        "error": {
            "message": "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
            "type": "invalid_request_error",
        }
    }
    wire = serve([services.raw(400, told), answers("openai", streamed)])
    request = asking(wire, max_tokens=9, streamed=streamed)
    generate(request, request)
    keys = [set(json.loads(seen.body)) & {"max_tokens", "max_completion_tokens"} for seen in wire.seen]
    assert keys == [{"max_tokens"}, {"max_completion_tokens"}, {"max_completion_tokens"}]


def test_a_service_that_tells_no_usage_is_not_asked_for_it(serve, asking, generate):
    wire = serve([services.raw(422, {"detail": "extra field stream_options"}), answers("openai", True, usage=None)])
    assert generate(asking(wire, streamed=True)).input_tokens is None
    assert [("stream_options" in json.loads(seen.body)) for seen in wire.seen] == [True, False]


def test_a_service_that_refuses_for_ever_is_not_asked_for_ever(serve, asking, failing):
    told = "max_tokens max_completion_tokens stream_options"
    wire = serve(status=400, body={"error": {"message": told}})
    assert failing(asking(wire, max_tokens=9, streamed=True)).non_retryable
    assert len(wire.seen) == 3
