"""MCP over streamable HTTP obeys the rules of every other call over HTTP."""

import asyncio
import json
import os
import time

import pytest

from interlock_activities.addresses import AddressRules
from interlock_activities.mcp_tool import McpTransport
from interlock_activities.references import References
from tests.activities.mcp.conftest import ending

pytest.importorskip("mcp", reason="needs the extra `mcp`")

TOKEN = "word-of-honour"
AUTH = {"kind": "bearer", "header": "", "value": "{{ secrets.DESK }}"}


@pytest.fixture
def spoken(serve):
    """A server by hand: `call` gives the bytes for a tool call, everything else is as it must be; `session` its id."""

    def start(call=None, *, session="s1", tls=False, listed=None):
        async def handler(request, writer):
            answer = _answer(request, call, session, listed)
            for piece in answer if isinstance(answer, list) else [answer]:
                writer.write(piece)
                await writer.drain()

        return serve(handler=handler, tls=tls)

    def _answer(request, call, session, listed):
        raw = start.raw
        if not request.line.startswith("POST"):
            return raw(status=405, body=b"")
        asked = json.loads(request.body)
        match asked["method"]:
            case "server/discover":
                return raw(body=_error(asked, -32601))
            case "initialize":
                result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}}
                result["serverInfo"] = {"name": "hand", "version": "1"}
                more = {"mcp_session_id": session, "set_cookie": "track=me"}
                return raw(body={"jsonrpc": "2.0", "id": asked["id"], "result": result}, **more)
            case "tools/list":
                tools = [{"name": "call", "inputSchema": {"type": "object"}}]
                return listed or raw(body={"jsonrpc": "2.0", "id": asked["id"], "result": {"tools": tools}})
            case "tools/call":
                return call(asked) if call else raw(body=_result(asked, {"ok": True}))
        return raw(status=202, body=b"")

    from tests.activities.wire import raw as answer_bytes

    start.raw = answer_bytes
    return start


def _error(asked, code):
    return {"jsonrpc": "2.0", "id": asked["id"], "error": {"code": code, "message": "no"}}


def _result(asked, value):
    return {"jsonrpc": "2.0", "id": asked["id"], "result": {"content": [], "structuredContent": value}}


def url_of(wire, host="127.0.0.1", scheme="http"):
    return f"{scheme}://{host}:{wire.port}/mcp"


def transport(**more):
    environ = dict(os.environ)
    return McpTransport(References(environ, environ), AddressRules(), **more)


def calls_of(wire):
    return [one for one in wire.seen if b"tools/call" in one.body]


# -- directions -------------------------------------------------------------------------------------------------------


def test_credentials_travel_with_every_request_and_no_cookie_does(spoken, asked, answered):
    wire = spoken()
    assert answered(asked("call", url=url_of(wire), auth=AUTH), secrets={"DESK": TOKEN}).payload == {"ok": True}
    assert {one.header("authorization") for one in wire.seen} == {f"Bearer {TOKEN}"}
    assert {one.header("cookie") for one in wire.seen} == {None}
    assert {one.header("host") for one in wire.seen} == {f"127.0.0.1:{wire.port}"}
    assert all(one.header("user-agent").startswith("interlock/") for one in wire.seen)
    assert all(one.header("accept-encoding") == "identity" for one in wire.seen)


def test_the_session_is_ended_when_the_worker_closes(spoken, asked, answered):
    wire = spoken(session="session-7")
    answered(asked("call", url=url_of(wire)))
    assert [one.line.split()[0] for one in wire.seen][-1] == "DELETE"
    assert wire.seen[-1].header("mcp-session-id") == "session-7"


@pytest.mark.parametrize("host", ["169.254.169.254", "[fe80::1]", "0.0.0.0", "[::ffff:169.254.169.254]"])
def test_an_address_that_is_not_allowed_is_never_connected_to(asked, failing, host):
    kind, why, again, details = failing(asked("call", url=f"http://{host}/mcp"))
    assert (kind, again, details["sent"]) == ("tool_error", False, False)
    assert "not allowed" in why


@pytest.mark.parametrize("url", ["ftp://a/mcp", "http://user:word@127.0.0.1/mcp", "http://127.0.0.1/mcp?key=1", "desk"])
def test_an_address_of_another_form_is_a_mistake(asked, failing, url):
    kind, _, again, details = failing(asked("call", url=url))
    assert (kind, again, details["sent"]) == ("tool_misconfigured", False, False)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("where", ["http://127.0.0.1:{port}/elsewhere", "/elsewhere", "http://other.test/mcp"])
