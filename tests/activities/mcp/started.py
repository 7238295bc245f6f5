"""Starts the MCP server of the tests over streamable HTTP, and ends it."""

import contextlib
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

DESK = str(Path(__file__).with_name("desk_server.py"))


@contextlib.contextmanager
def over_http(*words, **environment):
    """The server with the words that `desk_server.py` takes; its URL."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen([sys.executable, DESK, str(port), *words], env=os.environ | environment)
    try:
        _wait_for(port)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.kill()
        process.wait()


def _wait_for(port):
    for _ in range(400):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.05)
    raise AssertionError("the server does not start")
