"""What an MCP server is reached through over HTTP: httpx2, under the rules of every other call."""

import json
import logging
import ssl
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import replace

import httpx2

import interlock
from interlock.contract import strict_json
from interlock.contract.limits import INLINE_LIMIT
from interlock.contract.strict_json import NotStrictJsonError
from interlock_activities.addresses import Address, AddressRules, Url
from interlock_activities.failures import Failure, failed, misconfigured, tls_reason
from interlock_activities.heavy import aside
from interlock_activities.mcp_process import LONGEST_LINE
from interlock_activities.mcp_refusals import Refusals
from interlock_activities.meaning import retried
from interlock_activities.retry_after import retry_after_ms

SESSION = "mcp-session-id"
TIMES = httpx2.Timeout(10, read=300)
"""Within the deadline of each call; nobody may wait for a stream that is silent for longer."""

_SENT = frozenset({"accept", "cache-control", "content-type", "last-event-id"})
_KEPT = ("content-type", SESSION)
_CONNECTIONS = httpx2.Limits(max_connections=200, max_keepalive_connections=50, keepalive_expiry=30)
_PARSE_ERROR = -32700

# At INFO and DEBUG these log whole addresses and headers, and with them arguments and credentials.
for _noisy in ("httpx2", "httpcore2"):
    logging.getLogger(_noisy).setLevel(logging.WARNING)


class JudgedTransport(httpx2.AsyncBaseTransport):
    """Sends requests to one endpoint and to nothing but an address judged beforehand.

    Whatever goes wrong becomes the answer to the request, a refusal: what is raised here ends the whole session, and
    with it the calls of others. `forgotten` is called when the server no longer knows the session.
    """

    def __init__(
        self,
        url: Url,
        rules: AddressRules,
        ca_file: str,
        credentials: Mapping[str, str],
        refusals: Refusals,
        forgotten: Callable[[], None],
    ) -> None:
        self._url = url
        self._rules = rules
        self._credentials = credentials
        self._refusals = refusals
        self._forgotten = forgotten
        trusted = ssl.create_default_context(cafile=ca_file) if ca_file else True
        tls = httpx2.create_ssl_context(verify=trusted, trust_env=False)
        tls.hostname_checks_common_name = False  # only the names that a certificate is made out to
        self._pool = httpx2.AsyncHTTPTransport(verify=tls, limits=_CONNECTIONS, trust_env=False)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """The answer, or the refusal in its place."""
        try:
            return await self._passed(request, await self._answered(request))
        except Failure as failure:
            return self._refused(failure)
        except (httpx2.HTTPError, httpx2.InvalidURL) as problem:
            return self._refused(self._failure(problem))

    async def aclose(self) -> None:
        """Closes every connection."""
        await self._pool.aclose()

    async def _answered(self, request: httpx2.Request) -> httpx2.Response:
        addresses = await self._rules.resolve(self._url.origin)
        content = await request.aread()
        for address in addresses[:-1]:
            try:
                return await self._pool.handle_async_request(self._directed(request, content, address))
            except httpx2.ConnectError:
                continue  # nothing was sent yet: the next address may take it
        return await self._pool.handle_async_request(self._directed(request, content, addresses[-1]))

    def _directed(self, request: httpx2.Request, content: bytes, address: Address) -> httpx2.Request:
        """The request to the judged address itself, with the host's name in the Host header and the TLS handshake."""
        origin = self._url.origin
        host = f"[{address}]" if address.version == 6 else str(address)
        kept = {name: text for name, text in request.headers.items() if name in _SENT or name.startswith("mcp-")}
        ours = {"accept-encoding": "identity", "user-agent": f"interlock/{interlock.__version__}"}
        return httpx2.Request(
            request.method,
            f"{origin.scheme}://{host}:{origin.port}{self._url.path}",
            headers={**kept, **ours, **self._credentials, "host": origin.header},
            content=content,
            extensions={**request.extensions, "sni_hostname": origin.host},
        )

    async def _passed(self, request: httpx2.Request, response: httpx2.Response) -> httpx2.Response:
        """What of an answer goes on: a body that was read and found good, or a stream that is looked at as it comes."""
        headers = {name: response.headers[name] for name in _KEPT if name in response.headers}
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        if response.status_code == 200 and kind == "text/event-stream":
            return httpx2.Response(200, headers=headers, stream=_Events(request, response, self._refusals))
        try:
            body = await _whole(response)
        finally:
            await response.aclose()
        status = response.status_code
        if not 200 <= status < 300:
            self._judge(request, response, body)
        elif body and request.method == "POST":
            if kind != "application/json":
                raise failed(f"{strict_json.shown(kind)!r} is no answer of an MCP server", status=status)
            await aside(len(body) > INLINE_LIMIT, _checked, body)
        return httpx2.Response(status, headers=headers, content=body)

    def _judge(self, request: httpx2.Request, response: httpx2.Response, body: bytes) -> None:
        """Raises Failure for a status that is no answer of the protocol; its own errors have a body that is one."""
        status = response.status_code
        if status < 400:
            raise failed(f"status {status}, a redirect that is not followed", retryable=False, status=status)
        if status == 404 and SESSION in request.headers:
            self._forgotten()
            raise failed("the server no longer knows the session", sent=False)
        if status in (401, 403) or not _is_error(body):
            pause = retry_after_ms(response.headers) if retried(status) else None
            failure = failed(f"status {status}", retryable=retried(status), status=status)
            raise replace(failure, retry_after_ms=pause)

    def _refused(self, failure: Failure) -> httpx2.Response:
        error = {"code": _PARSE_ERROR, "message": self._refusals.told(failure)}
        return httpx2.Response(400, json={"jsonrpc": "2.0", "id": None, "error": error})

    def _failure(self, problem: Exception) -> Failure:
        where = f"{self._url.origin.host}:{self._url.origin.port}"
        if isinstance(problem, httpx2.ConnectError):
            return failed(f"no connection to {where}{tls_reason(problem)}", sent=False)
        if isinstance(problem, httpx2.ConnectTimeout | httpx2.PoolTimeout):
            return failed(f"no connection to {where} in time", sent=False)
        if isinstance(problem, httpx2.LocalProtocolError | httpx2.InvalidURL | httpx2.UnsupportedProtocol):
            return misconfigured(f"the request to {where} cannot be sent as HTTP")
        if isinstance(problem, httpx2.RemoteProtocolError):
            return failed(f"{where} broke off or does not speak HTTP")
        return failed(f"the connection to {where} failed ({type(problem).__name__})")