def test_no_redirect_is_followed_not_even_to_the_same_origin(spoken, asked, failing, status, where):
    wire = spoken()
    wire = spoken(lambda _asked: spoken.raw(status=status, body=b"", location=where.format(port=wire.port)))
    kind, why, again, details = failing(asked("call", url=url_of(wire), auth=AUTH), secrets={"DESK": TOKEN})
    assert (kind, again, details["status"]) == ("tool_error", False, status)
    assert "not followed" in why
    assert not [one for one in wire.seen if "elsewhere" in one.line]


def test_no_proxy_of_the_environment_is_used(spoken, serve, asked, answered, monkeypatch):
    proxy, wire = serve(), spoken()
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
    assert answered(asked("call", url=url_of(wire))).payload == {"ok": True}
    assert proxy.connections == 0


def test_a_certificate_is_verified_by_the_name_it_is_made_out_to(
    spoken, asked, answered, failing, ca_file, monkeypatch
):
    import socket

    wire = spoken(tls=True)
    real = socket.getaddrinfo
    monkeypatch.setattr(socket, "getaddrinfo", lambda host, *rest, **more: real("127.0.0.1", *rest, **more))
    good = asked("call", url=url_of(wire, "desk.test", "https"))
    assert answered(good, ca_file=ca_file).payload == {"ok": True}
    assert set(wire.names) == {"desk.test"}
    assert {one.header("host") for one in wire.seen} == {f"desk.test:{wire.port}"}
    kind, why, _, details = failing(good)
    assert "certificate is refused" in why
    assert details["sent"] is False
    other = asked("call", url=url_of(wire, "other.test", "https"))
    assert "certificate is refused" in failing(other, ca_file=ca_file)[1]
    assert kind == "tool_error"


def test_nobody_there_is_a_failure_of_that_call_alone(spoken, asked):
    closed = "http://127.0.0.1:1/mcp"

    async def work():
        calls = transport()
        failures = [await ending(calls(asked("call", url=closed))) for _ in range(2)]
        await calls.aclose()
        return failures

    for failure in asyncio.run(work()):
        assert (failure.kind, failure.retryable, failure.sent) == ("error", True, False)
        assert failure.message.startswith("no connection to 127.0.0.1:1")


# -- answers ----------------------------------------------------------------------------------------------------------


def test_the_status_of_a_failed_request_is_told(spoken, asked, failing):
    wire = spoken(lambda _asked: spoken.raw(status=503, body=b"down", retry_after="7", content_type="text/plain"))
    kind, why, again, details = failing(asked("call", url=url_of(wire)))
    assert (kind, why, again, details["status"]) == ("tool_error", "status 503", True, 503)
    wire = spoken(lambda _asked: spoken.raw(status=401, body=b"{}", www_authenticate="Bearer"))
    assert failing(asked("call", url=url_of(wire)))[:3] == ("tool_error", "status 401", False)


def test_a_server_that_has_forgotten_the_session_is_asked_for_another(spoken, asked):
    forgotten = []

    def call(one):
        if not forgotten:
            forgotten.append(one)
            return spoken.raw(status=404, body=b"")
        return spoken.raw(body=_result(one, {"ok": True}))

    wire = spoken(call)

    async def work():
        calls = transport()
        first = await ending(calls(asked("call", url=url_of(wire))))
        second = await calls(asked("call", url=url_of(wire)))
        await calls.aclose()
        return first, second

    first, second = asyncio.run(work())
    assert (first.kind, first.retryable, first.sent) == ("error", True, False)
    assert second.payload == {"ok": True}
    assert len([one for one in wire.seen if b"initialize" in one.body and b"notifications" not in one.body]) == 2


def test_an_answer_that_breaks_off_fails_its_call_and_no_other(spoken, asked):
    def call(one):
        if one["params"]["arguments"].get("break"):
            return spoken.raw(body=b'{"jsonrpc', content_length="500") + b""
        return spoken.raw(body=_result(one, {"ok": True}))

    wire = spoken(call)

    async def work():
        calls = transport()
        good = asked("call", url=url_of(wire))
        await calls(good)
        broken = asyncio.create_task(ending(calls(asked("call", url=url_of(wire), timeout_ms=700, **{"break": True}))))
        others = await asyncio.gather(*(calls(good) for _ in range(5)))
        failure = await broken
        again = await calls(good)
        await calls.aclose()
        return failure, [one.payload for one in (*others, again)]

    failure, payloads = asyncio.run(work())
    assert failure.sent is True
    assert payloads == [{"ok": True}] * 6


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (b'{"a":1,"a":2}', "stands twice"),
        (b'{"a":12345678901234567890.123}', "cannot be kept exactly"),
        (b'{"a":NaN}', "not JSON"),
    ],
)
@pytest.mark.parametrize("kind", ["application/json", "text/event-stream"])
def test_an_answer_is_strict_json_however_it_comes(spoken, asked, failing, value, why, kind):
    def call(one):
        text = b'{"jsonrpc":"2.0","id":%d,"result":{"content":[],"structuredContent":%b}}' % (one["id"], value)
        body = b"event: message\ndata: " + text + b"\n\n" if "event" in kind else text
        return spoken.raw(body=body, content_type=kind)

    failed, told, again, details = failing(asked("call", url=url_of(spoken(call))))
    assert (failed, again, details["sent"]) == ("tool_error", False, True)
    assert why in told


