"""A worker of its own process: `python -m benchmarks.serving ours|by-hand ADDRESS QUEUE BASE`; ends with its input.

It also serves the tracking service that both look numbers up in, when asked for `service`.
"""

import asyncio
import json
import signal
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from temporalio.client import Client
from temporalio.worker import Worker

from benchmarks.plans import desk
from benchmarks.rival_workflow import ByHand, Desk
from interlock.cli.logs import log_as_json
from interlock.client import connect
from interlock_activities.registry import Activities
from interlock_activities.settings import Settings
from interlock_workflows.plugin import interlock_plugin
from interlock_workflows.service import serve


class Tracking(BaseHTTPRequestHandler):
    """Every number is in Hamburg."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1
    """Head and body leave together: apart, each answer waits 40 ms for the other side's acknowledgement."""

    def do_GET(self) -> None:
        """Answer with the number that was asked for."""
        body = json.dumps({"number": self.path.rpartition("/")[2], "place": "Hamburg"}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing is logged."""


async def _ours(address: str, queue: str, base: str) -> None:
    log_as_json()  # as a worker does
    plan = desk(base)
    activities = Activities(Settings(plans=(plan,), allow_addresses=("127.0.0.0/8",)))
    client = await connect(address, plugins=[interlock_plugin(activities.callables)])
    await serve(client, {plan.name: plan.digest}, _stopped(), task_queue=queue)


async def _by_hand(address: str, queue: str, _base: str) -> None:
    client = await Client.connect(address)
    async with Worker(client, task_queue=queue, workflows=[ByHand], activities=[Desk().look_up]):
        await _stopped().wait()


def _stopped() -> asyncio.Event:
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    return stop


def main(role: str, *where: str) -> None:
    """Serve until SIGTERM."""
    if role == "service":
        server = ThreadingHTTPServer(("127.0.0.1", int(where[0])), Tracking)
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
        server.serve_forever()
    asyncio.run({"ours": _ours, "by-hand": _by_hand}[role](*where))


if __name__ == "__main__":
    main(*sys.argv[1:])
