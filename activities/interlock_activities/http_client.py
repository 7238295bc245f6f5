"""The only module that builds httpx clients and maps their errors: one request, bounded in time, size and direction."""

import asyncio
import logging
import re
import ssl
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from urllib.parse import urljoin

import httpx

import interlock
from interlock.contract import strict_json
from interlock_activities.addresses import Address, AddressRules, Origin, Url, leads_inside, parse_url
from interlock_activities.failures import Failure, failed, misconfigured, repeated, timed_out, tls_reason
from interlock_activities.http_request import Outgoing

MAX_HOPS = 5
_JSON_TYPE = re.compile(r"(application|text)/(json|[a-z0-9.+-]+\+json)\s*(;.*)?", re.IGNORECASE | re.DOTALL)
_CHARSET = re.compile(r";\s*charset\s*=\s*\"?([A-Za-z0-9_-]+)", re.IGNORECASE)
_RUN_OUT_S = 0.05
_UTF_8 = ("utf-8", "utf8", "us-ascii")
_CONNECTIONS = httpx.Limits(max_connections=200, max_keepalive_connections=50, keepalive_expiry=30)
_HEADERS = {
    "accept": "application/json",
    "accept-encoding": "identity",
    "user-agent": f"interlock/{interlock.__version__}",
}

# At INFO and DEBUG these log whole addresses and headers, and with them arguments and credentials.
for _noisy in ("httpx", "httpcore"):
    logging.getLogger(_noisy).setLevel(logging.WARNING)


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer: its status, its headers (lower-case names) and its body."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def is_json(self) -> bool:
        """Whether it says of itself that it is JSON in UTF-8, or nothing."""
        declared = self.headers.get("content-type", "application/json")
        charset = _CHARSET.search(declared)
        return bool(_JSON_TYPE.fullmatch(declared)) and (charset is None or charset[1].lower() in _UTF_8)


@dataclass(frozen=True, slots=True)
class Stream:
    """How an answer of server-sent events is taken: `receive` is given what comes and says whether that was all."""

    receive: Callable[[bytes], bool]
    max_bytes: int


@dataclass(frozen=True, slots=True)
class _Hop:
    """One request of a call, and what of it belongs to the declared origin only."""

    method: str
    url: Url
    headers: Mapping[str, str]
    content: bytes | None


class HttpClient:
    """Pooled connections, each to nothing but an address judged beforehand.

    It drives httpx's transports, one pool an origin, and not its client: that would add cookies, proxies, redirects and
    credentials of its own accord.
    """

    def __init__(self, rules: AddressRules, ca_file: str = "") -> None:
        self._rules = rules
        self._ca_file = ca_file
        self._tls: ssl.SSLContext | None = None
        self._pools: dict[Origin, httpx.AsyncHTTPTransport] = {}

    async def send(self, request: Outgoing, stream: Stream | None = None) -> Answer:
        """The answer, the whole of it within the deadline and the cap; raises Failure for anything else.

        Events of a success go to `stream`, if there is one, and the answer has no body then.
        """
        try:
            async with asyncio.timeout(request.timeout_ms / 1000):
                return await self._follow(request, stream)
        except TimeoutError:
            raise timed_out(request.timeout_ms) from None

    async def aclose(self) -> None:
        """Closes every connection."""
        pools, self._pools = list(self._pools.values()), {}
        for pool in pools:
            await pool.aclose()

    async def _follow(self, request: Outgoing, stream: Stream | None) -> Answer:
        path, _, query = request.target.partition("?")
        hop = _Hop(request.method, Url(request.origin, path, query), request.private, request.content)
        addresses = home = await self._rules.resolve(request.origin)
        for number in range(MAX_HOPS + 1):
            async with self._exchange(hop, addresses, sent=number > 0) as response:
                if any(map(request.repeated_in, response.headers.values())):
                    raise repeated(response.status_code)
                location = response.headers.get("location")
                if not (300 <= response.status_code < 400 and location is not None):
                    return await _taken(response, request.max_bytes, stream)
                hop = _next_hop(hop, request, response.status_code, location)
            addresses = await self._resolved(hop.url.origin)
            if leads_inside(home, addresses):
                raise failed(f"a redirect to {hop.url.origin.host!r} leads into a private network", retryable=False)
        raise failed(f"more than {MAX_HOPS} redirects", retryable=False)

    async def _resolved(self, origin: Origin) -> list[Address]:
        """The addresses that a redirect leads to; if it leads nowhere, a request was sent all the same."""
        try:
            return await self._rules.resolve(origin)
        except Failure as failure:
            raise replace(failure, sent=True) from None

    @asynccontextmanager
    async def _exchange(self, hop: _Hop, addresses: list[Address], *, sent: bool) -> AsyncIterator[httpx.Response]:
        origin = hop.url.origin
        try:
            response = await self._answered(hop, addresses)
            try:
                yield response
            finally:
                await response.aclose()
        except (httpx.HTTPError, httpx.InvalidURL) as problem:
            failure = _failure(problem, origin)
            raise replace(failure, sent=sent or failure.sent) from None

    async def _answered(self, hop: _Hop, addresses: list[Address]) -> httpx.Response:
        pool = self._pool(hop.url.origin)
        for address in addresses[:-1]:
            try:
                return await pool.handle_async_request(_httpx_request(hop, address))
            except httpx.ConnectError:
                continue  # nothing was sent yet: the next address may take it
        return await pool.handle_async_request(_httpx_request(hop, addresses[-1]))

    def _pool(self, origin: Origin) -> httpx.AsyncHTTPTransport:
        if origin not in self._pools:
            if self._tls is None:
                trusted = ssl.create_default_context(cafile=self._ca_file) if self._ca_file else True
                self._tls = httpx.create_ssl_context(verify=trusted, trust_env=False)
                self._tls.hostname_checks_common_name = False  # only the names that a certificate is made out to
            self._pools[origin] = httpx.AsyncHTTPTransport(verify=self._tls, limits=_CONNECTIONS, trust_env=False)
        return self._pools[origin]


