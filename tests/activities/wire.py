"""Servers on 127.0.0.1 that record what came over the wire and answer with raw bytes."""

import asyncio
import contextlib
import json
import ssl
import threading
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.activities.in_thread import InThread

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
        following.add_done_callback(lambda read: read.cancelled() or read.exception())  # nobody may ask for it
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


@contextlib.contextmanager
def wires() -> Iterator[Callable[..., Wire]]:
    """Starts servers: of fixed bytes, of a list of them in turn (the last for ever), of a handler, or by `raw`'s words."""
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

    try:
        yield start
    finally:
        for wire in servers:
            wire.stop()
