"""`python -m demo.hr --database hr.db`: the HR service as a process of its own, until SIGTERM or Ctrl-C."""

import argparse
import json
import os
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from demo.hr.exchange import Refusal
from demo.hr.server import Server, serve


def options() -> argparse.Namespace:
    """The command line; the environment gives what it leaves out."""
    parser = argparse.ArgumentParser(prog="python -m demo.hr", description=__doc__)
    parser.add_argument("--port", type=int, default=8802, help="0 takes a free one")
    parser.add_argument("--database", type=Path, required=True, help="a SQLite file; made and filled if there is none")
    parser.add_argument("--token", default=os.environ.get("HR_TOKEN"), help="the bearer token (HR_TOKEN)")
    parser.add_argument("--running-reads", type=int, default=2, help="reads that find a new payrun running")
    parser.add_argument("--switch", action="append", default=[], help="a fault as for POST /switches (HR_SWITCHES)")
    given = parser.parse_args()
    if not given.token:
        parser.error("a token is needed: --token or HR_TOKEN")
    return given


def ordered(given: list[str]) -> Iterator[Any]:
    """The switches of the environment (a JSON list), then those of the command line (one object each)."""
    yield from json.loads(os.environ.get("HR_SWITCHES", "[]"))
    yield from map(json.loads, given)


def stop_on_signals(server: Server) -> None:
    """SIGTERM and Ctrl-C end `serve_forever`, which runs in this thread and so cannot be ended from it."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: threading.Thread(target=server.shutdown).start())


def main() -> None:
    """Serve until told to stop."""
    given = options()
    server = serve(given.database, given.port, token=given.token, running_reads=given.running_reads)
    try:
        for settings in ordered(given.switch):
            server.service.order(settings)
    except (ValueError, Refusal) as error:
        sys.exit(f"not a switch: {error}")
    stop_on_signals(server)
    print(f"HR service on http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever(poll_interval=0.1)
    server.server_close()


if __name__ == "__main__":
    main()
