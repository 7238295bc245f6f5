"""An MCP server as a process of its own: messages by line on its standard input and output, bounded and strict."""

import asyncio
import json
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client.stdio import DEFAULT_INHERITED_ENV_VARS
from mcp.shared.message import SessionMessage
from mcp_types import (
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError

from interlock.contract import strict_json
from interlock.contract.limits import INLINE_LIMIT, STORED_LIMIT
from interlock.contract.strict_json import NotStrictJsonError
from interlock_activities.failures import failed, misconfigured, without
from interlock_activities.heavy import aside
from interlock_activities.mcp_refusals import Refusals

FRAME = 64 * 1024
"""Bytes that a message may have beside what it carries."""

LONGEST_LINE = STORED_LIMIT + FRAME
GRACE_SECONDS = 2.0
"""How long a process may take to end by itself, and again once it was asked to."""

_TAIL = 2_000
_LONGEST_ID = 20
_POLL_SECONDS = 0.01

Incoming = MemoryObjectSendStream[SessionMessage | Exception]
Streams = tuple[MemoryObjectReceiveStream[SessionMessage | Exception], MemoryObjectSendStream[SessionMessage]]


@dataclass(eq=False)
class Program:
    """What is started, and how it ended: its exit code, and the last that it said on standard error."""

    command: tuple[str, ...]
    environment: Mapping[str, str] = field(repr=False)
    secrets: tuple[str, ...] = field(default=(), repr=False)
    code: int | None = None
    said: bytearray = field(default_factory=bytearray)

    @property
    def name(self) -> str:
        """What it is called in logs."""
        return self.command[0]

    @property
    def last_words(self) -> str:
        """The last that it said on standard error, without the secrets that it was given."""
        return without(self.secrets, self.said.decode(errors="replace")).strip()


def inherited(environ: Mapping[str, str]) -> dict[str, str]:
    """The part of a worker's environment that every program may see; no other variable is handed on."""
    return {name: environ[name] for name in DEFAULT_INHERITED_ENV_VARS if name in environ}


@asynccontextmanager
async def running(program: Program, refusals: Refusals, ended: asyncio.Event) -> AsyncIterator[Streams]:
    """The streams of a started program. `ended` is set when it says no more; on leaving, it and its children are gone.

    Raises Failure where it cannot be started.
    """
    program.code = None
    program.said.clear()
    process = await _started(program)
    incoming, read = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    write, outgoing = anyio.create_memory_object_stream[SessionMessage](0)
    try:
        async with incoming, read, write, outgoing, anyio.create_task_group() as tasks:
            tasks.start_soon(_read, process, incoming, refusals, ended)
            tasks.start_soon(_write, process, outgoing, ended)
            tasks.start_soon(_listen, process, program.said)
            yield read, write
            tasks.cancel_scope.cancel()
    finally:
        ended.set()
        with anyio.CancelScope(shield=True):
            program.code = await _stopped(process)


async def _started(program: Program) -> Process:
    try:
        return await asyncio.create_subprocess_exec(
            *program.command,
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            env=dict(program.environment),
            limit=LONGEST_LINE,
            start_new_session=True,
        )
    except (OSError, ValueError) as problem:
        why = problem.strerror if isinstance(problem, OSError) and problem.strerror else type(problem).__name__
        shown = strict_json.shown(program.command[0])
        raise misconfigured(f"the program {shown!r} cannot be started: {why.lower()}") from None


async def _read(process: Process, incoming: Incoming, refusals: Refusals, ended: asyncio.Event) -> None:
    """Every message to its end; then, or once a line is longer than any may be, there are no more."""
    assert process.stdout is not None
    async with incoming:
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError, ConnectionError, ValueError):
            while line := await process.stdout.readline():
                message = await aside(len(line) > INLINE_LIMIT, _message, line, refusals)
                if message is not None:
                    await incoming.send(SessionMessage(message))
        ended.set()


def _message(line: bytes, refusals: Refusals) -> JSONRPCMessage | None:
    """The message on a line; an error in place of an answer that is not strict JSON; none for what is no message."""
    try:
        return jsonrpc_message_adapter.validate_python(strict_json.loads(line, LONGEST_LINE), by_name=False)
    except NotStrictJsonError as problem:
        number = answered(line)
        if number is None:
            return None
        refusal = refusals.told(failed(f"its answer is refused: {problem}", retryable=False))
        return JSONRPCError(jsonrpc="2.0", id=number, error=ErrorData(code=PARSE_ERROR, message=refusal))
    except ValidationError:
        return None


def answered(text: bytes) -> int | str | None:
    """The request that a loosely read message answers; none if it answers none."""
    try:
        found = json.loads(text, parse_int=lambda digits: int(digits) if len(digits) < _LONGEST_ID else 0)
    except (ValueError, RecursionError):
        return None
    number = found.get("id") if isinstance(found, dict) and "method" not in found else None
    return number if isinstance(number, int | str) else None


async def _write(process: Process, outgoing: MemoryObjectReceiveStream[SessionMessage], ended: asyncio.Event) -> None:
    assert process.stdin is not None
    async with outgoing:
        with suppress(ConnectionError):
            async for message in outgoing:
                said = message.message.model_dump(mode="json", by_alias=True, exclude_unset=True)
                process.stdin.write(strict_json.dumps(said) + b"\n")
                await process.stdin.drain()
        ended.set()


async def _listen(process: Process, said: bytearray) -> None:
    """Read what it says on standard error, so that it never waits for a reader, and keep the last of it."""
    assert process.stderr is not None
    while chunk := await process.stderr.read(65_536):
        said += chunk
        del said[:-_TAIL]


async def _stopped(process: Process) -> int | None:
    """End it and its children: by the end of its input, then by a word, then by force."""
    assert process.stdin is not None
    process.stdin.close()
    for end in (None, signal.SIGTERM, getattr(signal, "SIGKILL", signal.SIGTERM)):
        if end is not None:
            _signal(process, end)
        if await _gone(process):
            break
    _signal(process, getattr(signal, "SIGKILL", signal.SIGTERM))  # children that it left behind
    with suppress(TimeoutError):
        async with asyncio.timeout(GRACE_SECONDS):
            await _drained(process)
    return process.returncode


async def _drained(process: Process) -> None:
    """Until the last that held its pipes is gone: what is left of them would outlive the loop."""
    for pipe in (process.stdout, process.stderr):
        assert pipe is not None
        while await pipe.read(65_536):
            pass


def _signal(process: Process, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, number)


async def _gone(process: Process) -> bool:
    """Whether it ends in time. Polled: `wait` also waits for pipes that a child may hold open."""
    for _ in range(round(GRACE_SECONDS / _POLL_SECONDS)):
        if process.returncode is not None:
            return True
        await asyncio.sleep(_POLL_SECONDS)
    return process.returncode is not None
