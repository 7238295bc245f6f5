"""Asks models as a workflow does, of a service on 127.0.0.1."""

import asyncio
import dataclasses
import time

import pytest
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from interlock.contract.limits import INLINE_LIMIT
from interlock.contract.models import ModelRequest
from interlock_activities import Activities, Settings

KEY = "{{ secrets.MODEL_KEY }}"
SECRET = "planted-secret-1f9c"
LATEST_S = 2.5


@pytest.fixture
def asking():
    """A request to a service, or to the script."""

    def build(wire=None, provider="openai", *, path="/v1", server=None, messages=None, **more):
        address = {provider: f"http://127.0.0.1:{wire.port if wire else 1}{path}"}
        words = {
            "role": "writer",
            "call_id": "c1",
            "run_id": "r1",
            "step": "s1",
            "provider": provider,
            "model": "m-1",
            "timeout_ms": 2_000,
            "max_bytes": INLINE_LIMIT,
            "server": {"at": "x:1:1", **(address if provider != "scripted" else {}), **(server or {})},
            "messages": messages or [{"role": "user", "content": "Where is it?"}],
        }
        return ModelRequest(**{**words, **more})

    return build


@pytest.fixture
def generate():
    """Runs `generate` for each request in turn on one worker's activities; the last answer."""

    def run(*requests, environment=None, during=None, **settings):
        async def work():
            served = Activities(Settings(**{"env": {}, "secrets": {"MODEL_KEY": SECRET}, **settings}))
            watching = asyncio.ensure_future(during(served)) if during else None
            await asyncio.sleep(0)
            try:
                for request in requests:
                    answer = await (environment or ActivityEnvironment()).run(served.callables[2], request)
                return answer
            finally:
                if watching:
                    await asyncio.sleep(0)
                    watching.cancel()
                await served.aclose()

        return asyncio.run(work())

    return run


@pytest.fixture
def failing(generate):
    """The failure of a call that fails, and in time."""

    def run(*requests, **settings):
        started = time.monotonic()
        with pytest.raises(ApplicationError) as caught:
            generate(*requests, **settings)
        late = time.monotonic() - started - max(request.timeout_ms for request in requests) / 1000
        assert late < LATEST_S
        assert caught.value.__cause__ is None
        assert len(caught.value.message) < 300
        return caught.value

    return run


@pytest.fixture
def environment():
    """An activity's surroundings: its attempt, its heartbeat time-out, and the beats that it leaves."""

    def build(**info):
        made = ActivityEnvironment()
        made.info = dataclasses.replace(made.info, **info)
        made.beats = []
        made.on_heartbeat = lambda *details: made.beats.append(details)
        return made

    return build


@pytest.fixture
def watch():
    """Watches the run `r1`, as `generate`'s `during`; what it saw is in `seen`."""

    async def watching(served):
        note = watching.seen.append
        async for piece in served.drafts.follow("r1"):
            note(piece)

    watching.seen = []
    return watching
