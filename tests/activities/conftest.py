"""Real servers on 127.0.0.1 that record what came over the wire, and a way to run the activities against them."""

import asyncio
import logging
from collections.abc import Callable, Iterator

import pytest
import structlog
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from interlock.contract.calls import ToolRequest
from interlock.contract.limits import INLINE_LIMIT
from interlock.contract.stored import is_reference
from interlock_activities import Activities, Settings
from tests.activities.postgres_server import database
from tests.activities.wire import TLS, Wire, raw, wires

__all__ = ["database"]


@pytest.fixture
def answer_bytes():
    return raw


@pytest.fixture
def ca_file():
    return str(TLS / "cert.pem")


@pytest.fixture
def serve() -> Iterator[Callable[..., Wire]]:
    """Starts servers, as `wires` says."""
    with wires() as start:
        yield start


@pytest.fixture
def request_to():
    """A tool request to a server; arguments as `(name, place, value)`, references stand for what is stored."""

    def build(wire=None, path="/items", method="GET", *, server=None, http=None, arguments=(), **more):
        address = http or (f"http://127.0.0.1:{wire.port}" if wire else "http://127.0.0.1:1")
        return ToolRequest(
            **{
                "tool": "lookup",
                "call_id": "c1",
                "run_id": "r1",
                "step": "s1",
                "transport": "http",
                "timeout_ms": 3_000,
                "max_bytes": INLINE_LIMIT,
                "server": {"at": "x:1:1", "http": address, **(server or {})},
                "method": method,
                "path": path,
                "arguments": [
                    {"name": name, "value": value, "place": place, "send_as": name}
                    | ({"stored": True} if is_reference(value) else {})
                    for name, place, value in arguments
                ],
                **more,
            }
        )

    return build


@pytest.fixture
def call():
    """Runs `call_tool` for each request in turn on one worker's activities; the last answer."""

    def run(*requests, environment=None, **settings):
        async def work():
            settings.setdefault("env", {})
            settings.setdefault("secrets", {})
            served = Activities(Settings(**settings))
            try:
                for request in requests:
                    answer = await (environment or ActivityEnvironment()).run(served.callables[0], request)
                return answer
            finally:
                await served.aclose()

        return asyncio.run(work())

    return run


@pytest.fixture
def failing(call):
    """The failure of a call: type, message, whether it is tried again, and its details."""

    def run(*requests, **settings):
        with pytest.raises(ApplicationError) as caught:
            call(*requests, **settings)
        error = caught.value
        return error.type, error.message.partition(": ")[2], not error.non_retryable, error.details[0]

    return run


@pytest.fixture
def said(caplog, capsys):
    """All that has been logged and printed so far, logs of every level."""
    caplog.set_level(logging.DEBUG)

    def text():
        captured = capsys.readouterr()
        return captured.out + captured.err + caplog.text

    return text


@pytest.fixture
def broken_off(serve):
    """Cancels an activity of a worker while its server hangs, and waits until the connection is gone; its log."""

    async def hang(_request, _writer):
        await asyncio.sleep(60)

    def cancelled(place, request_to, environment):
        wire = serve(handler=hang)

        async def work():
            served = Activities(Settings(env={}, secrets={}))
            running = asyncio.ensure_future(environment.run(served.callables[place], request_to(wire)))
            assert await asyncio.to_thread(wire.arrived.wait, 5)
            environment.cancel()
            with pytest.raises(asyncio.CancelledError):
                await running
            await served.aclose()

        with structlog.testing.capture_logs() as logs:
            asyncio.run(work())
        assert wire.hung_up.wait(2)
        return logs

    return cancelled
