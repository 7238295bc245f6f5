import asyncio
import threading
import time

import pytest
from temporalio import activity
from temporalio.exceptions import ApplicationError

from interlock.contract.calls import details_of
from interlock_activities import ToolError


@pytest.fixture
def python(request_to, call):
    """Calls a function as a Python tool with the given arguments."""

    def run(function, *, timeout_ms=3_000, max_bytes=10_000, outcomes=(), **arguments):
        request = request_to(
            transport="python",
            server=None,
            python="desk.lookup",
            arguments=[(name, "argument", value) for name, value in arguments.items()],
            timeout_ms=timeout_ms,
            max_bytes=max_bytes,
            outcomes=list(outcomes),
        )
        functions = {} if function is None else {"desk.lookup": function}
        return call(request, functions=functions)

    return run


def failing(python, function, **more):
    with pytest.raises(ApplicationError) as failure:
        python(function, **more)
    return failure.value


def test_a_plain_function_gets_its_arguments_by_name_and_runs_beside_the_loop(python):
    def look_up(number, rows):
        return {"number": number, "rows": rows, "main": threading.current_thread() is threading.main_thread()}

    answer = python(look_up, number=2**64, rows=[{"a": None}])
    assert answer.status == 200
    assert answer.payload == {"number": 2**64, "rows": [{"a": None}], "main": False}


def test_a_hanging_function_would_not_keep_a_worker_from_its_end(python):
    assert python(lambda: threading.current_thread().daemon).payload is True


def test_an_async_function_is_awaited(python):
    async def look_up(number):
        await asyncio.sleep(0)
        return [number]

    assert python(look_up, number="0012").payload == ["0012"]


def test_an_async_callable_object_is_awaited(python):
    class LookUp:
        async def __call__(self, number):
            return number

    assert python(LookUp(), number=1).payload == 1


def test_a_plain_function_sees_the_activity_it_runs_in(python):
    assert python(lambda: activity.info().activity_type).payload == "unknown"


def test_a_tool_error_says_what_it_wants_said(python):
    def busy():
        raise ToolError("the desk is busy", {"code": 7})

    failure = failing(python, busy)
    assert (failure.type, failure.non_retryable) == ("tool_error", False)
    assert failure.message == "tool 'lookup': the desk is busy"
    assert details_of(failure.details, "error").payload == {"code": 7}


def test_a_tool_error_may_be_final(python):
    def closed():
        raise ToolError("the desk is closed", retryable=False)

    assert failing(python, closed).non_retryable


def test_a_tool_error_is_held_to_the_caps(python):
    def wordy():
        raise ToolError("x" * 20_000, object())

    failure = failing(python, wordy)
    assert failure.message == "tool 'lookup': the failure it raised is refused: 1: a value of type 'object' is not JSON"


@pytest.mark.parametrize("error", [KeyError("planted-secret"), TimeoutError("planted-secret"), SystemExit(3)])
def test_any_other_exception_is_an_error_by_its_class_alone(python, capsys, error):
    def broken():
        raise error

    async def broken_too():
        raise error

    for function in (broken, broken_too):
        failure = failing(python, function)
        assert (failure.type, failure.non_retryable) == ("tool_error", False)
        assert failure.message == f"tool 'lookup': it raised {type(error).__name__}"
        logged = capsys.readouterr().out
        assert "test_python_tools.py" in logged
        assert "planted-secret" not in logged


@pytest.mark.parametrize(
    ("result", "says"),
    [
        (object(), "a value of type 'object' is not JSON"),
        ({"rows": [(1, 2)]}, "rows.0: a value of type 'tuple' is not JSON"),
        ({"rate": float("inf")}, "rate: inf is not JSON"),
        ({1: 2}, "key of type 'int' is not a string"),
        ("\ud800", "character 1 is half of a pair"),
        ("x" * 20_000, "20,002 bytes as JSON, more than 10,000"),
    ],
)
def test_what_is_no_json_or_too_large_is_refused(python, result, says):
    failure = failing(python, lambda: result)
    assert failure.message == f"tool 'lookup': what it returned is refused: {says}"
    assert failure.non_retryable


def test_a_function_that_hangs_ends_at_the_deadline(python):
    release = threading.Event()

    async def hang_too():
        await asyncio.sleep(60)

    for function in (lambda: release.wait(60), hang_too):
        started = time.monotonic()
        failure = failing(python, function, timeout_ms=100)
        assert time.monotonic() - started < 2
        assert (failure.type, failure.non_retryable) == ("tool_timeout", False)
    release.set()


def test_hanging_functions_do_not_hold_up_other_calls(python):
    release = threading.Event()
    for _ in range(50):
        failing(python, lambda: release.wait(60), timeout_ms=1)
    assert python(lambda: "there").payload == "there"
    release.set()


@pytest.mark.parametrize("function", [lambda: 1, lambda number, more: 1, lambda no: 1])
def test_arguments_that_a_function_does_not_take_are_a_mistake_of_the_spec(python, function):
    failure = failing(python, function, number="1")
    assert (failure.type, failure.non_retryable) == ("tool_misconfigured", True)
    assert "function 'desk.lookup' does not take these arguments" in failure.message


def test_declared_outcomes_hold_for_python_too(python):
    outcomes = [{"at": "x:1:1", "when": "payload.code == 7", "outcome": "error"}]
    failure = failing(python, lambda: {"code": 7}, outcomes=outcomes)
    assert (failure.type, failure.non_retryable) == ("tool_error", False)
    assert python(lambda: {"code": 8}, outcomes=outcomes).payload == {"code": 8}


def test_functions_are_found_by_entry_point(python, installed):
    installed("desk-tools", "def look_up(number):\n    return number * 2\n", "desk.lookup = desk_tools:look_up")
    assert python(None, number=21).payload == 42


def test_an_entry_point_that_nobody_declares_is_named(python):
    failure = failing(python, None)
    assert failure.message == "tool 'lookup': no installed package declares 'desk.lookup' under 'interlock.tools'"
    assert failure.non_retryable


@pytest.mark.parametrize(
    ("module", "says"),
    [
        ("1 / 0", "entry point 'desk.lookup' cannot be loaded: ZeroDivisionError"),
        ("other = 1", "entry point 'desk.lookup' cannot be loaded: AttributeError"),
        ("look_up = 1", "entry point 'desk.lookup' is not callable"),
    ],
)
def test_an_entry_point_that_is_broken_is_named(python, installed, module, says):
    installed("broken-tools", module, "desk.lookup = broken_tools:look_up")
    failure = failing(python, None)
    assert failure.message == f"tool 'lookup': {says}"
    assert failure.non_retryable


def test_two_packages_of_one_entry_point_are_refused(python, installed):
    installed("one-tools", "def look_up(): ...", "desk.lookup = one_tools:look_up")
    installed("two-tools", "def look_up(): ...", "desk.lookup = two_tools:look_up")
    assert "several packages declare 'desk.lookup'" in failing(python, None).message