@pytest.mark.parametrize("kind", ["application/json", "text/event-stream"])
def test_an_answer_without_end_is_not_read_to_its_end(spoken, asked, failing, kind):
    def call(_one):
        head = spoken.raw(body=b"data: ", content_type=kind, content_length=None, connection="close")
        return [head, *([b"x" * 1_000_000] * 40)]

    begun = time.monotonic()
    failed, told, again, _ = failing(asked("call", url=url_of(spoken(call))))
    assert (failed, again) == ("tool_error", False)
    assert "more than 16," in told
    assert time.monotonic() - begun < 15


def test_an_answer_of_another_kind_is_refused(spoken, asked, failing):
    wire = spoken(lambda _asked: spoken.raw(body=b"<html>", content_type="text/html"))
    assert "'text/html' is no answer" in failing(asked("call", url=url_of(wire)))[1]
    wire = spoken(lambda one: spoken.raw(body=_result(one, {}), content_encoding="gzip"))
    assert "content encoding 'gzip'" in failing(asked("call", url=url_of(wire)))[1]


def test_an_answer_that_repeats_the_credential_is_dropped(spoken, asked, failing):
    wire = spoken(lambda one: spoken.raw(body=_result(one, {"said": f"you are {TOKEN}"})))
    request = asked("call", url=url_of(wire), auth=AUTH)
    kind, why, _, details = failing(request, secrets={"DESK": TOKEN})
    assert (kind, "repeats a credential" in why) == ("tool_error", True)
    assert TOKEN not in f"{why}{details}"


def test_nothing_of_a_call_is_logged(spoken, asked, answered, failing, caplog, capfd):
    caplog.set_level("DEBUG")
    wire = spoken()
    answered(asked("call", url=url_of(wire), auth=AUTH, order="ORDER-4711"), secrets={"DESK": TOKEN})
    bad = spoken(lambda one: spoken.raw(body=b'{"order": "ORDER-4711", "order": 2}'))
    failing(asked("call", url=url_of(bad), auth=AUTH, order="ORDER-4711"), secrets={"DESK": TOKEN})
    said = capfd.readouterr()
    whole = caplog.text + said.err + said.out
    assert "ORDER-4711" not in whole
    assert TOKEN not in whole


def test_the_deadline_ends_a_call_that_is_never_answered(spoken, asked):
    wire = spoken(lambda _one: [spoken.raw(body=b"", content_length="100")])

    async def work():
        calls = transport()
        begun = time.monotonic()
        failure = await ending(calls(asked("call", url=url_of(wire), timeout_ms=600)))
        taken = time.monotonic() - begun
        await calls.aclose()
        return failure, taken

    failure, taken = asyncio.run(work())
    assert (failure.kind, failure.sent) == ("timeout", True)
    assert taken < 2


def test_a_real_server_over_http_is_called_with_its_token_and_dies_alone(desk, asked, tmp_path):
    url = desk(DESK_SEEN=str(tmp_path / "seen"))

    async def work():
        environ = {**os.environ, "DESK": TOKEN}
        calls = McpTransport(References(environ, environ), AddressRules())
        first = await calls(asked("echo", url=url, auth=AUTH, a=1))
        died = await ending(calls(asked("dies", url=url, auth=AUTH)))
        await asyncio.sleep(0.3)
        after = await ending(calls(asked("echo", url=url, auth=AUTH)))
        await calls.aclose()
        return first, died, after

    first, died, after = asyncio.run(work())
    assert first.payload == {"a": 1}
    assert (died.kind, died.sent) == ("error", True)
    assert (after.kind, after.sent) == ("error", False)
    assert f"Bearer {TOKEN}" in (tmp_path / "seen").read_text()
