"""The service behind a socket: HTTP/1.1 with one thread a connection, on loopback."""

import contextlib
import json
import re
import socket
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from demo.hr.database import Database
from demo.hr.exchange import Refusal, Reply, Request
from demo.hr.service import Service

MAX_BODY = 65_536
MAX_PIECES = 16
LINGERS_S = 1.0
GONE = (BrokenPipeError, ConnectionResetError)
"""The caller was killed, or hung up, before its answer came."""


class Handler(BaseHTTPRequestHandler):
    """Reads requests for the service and writes its replies."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: "Server"

    def do_GET(self) -> None:
        """Serve any method: the document knows which there are."""
        try:
            request = self._request()
        except Refusal as refusal:
            self.close_connection = True
            self._send(refusal.reply())
            self._read_on()
        else:
            self._send(self.server.service.answer(request))

    do_POST = do_PUT = do_PATCH = do_DELETE = do_GET  # noqa: N815 - the names that http.server looks for

    def _request(self) -> Request:
        url = urlsplit(self.path)
        scheme, _, token = self.headers.get("Authorization", "").partition(" ")
        return Request(
            method=self.command,
            path=url.path,
            query=dict(parse_qsl(url.query, keep_blank_values=True)),
            body=self._body(),
            token=token if scheme.lower() == "bearer" else None,
            key=self.headers.get("Idempotency-Key"),
        )

    def _body(self) -> bytes:
        length = self.headers.get("Content-Length", "0")
        if "Transfer-Encoding" in self.headers or not re.fullmatch(r"[0-9]{1,9}", length):
            raise Refusal(411, "LENGTH_REQUIRED", "a body needs its Content-Length")
        if int(length) > MAX_BODY:
            raise Refusal(413, "TOO_LARGE", f"a body has at most {MAX_BODY} bytes")
        body = self.rfile.read(int(length))
        if len(body) < int(length):
            raise Refusal(400, "INVALID", "the body ends too early")
        return body

    def _send(self, reply: Reply) -> None:
        if reply.dropped:
            self.close_connection = True
            return
        content = json.dumps(reply.body, ensure_ascii=False).encode()
        self.send_response(reply.status)
        self.send_header("Content-Type", "application/json; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        if self.close_connection:
            self.send_header("Connection", "close")
        if reply.replayed:
            self.send_header("Idempotency-Replayed", "true")
        if reply.status == 401:
            self.send_header("WWW-Authenticate", "Bearer")
        with contextlib.suppress(*GONE):
            self.end_headers()
            self.wfile.write(content)

    def _read_on(self) -> None:
        """Take in what was refused unread, for a moment: a connection closed before takes its answer with it."""
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_WR)
            self.connection.settimeout(LINGERS_S)
            for _ in range(MAX_PIECES):
                if not self.connection.recv(MAX_BODY):
                    return

    def log_message(self, *_: object) -> None:
        """Say nothing: the audit has every request."""


class Server(ThreadingHTTPServer):
    """Finishes the requests under way when it is closed, and waits for no idle connection."""

    daemon_threads = False
    request_queue_size = 128

    def __init__(self, port: int, service: Service, database: Database) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.service = service
        self._database = database
        self._open: set[socket.socket] = set()

    def process_request(self, request: Any, client_address: Any) -> None:
        """Keep the connection in view."""
        self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        """Forget the connection."""
        self._open.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A caller that is gone is no error of the service."""
        if not isinstance(sys.exception(), GONE):
            super().handle_error(request, client_address)

    def server_close(self) -> None:
        """Let no more requests in, wait for those that are here, and close the database."""
        self.service.stopping.set()
        for connection in list(self._open):
            with contextlib.suppress(OSError):  # it has ended meanwhile
                connection.shutdown(socket.SHUT_RD)
        super().server_close()
        self._database.close()


def serve(database: Path, port: int = 0, *, token: str, running_reads: int = 2) -> Server:
    """A server on loopback, ready for `serve_forever`; port 0 takes a free one. What is in the database stays."""
    kept = Database(database)
    return Server(port, Service(kept, token=token, running_reads=running_reads), kept)
