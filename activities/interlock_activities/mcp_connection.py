"""A connection to an MCP server by the official SDK: what the server offers, and calls of it."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx2
from mcp import Client, MCPError
from mcp.client import session as session_module
from mcp.client.session import ClientSession
from mcp.client.streamable_http import streamable_http_client
from mcp_types import (
    CONNECTION_CLOSED,
    CallToolRequest,
    CallToolRequestParams,
    CallToolResult,
    Implementation,
    InputRequiredResult,
    PaginatedRequestParams,
)
from pydantic import TypeAdapter, ValidationError

import interlock
from interlock.contract.calls import Json
from interlock.contract.definitions import digest_of
from interlock_activities.addresses import AddressRules, Url
from interlock_activities.failures import Failure, failed
from interlock_activities.mcp_http import TIMES, JudgedTransport
from interlock_activities.mcp_process import Program, running
from interlock_activities.mcp_refusals import Refusals

FRESH_SECONDS = 10.0
"""How long what a server offers is believed to be as it was."""

MOST_PAGES = 100
MOST_TOOLS = 2_000

_ANSWER: TypeAdapter[CallToolResult | InputRequiredResult] = TypeAdapter(CallToolResult | InputRequiredResult)

# What they log holds arguments and answers; the session's logger has a name that others may have too.
logging.getLogger("mcp").setLevel(logging.CRITICAL + 1)
logging.getLogger("client").addFilter(lambda record: record.pathname != session_module.__file__)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A server that is reached by a URL, and the headers that say who we are."""

    url: Url
    credentials: Mapping[str, str] = field(repr=False)

    @property
    def name(self) -> str:
        """What it is called in logs."""
        return self.url.origin.header


@dataclass(eq=False)
class Connection:
    """A session with one server."""

    session: ClientSession
    refusals: Refusals
    _digests: dict[str, str] = field(default_factory=dict)
    _read_at: float = -FRESH_SECONDS
    _reading: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def digest(self, tool: str) -> str | None:
        """The digest of what the server says of a tool now; none where it offers none of that name."""
        async with self._reading:
            if time.monotonic() - self._read_at >= FRESH_SECONDS:
                self._digests = {one["name"]: digest_of(one) for one in await self.definitions()}
                self._read_at = time.monotonic()
        return self._digests.get(tool)

    async def definitions(self) -> list[Json]:
        """All tools that the server offers, as it describes them. Raises Failure."""
        found: list[Json] = []
        cursor = None
        for _ in range(MOST_PAGES):
            try:
                with self._failing(sent=False):
                    page = await self.session.list_tools(params=PaginatedRequestParams(cursor=cursor))
            except MCPError as error:
                raise failed(f"the server does not list its tools (error {error.code})", sent=False) from None
            found += [one.model_dump(mode="json", by_alias=True, exclude_none=True) for one in page.tools]
            cursor = page.next_cursor
            if cursor is None or len(found) > MOST_TOOLS:
                break
        if cursor is not None or len(found) > MOST_TOOLS:
            raise failed(f"the server offers more than {MOST_TOOLS:,} tools, or its list has no end", sent=False)
        return found

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> CallToolResult | InputRequiredResult | MCPError:
        """The result of a call, or the error that the server tells instead. Raises Failure.

        Not by the SDK's own `call_tool`: that would check results against a schema of the server's, whose patterns
        Python's `re` may take for ever to match, and ask for the list of tools on its own.
        """
        params = CallToolRequestParams(name=tool, arguments=dict(arguments))
        try:
            with self._failing(sent=True):
                return await self.session.send_request(CallToolRequest(params=params), _ANSWER)
        except MCPError as error:
            return error

    @contextmanager
    def _failing(self, *, sent: bool) -> Iterator[None]:
        """Turns what the SDK raises into failures, but for errors that the server tells."""
        try:
            yield
        except MCPError as problem:
            refusal = self.refusals.read(problem.message)
            if refusal is not None:
                raise refusal from None
            if problem.code == CONNECTION_CLOSED:
                raise failed("the server went away before it answered", sent=sent) from None
            raise
        except ValidationError:
            raise failed("its answer is not as the protocol has it", retryable=False, sent=sent) from None


@asynccontextmanager
async def connected(
    target: Program | Endpoint,
    rules: AddressRules,
    ca_file: str,
    ended: asyncio.Event,
    forgotten: Callable[[], None],
) -> AsyncIterator[Connection]:
    """A session with a server that is started or reached. Raises Failure where there is none to be had.

    `ended` is set when the program has gone; `forgotten` is called when the server knows the session no more.
    """
    refusals = Refusals()
    if isinstance(target, Program):
        streams = running(target, refusals, ended)
    else:
        streams = _reached(target, rules, ca_file, refusals, forgotten)
    client = Client(streams, cache=None, client_info=Implementation(name="interlock", version=interlock.__version__))
    try:
        async with client:
            yield Connection(client.session, refusals)
    except Exception as problem:  # noqa: BLE001 - whatever ends a session, its calls must hear of it
        raise _failure(problem, refusals, target) from None


@asynccontextmanager
async def _reached(
    endpoint: Endpoint, rules: AddressRules, ca_file: str, refusals: Refusals, forgotten: Callable[[], None]
) -> AsyncIterator[Any]:
    transport = JudgedTransport(endpoint.url, rules, ca_file, endpoint.credentials, refusals, forgotten)
    origin = endpoint.url.origin
    address = f"{origin.scheme}://{origin.header}{endpoint.url.path}"
    async with (
        httpx2.AsyncClient(transport=transport, timeout=TIMES, trust_env=False) as client,
        streamable_http_client(address, http_client=client, max_sse_event_size=None) as streams,
    ):
        yield streams


def _failure(problem: Exception, refusals: Refusals, target: Program | Endpoint) -> Failure:
    """Why there is no session, or no more."""
    causes = list(_causes(problem))
    for cause in causes:
        refusal = refusals.read(cause.message) if isinstance(cause, MCPError) else cause
        if isinstance(refusal, Failure):
            return refusal
    if isinstance(target, Program) and any(isinstance(cause, MCPError) for cause in causes):
        code = "" if target.code is None else f" (exit code {target.code})"
        return failed(f"the program ended instead of answering{code}", sent=False)
    return failed(f"there is no session with the server ({type(causes[0]).__name__})", sent=False)


def _causes(problem: BaseException) -> Iterator[BaseException]:
    if isinstance(problem, BaseExceptionGroup):
        for one in problem.exceptions:
            yield from _causes(one)
    else:
        yield problem
