"""Real MCP servers, as processes and on 127.0.0.1, and requests to their tools."""

import contextlib
import os
import sys
from pathlib import Path

import pytest

from interlock.contract.calls import ToolRequest
from interlock.contract.limits import INLINE_LIMIT
from interlock_activities.failures import Failure
from tests.activities.mcp.started import DESK, over_http

HERE = Path(__file__).parent
RAW = str(HERE / "raw_server.py")


@pytest.fixture
def asked():
    """A request to a tool of a server: a command by default, another with `command` or `url`."""

    def build(mcp, *, command=(sys.executable, DESK), url="", env=None, auth=None, **arguments):
        more = {
            key: arguments.pop(key) for key in ("timeout_ms", "max_bytes", "definition", "outcomes") if key in arguments
        }
        server = {"url": url} if url else {"command": list(command), "env": env or {}}
        return ToolRequest(
            **{
                "tool": "desk_tool",
                "call_id": "c1",
                "run_id": "r1",
                "step": "s1",
                "transport": "mcp",
                "timeout_ms": 20_000,
                "max_bytes": INLINE_LIMIT,
                "server": {"at": "x:1:1", "mcp": server, "auth": auth},
                "mcp": mcp,
                "arguments": [
                    {"name": name, "value": value, "place": "argument", "send_as": name}
                    for name, value in arguments.items()
                ],
                **more,
            }
        )

    return build


@pytest.fixture
def raw(asked):
    """A request to a server that says what no SDK would."""
    return lambda kind, **more: asked("call", command=(sys.executable, RAW, kind), **more)


@pytest.fixture
def settings():
    """Of a worker that may start Python."""
    return {"mcp_commands": (sys.executable,), "env": dict(os.environ)}


@pytest.fixture
def answered(call, settings):
    """The answer of the last of several calls, by one worker."""
    return lambda *requests, **more: call(*requests, **(settings | more))


@pytest.fixture
def failing(failing, settings):
    """The failure of a call by such a worker."""
    return lambda *requests, **more: failing(*requests, **(settings | more))


async def ending(work):
    """How a call ended."""
    try:
        return await work
    except Failure as failure:
        return failure


@pytest.fixture
def desk():
    """Starts the server over streamable HTTP, with the words that `desk_server.py` takes; gives its URL."""
    with contextlib.ExitStack() as started:
        yield lambda *words, **environment: started.enter_context(over_http(*words, **environment))
