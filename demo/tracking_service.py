"""The forwarder's tracking service as the demo needs it: a small HTTP server over a data file. Not part of the engine.

    python -m demo.tracking_service --port 8801

`GET /tracking?selectNo=…` answers `{code, response}`; `GET /v9/shipments/{no}` answers the shipment with its events.
"""

import argparse
import contextlib
import json
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

DATA = Path(__file__).with_name("shipments.json")
BRIEF = ("no", "status", "eta", "location")


class Handler(BaseHTTPRequestHandler):
    """Looks shipments up; a shipment with `delay_s` answers that much later."""

    protocol_version = "HTTP/1.1"
    shipments: dict[str, dict[str, Any]]

    def do_GET(self) -> None:
        """Serve both generations of the interface."""
        url = urlsplit(self.path)
        if url.path == "/tracking":
            self._track(parse_qs(url.query).get("selectNo", [""])[0])
        elif url.path.startswith("/v9/shipments/"):
            self._history(unquote(url.path.removeprefix("/v9/shipments/")))
        else:
            self._answer(404, {"error": f"no such path: {url.path}"})

    def _track(self, number: str) -> None:
        shipment = self.shipments.get(number)
        if not number:
            self._answer(200, {"code": "MISSING_ARGUMENT", "argument": "selectNo"})
        elif shipment is None:
            self._answer(200, {"code": "NOT_FOUND", "selectNo": number})
        else:
            time.sleep(shipment.get("delay_s", 0))
            brief = {key: shipment[key] for key in BRIEF if key in shipment}
            self._answer(200, {"code": "OK", "response": brief})

    def _history(self, number: str) -> None:
        shipment = self.shipments.get(number)
        if shipment is None:
            self._answer(404, {"error": f"unknown shipment: {number}"})
        else:
            self._answer(200, {key: value for key, value in shipment.items() if key != "delay_s"})

    def _answer(self, status: int, body: dict[str, Any]) -> None:
        content = json.dumps(body, ensure_ascii=False).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # the caller was killed while it waited
            self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Say nothing: the demo shows the calls from the record."""


def serve(port: int = 0, data: Path = DATA) -> ThreadingHTTPServer:
    """A server on loopback, ready for `serve_forever`; port 0 takes a free one."""
    shipments = {shipment["no"]: shipment for shipment in json.loads(data.read_text(encoding="utf-8"))}
    return ThreadingHTTPServer(("127.0.0.1", port), type("Shipments", (Handler,), {"shipments": shipments}))


def main() -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=8801)
    server = serve(parser.parse_args().port)
    print(f"tracking service on http://127.0.0.1:{server.server_port}", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        server.server_close()


if __name__ == "__main__":
    main()