class _Events(httpx2.AsyncByteStream):
    """The events of a stream, each within the cap and strict JSON; the first that is not is answered by a refusal."""

    def __init__(self, request: httpx2.Request, response: httpx2.Response, refusals: Refusals) -> None:
        response.request = request
        self._response = response
        self._refusals = refusals

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            _only_plain(self._response)
            async for event in httpx2.EventSource(self._response, max_event_size=LONGEST_LINE):
                if event.data:
                    data = event.data.encode()
                    await aside(len(data) > INLINE_LIMIT, _checked, data)
                yield _written(event)
        except httpx2.SSEError:
            yield self._refusal(_too_large())
        except Failure as failure:
            yield self._refusal(failure)

    async def aclose(self) -> None:
        await self._response.aclose()

    def _refusal(self, failure: Failure) -> bytes:
        error = {"code": _PARSE_ERROR, "message": self._refusals.told(failure)}
        data = json.dumps({"jsonrpc": "2.0", "id": None, "error": error})
        return f"data: {data}\n\n".encode()


def _written(event: httpx2.ServerSentEvent) -> bytes:
    lines = [f"event: {event.event}", *(f"data: {line}" for line in event.data.split("\n"))]
    lines += [f"id: {event.id}"] if event.id else []
    lines += [f"retry: {event.retry}"] if event.retry is not None else []
    return ("\n".join(lines) + "\n\n").encode()


async def _whole(response: httpx2.Response) -> bytes:
    _only_plain(response)
    body = bytearray()
    async for chunk in response.aiter_raw():
        body += chunk
        if len(body) > LONGEST_LINE:
            raise _too_large()
    return bytes(body)


def _only_plain(response: httpx2.Response) -> None:
    encoding = response.headers.get("content-encoding", "identity").lower()
    if encoding != "identity":
        raise failed(f"content encoding {strict_json.shown(encoding)!r}, unasked for", retryable=False)


def _checked(body: bytes) -> None:
    try:
        strict_json.loads(body, LONGEST_LINE)
    except NotStrictJsonError as problem:
        raise failed(f"its answer is refused: {problem}", retryable=False) from None


def _is_error(body: bytes) -> bool:
    """Whether the server says by the protocol what is wrong."""
    try:
        found = strict_json.loads(body)
    except NotStrictJsonError:
        return False
    return isinstance(found, dict) and isinstance(found.get("error"), dict)


def _too_large() -> Failure:
    return failed(f"an answer of more than {LONGEST_LINE:,} bytes", retryable=False)
