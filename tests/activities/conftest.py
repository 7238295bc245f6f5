"""Real servers on 127.0.0.1 that record what came over the wire, and a way to run the activities against them."""

import asyncio
import json
import ssl
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from temporalio.testing import ActivityEnvironment

from interlock.contract.calls import ToolRequest
from interlock.contract.limits import INLINE_LIMIT
from interlock.contract.stored import is_reference
from interlock_activities import Activities, Settings
from tests.activities.in_thread import InThread
from tests.activities.postgres_server import database

__all__ = ["database"]

TLS = Path(__file__).parent / "tls"


@dataclass
class Seen:
    """One request as it came over the wire."""

    line: str
    headers: list[tuple[str, str]]
    body: bytes

    def header(self, name: str) -> str | None:
        return next((value for key, value in self.headers if key == name), None)


@dataclass
class Wire(InThread):
    """A server in a thread of its own; `handler` writes raw bytes."""

    handler: Callable[[Seen, asyncio.StreamWriter], Awaitable[None]]
    tls: bool = False
    seen: list[Seen] = field(default_factory=list)
    connections: int = 0
    arrived: threading.Event = field(default_factory=threading.Event)
    hung_up: threading.Event = field(default_factory=threading.Event)
    names: list[str | None] = field(default_factory=list)
    port: int = 0

    @staticmethod
    def raw(**words):
        return raw(**words)

    def _options(self):
        context = None
        if self.tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(TLS / "cert.pem", TLS / "key.pem")
            context.sni_callback = lambda _socket, name, _context: self.names.append(name)
        return {"ssl": context, "limit": 1 << 20}

    async def _connection(self, reader, writer):
        self.connections += 1
        early = b""
        try:
            while True:
                head = early + await reader.readuntil(b"\r\n\r\n")
                lines = head.decode("latin-1").split("\r\n")
                pairs = [line.partition(": ") for line in lines[1:] if line]
                request = Seen(lines[0], [(name.lower(), value) for name, _, value in pairs], b"")
                request.body = await reader.readexactly(int(request.header("content-length") or 0))
                self.seen.append(request)
                self.arrived.set()
                early = await self._answered(request, reader, writer)
        except (asyncio.IncompleteReadError, asyncio.CancelledError, ConnectionError, ssl.SSLError):
            return
        finally:
            self.hung_up.set()
            writer.close()

    async def _answered(self, request, reader, writer):
        """Lets the handler answer; ends the connection if the client hangs up first. The next request's first byte."""
        work = asyncio.ensure_future(self.handler(request, writer))
        following = asyncio.ensure_future(reader.read(1))
        await asyncio.wait({work, following}, return_when=asyncio.FIRST_COMPLETED)
        if not work.done():
            work.cancel()
            raise ConnectionError
        work.result()
        if writer.is_closing():
            following.cancel()
            raise ConnectionError
        return await following


def raw(status=200, body=b"{}", **headers):
    """The bytes of an answer; a header given as None is left out."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    fields = {"content-type": "application/json", "content-length": str(len(content))}
    fields |= {name.replace("_", "-"): value for name, value in headers.items()}
    lines = [f"HTTP/1.1 {status} Status", *(f"{k}: {v}" for k, v in fields.items() if v is not None)]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + content


@pytest.fixture
def answer_bytes():
    return raw


@pytest.fixture
def ca_file():
    return str(TLS / "cert.pem")


@pytest.fixture
def serve() -> Iterator[Callable[..., Wire]]:
    """Starts a server: of fixed bytes, of a list of them in turn (the last for ever), of a handler, or by `raw`'s words."""
    servers = []

    def start(answers=None, *, handler=None, tls=False, **words):
        waiting = list(answers) if isinstance(answers, list) else [raw(**words) if answers is None else answers]

        async def fixed(_request, writer):
            writer.write(waiting.pop(0) if len(waiting) > 1 else waiting[0])
            await writer.drain()

        wire = Wire(handler or fixed, tls)
        wire.start()
        servers.append(wire)
        return wire

    yield start
    for wire in servers:
        wire.stop()


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
def installed(tmp_path, monkeypatch):
    """Puts a package with one entry point on the path, as an installer would."""
    monkeypatch.syspath_prepend(str(tmp_path))
    modules = set()

    def install(distribution, module, entry, group="interlock.tools"):
        name = distribution.replace("-", "_")
        modules.add(name)
        (tmp_path / f"{name}.py").write_text(module, encoding="utf-8")
        info = tmp_path / f"{name}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n", encoding="utf-8")
        (info / "entry_points.txt").write_text(f"[{group}]\n{entry}\n", encoding="utf-8")

    yield install
    for name in modules:
        sys.modules.pop(name, None)