def _httpx_request(hop: _Hop, address: Address) -> httpx.Request:
    """A request to the judged address itself, with the host's name in the Host header and the TLS handshake."""
    origin = hop.url.origin
    host = f"[{address}]" if address.version == 6 else str(address)
    target = hop.url.path + (f"?{hop.url.query}" if hop.url.query else "")
    headers = {**_HEADERS, **hop.headers, "host": origin.header}
    if hop.content is not None:
        headers["content-type"] = "application/json"
    return httpx.Request(
        hop.method,
        f"{origin.scheme}://{host}:{origin.port}{target}",
        headers=headers,
        content=hop.content,
        extensions={"sni_hostname": origin.host},
    )


def _next_hop(hop: _Hop, request: Outgoing, status: int, location: str) -> _Hop:
    here = hop.url.origin
    try:
        url = parse_url(urljoin(f"{here.scheme}://{here.header}{hop.url.path}", location))
    except ValueError:
        url = None
    why = "its address cannot be read" if url is None else _why_not(url.origin, hop, request)
    if url is None or why:
        raise failed(f"status {status}, a redirect that is not followed: {why}", retryable=False, status=status)
    return _Hop(hop.method, url, hop.headers if url.origin == here else {}, None)


def _why_not(origin: Origin, hop: _Hop, request: Outgoing) -> str:
    home = request.origin
    if not request.redirects or (origin != home and not origin.listed(request.redirects)):
        return f"{strict_json.shown(origin.host)!r} is not declared"
    if home.scheme == "https" and origin.scheme != "https":
        return f"{origin.host!r} is addressed without TLS"
    if hop.content is not None or hop.method not in ("GET", "HEAD"):
        return "only a GET without a body is sent on"
    return ""


async def _taken(response: httpx.Response, limit: int, stream: Stream | None) -> Answer:
    encoding = response.headers.get("content-encoding", "identity").lower()
    if encoding != "identity":
        shown = strict_json.shown(encoding)
        raise failed(f"content encoding {shown!r}, unasked for", retryable=False, status=response.status_code)
    body = b""
    if stream is not None and response.status_code == httpx.codes.OK and _is_events(response):
        await _streamed(response, stream)
    else:
        body = await _whole(response, limit)
    return Answer(response.status_code, dict(response.headers), body)


def _is_events(response: httpx.Response) -> bool:
    kind: str = response.headers.get("content-type", "")
    return kind.partition(";")[0].strip().lower() == "text/event-stream"


async def _streamed(response: httpx.Response, stream: Stream) -> None:
    size = 0
    chunks = response.aiter_raw()
    async for chunk in chunks:
        size += len(chunk)
        if size > stream.max_bytes:
            raise _too_large(stream.max_bytes, response)
        if stream.receive(chunk):
            await _run_out(chunks)
            return


async def _run_out(chunks: AsyncIterator[bytes]) -> None:
    """Looks for the body's end, which mostly comes with the last event: only then is the connection used again."""
    with suppress(TimeoutError, httpx.HTTPError):
        async with asyncio.timeout(_RUN_OUT_S):
            await anext(chunks, None)


async def _whole(response: httpx.Response, limit: int) -> bytes:
    length = response.headers.get("content-length", "")
    if length.isdecimal() and int(length[:20]) > limit:
        raise _too_large(limit, response)
    body = bytearray()
    async for chunk in response.aiter_raw():
        body += chunk
        if len(body) > limit:
            raise _too_large(limit, response)
    return bytes(body)


def _too_large(limit: int, response: httpx.Response) -> Failure:
    return failed(f"an answer of more than {limit:,} bytes", retryable=False, status=response.status_code)


def _failure(problem: Exception, origin: Origin) -> Failure:
    where = f"{origin.host}:{origin.port}"
    if isinstance(problem, httpx.ConnectError):
        return failed(f"no connection to {where}{tls_reason(problem)}", sent=False)
    if isinstance(problem, httpx.LocalProtocolError | httpx.InvalidURL | httpx.UnsupportedProtocol):
        return misconfigured(f"the request to {where} cannot be sent as HTTP")
    if isinstance(problem, httpx.RemoteProtocolError):
        return failed(f"{where} broke off or does not speak HTTP")
    return failed(f"the connection to {where} failed ({type(problem).__name__})")
