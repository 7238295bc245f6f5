"""A real MCP server for tests, by the official SDK: `python desk_server.py`, or `python desk_server.py PORT [json]`."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import mcp_types as types
from mcp.server import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

ANY = {"type": "object"}
NAMES = [
    "echo",
    "big",
    "says",
    "fails",
    "slow",
    "dies",
    "leaves",
    "huge",
    "asks",
    "secret",
    "sees",
    "picture",
    "refuses",
]


def described(name):
    """A tool; what is said of `echo` stands in a file that a test may change."""
    file = Path(os.environ.get("DESK_ECHO", "/nowhere"))
    more = file.read_text() if name == "echo" and file.exists() else ""
    return types.Tool(name=name, description=f"Does {name}. {more}".strip(), input_schema=ANY)


async def listed(_context, _params):
    gone = os.environ.get("DESK_WITHOUT", "")
    return types.ListToolsResult(tools=[described(name) for name in NAMES if name != gone])


def text(said, *, error=False):
    return types.CallToolResult(content=[types.TextContent(text=said)], is_error=error)


def structured(value):
    return types.CallToolResult(content=[types.TextContent(text="see beside")], structured_content=value)


async def called(_context, params):
    given = params.arguments or {}
    if log := os.environ.get("DESK_LOG"):
        with Path(log).open("a") as file:  # noqa: ASYNC230 - a line
            file.write(f"{params.name}\n")
    match params.name:
        case "echo":
            return structured(given)
        case "big":
            return structured({"id": 2**200 + 1, "number": "00123", "amount": 12.5})
        case "says":
            return text(given["text"])
        case "fails":
            return text(given.get("text", "it broke"), error=True)
        case "slow":
            await asyncio.sleep(given["seconds"])
            return structured({"slept": given["seconds"]})
        case "dies":
            os._exit(3)
        case "leaves":
            child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], stdin=subprocess.DEVNULL)  # noqa: ASYNC220
            return structured({"pids": [os.getpid(), child.pid]})
        case "huge":
            return structured({"text": "x" * given["bytes"]})
        case "asks":
            schema = {"type": "object", "properties": {"sure": {"type": "boolean"}}}
            form = types.ElicitRequestFormParams(message="Are you sure?", requested_schema=schema)
            return types.InputRequiredResult(
                input_requests={"sure": types.ElicitRequest(params=form)}, request_state="half-way"
            )
        case "secret":
            return structured({"token": os.environ.get("DESK_TOKEN", "")})
        case "sees":
            return structured({"names": sorted(os.environ)})
        case "picture":
            image = types.ImageContent(data="iVBORw0KGgo=", mime_type="image/png")
            return types.CallToolResult(content=[types.TextContent(text="a picture"), image])
    raise MCPError(types.INVALID_PARAMS, f"no order {given.get('order')!r}", {"why": "unknown"})


server = Server("desk", version="1.0", on_list_tools=listed, on_call_tool=called)


async def on_pipes():
    sys.stderr.write(os.environ.get("DESK_SAYS", "") * 1000)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


def main():
    if len(sys.argv) == 1:
        asyncio.run(on_pipes())
        return
    import uvicorn

    app = server.streamable_http_app(json_response="json" in sys.argv, stateless_http="stateless" in sys.argv)
    seen = os.environ.get("DESK_SEEN")

    async def watched(scope, receive, send):
        if seen and scope["type"] == "http":
            with Path(seen).open("a") as file:  # noqa: ASYNC230
                file.write(repr((scope["method"], dict(scope["headers"]))) + "\n")
        await app(scope, receive, send)

    uvicorn.run(watched, host="127.0.0.1", port=int(sys.argv[1]), log_level="warning")


if __name__ == "__main__":
    main()
