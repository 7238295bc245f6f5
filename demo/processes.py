"""What the demo starts in processes of its own, so that it can be killed for good: a worker, and the HR service."""

import json
import os
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
TOKEN = "demo"  # noqa: S105 - the service lives for a minute on the loopback interface
TRACKING = "python -m demo.tracking_server"
"""The MCP server that the worker starts: the command that the Library of the freight desk has."""

MODELS = Path(__file__).with_name("models.yaml")
"""What models say, in place of a service."""

SCRIPTS = str(Path(sys.executable).parent)
"""The folder in which `python` is the one that runs this."""

STOP_SECONDS = 15


class Worker:
    """A worker for the bundles in `specs`."""

    def __init__(self, address: str, specs: Path, folder: Path, **environment: str) -> None:
        self.environment = {
            **os.environ,
            "TEMPORAL_ADDRESS": address,
            "INTERLOCK_SPECS": str(specs),
            "INTERLOCK_PLAN_STORE": str(folder / "plans"),
            "INTERLOCK_INDEX": str(folder / "index"),
            "INTERLOCK_MCP_COMMANDS": TRACKING,
            "INTERLOCK_MODELS": str(MODELS),
            "PATH": os.pathsep.join((SCRIPTS, os.environ["PATH"])),
            **environment,
        }
        self.log = folder / "worker.log"
        self.process = self._started()

    def _started(self) -> subprocess.Popen[bytes]:
        with self.log.open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "worker.py"], cwd=ROOT, env=self.environment, stdout=log, stderr=log
            )

    def kill(self) -> None:
        """SIGKILL: no good-bye, no clean-up."""
        self.process.kill()
        self.process.wait()

    def restart(self) -> None:
        """A new process with the same settings."""
        self.process = self._started()

    def stop(self) -> None:
        """Ask it to finish what runs and end."""
        _stop(self.process)


class HrService:
    """The HR service on a free loopback port, with a database of its own."""

    def __init__(self, folder: Path) -> None:
        words = ["-m", "demo.hr", "--database", str(folder / "hr.db"), "--port", "0", "--token", TOKEN]
        self.process = subprocess.Popen([sys.executable, *words], cwd=ROOT, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().rpartition(" ")[2].strip()
        if not self.url:
            raise RuntimeError("the HR service has not started")

    def order(self, **switch: Any) -> None:
        """Order a fault."""
        self._asked("/switches", switch)

    def effects(self, operation: str) -> list[dict[str, Any]]:
        """The effects of an operation that have really happened."""
        found: list[dict[str, Any]] = self._asked("/audit/effects")["effects"]
        return [one for one in found if one["operation"] == operation]

    def requests(self, ending: str) -> list[dict[str, Any]]:
        """The requests that came to paths with an ending."""
        found: list[dict[str, Any]] = self._asked("/audit/requests")["requests"]
        return [one for one in found if one["path"].endswith(ending)]

    def _asked(self, path: str, body: Any = None) -> Any:
        request = urllib.request.Request(  # noqa: S310 - our own service
            self.url + path,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=10) as answer:  # noqa: S310 - likewise
            return json.load(answer)["data"]

    def stop(self) -> None:
        """Ask it to answer what it has begun and end."""
        _stop(self.process)
        assert self.process.stdout is not None
        self.process.stdout.close()


def _stop(process: "subprocess.Popen[Any]") -> None:
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
