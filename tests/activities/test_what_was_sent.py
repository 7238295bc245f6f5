"""Failures say whether anything may have been changed: only what surely never left, in any attempt, was not sent."""

import asyncio
import dataclasses

import pytest
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from interlock_activities import ToolError


@pytest.fixture
def ended(call):
    """What is told of a failed call, and the heartbeats that it left."""

    def run(request, *, attempt=1, before=(), **settings):
        environment, beats = ActivityEnvironment(), []
        environment.info = dataclasses.replace(environment.info, attempt=attempt, heartbeat_details=before)
        environment.on_heartbeat = lambda *details: beats.append(details)
        with pytest.raises(ApplicationError) as caught:
            call(request, environment=environment, **settings)
        return caught.value.details[0], beats

    return run


@pytest.fixture
def sent(ended):
    """Whether a failed call says that it was sent, and the heartbeats that it left."""

    def run(request, **more):
        details, beats = ended(request, **more)
        return details["sent"], beats

    return run


@pytest.fixture
def tries(ended):
    """The attempts that a failed call tells of."""
    return lambda request, **more: ended(request, **more)[0]["attempts"]


@pytest.fixture
def python(request_to):
    def build(**more):
        return request_to(transport="python", python="look", **more)

    return build


def raising(error):
    def look():
        raise error

    return {"look": look}


def test_no_connection_no_name_and_a_refused_address_are_nothing_sent(request_to, sent):
    assert sent(request_to(http="http://127.0.0.1:1"))[0] is False
    assert sent(request_to(http="http://no-such-host.invalid"))[0] is False
    assert sent(request_to(http="http://169.254.169.254"))[0] is False


def test_what_cannot_be_put_together_is_nothing_sent(request_to, sent, python):
    assert sent(request_to(http="{{ env.MISSING }}"))[0] is False
    assert sent(request_to(path="/items/{x}"))[0] is False
    assert sent(request_to(arguments=[("x", "header", "zwei\nZeilen")]))[0] is False
    assert sent(python())[0] is False, "no such function"
    assert sent(python(arguments=[("x", "argument", 1)]), functions={"look": lambda: 1})[0] is False


def test_a_broken_or_missing_answer_may_have_been_an_effect(request_to, sent, serve):
    assert sent(request_to(serve(b"nonsense")))[0] is True
    assert sent(request_to(serve(status=500)))[0] is True

    async def silent(_request, _writer):
        await asyncio.sleep(5)

    assert sent(request_to(serve(handler=silent), timeout_ms=200))[0] is True


def test_a_function_that_fails_may_have_done_something(python, sent):
    assert sent(python(), functions=raising(RuntimeError("x")))[0] is True
    assert sent(python(), functions=raising(ToolError("x")))[0] is True


@pytest.mark.parametrize(
    ("target", "says"),
    [
        ("http://127.0.0.1:1/", "no connection"),
        ("http://169.254.169.254/", "not allowed"),
        ("http://no-such-host.invalid/", "cannot be resolved"),
    ],
)
def test_where_a_redirect_leads_nowhere_it_was_sent_all_the_same(request_to, call, serve, target, says):
    wire = serve(status=302, location=target)
    host = target.removeprefix("http://").rstrip("/")
    with pytest.raises(ApplicationError, match=says) as caught:
        call(request_to(wire, server={"redirects": [host]}))
    assert caught.value.details[0]["sent"] is True


def test_the_last_attempt_counts_only_if_none_before_it_was_sent(request_to, sent):
    nowhere = request_to(http="http://127.0.0.1:1")
    assert sent(nowhere, attempt=1) == (False, [("no effect 1",)])
    assert sent(nowhere, attempt=2, before=["no effect 1"]) == (False, [("no effect 2",)])
    assert sent(nowhere, attempt=2) == (True, []), "nothing is known of the first"
    assert sent(nowhere, attempt=3, before=["no effect 1"]) == (True, []), "nothing is known of the second"


def test_an_attempt_that_was_sent_leaves_no_such_word(request_to, sent, serve):
    assert sent(request_to(serve(status=500)), attempt=2, before=["no effect 1"]) == (True, [])


@pytest.mark.parametrize("status", [409, 425, 429])
def test_a_refusal_has_changed_nothing(request_to, sent, serve, status):
    assert sent(request_to(serve(status=status))) == (False, [("no effect 1",)])
    assert sent(request_to(serve(status=status)), attempt=2) == (True, []), "nothing is known of the first"
    assert sent(request_to(serve(status=status), again=True)) == (True, []), "nor of the call before it"


@pytest.mark.parametrize("status", [301, 408, 500, 502, 503, 504])
def test_a_status_that_proves_nothing_may_have_been_an_effect(request_to, sent, serve, status):
    assert sent(request_to(serve(status=status))) == (True, [])


@pytest.mark.parametrize(("outcome", "may_have_acted"), [("error", False), ("timeout", True)])
def test_what_the_author_calls_an_answer_counts_before_its_status(request_to, sent, serve, outcome, may_have_acted):
    declared = [{"at": "-", "when": "status in [200, 409, 503]", "outcome": outcome}]
    for status in (200, 409, 503):
        assert sent(request_to(serve(body=b"{}", status=status), outcomes=declared))[0] is may_have_acted


def test_an_answer_says_whether_the_request_may_have_acted_before(request_to, call, serve):
    def earlier(attempt, before=(), **more):
        environment = ActivityEnvironment()
        environment.info = dataclasses.replace(environment.info, attempt=attempt, heartbeat_details=before)
        return call(request_to(serve(body=b"{}", status=400), **more), environment=environment).earlier

    assert earlier(1) is False
    assert earlier(1, again=True) is True
    assert earlier(2) is True
    assert earlier(2, ["no effect 1"]) is False


def test_what_was_refused_here_was_not_tried(request_to, tries, python):
    dots = request_to(path="/items/{x}", arguments=[("x", "path", "..")])
    assert tries(dots) == 0
    assert tries(request_to(http="{{ env.MISSING }}")) == 0
    assert tries(request_to(http="http://169.254.169.254")) == 0
    assert tries(python()) == 0, "no such function"
    assert tries(request_to(transport="pigeon")) == 0


def test_what_found_nobody_or_was_refused_there_was_tried(request_to, tries, serve, python):
    assert tries(request_to(http="http://127.0.0.1:1")) == 1
    assert tries(request_to(serve(status=500))) == 1
    assert tries(python(), functions=raising(ToolError("x"))) == 1
    wire = serve(status=302, location="http://169.254.169.254/")
    assert tries(request_to(wire, server={"redirects": ["169.254.169.254"]})) == 1


def test_what_was_tried_before_it_was_refused_was_tried(request_to, ended):
    dots = request_to(path="/items/{x}", arguments=[("x", "path", "..")])

    def told(attempt, *before):
        details, beats = ended(dots, attempt=attempt, before=before)
        return details["attempts"], details["sent"], beats

    assert told(1) == (0, False, [("untried 1",)])
    assert told(2, "untried 1") == (0, False, [("untried 2",)])
    assert told(2, "no effect 1") == (2, False, [("no effect 2",)])
    assert told(2) == (2, True, [])
