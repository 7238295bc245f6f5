"""Tools that fail, lie, hang or send elsewhere: a defined outcome within the deadline, and no connection to anybody else."""

import json
import socket
import threading
import time

import pytest
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from interlock.contract import calls
from interlock.interpreter.commands import CallTool
from interlock.interpreter.events import ToolReturned
from interlock_activities.registry import Activities
from interlock_workflows import driver

TIMEOUT_MS = 400
AT_ONCE = 16
SLACK_S = 2.5
"""What a busy machine may add to a deadline."""

OUTCOMES = {"answer", "refuse", "error", "ask"}


def quick(plan):
    """The plan with short deadlines, and without the flows' own words for failures in every other case."""
    tools = {name: tool.model_copy(update={"timeout_ms": TIMEOUT_MS}) for name, tool in plan.tools.items()}
    return plan.model_copy(update={"tools": tools})


async def took(row, plan, callables, conversation, text):
    """One turn with its calls as activities; its reply and its seconds."""
    started = time.monotonic()
    commands = conversation.begin(text)
    while any(isinstance(one, CallTool) for one in commands):
        call = next(one for one in commands if isinstance(one, CallTool))
        conversation.calls.append((call.tool, call.arguments))
        commands = conversation.machine.handle(await end_of(row, plan, callables, conversation, call))
    return conversation.finish(commands), time.monotonic() - started


async def end_of(row, plan, callables, conversation, call):
    """The end of one attempt, as the workflow would tell it to the machine."""
    request = driver._request(plan, plan.tools[call.tool], "run", call)
    now = conversation.now_ms
    try:
        answer = await ActivityEnvironment().run(callables[0], request)
    except ApplicationError as failure:
        known = calls.details_of(failure.details, "timeout" if failure.type == calls.TOOL_TIMEOUT else "error")
        row.expect(failure.type in (calls.TOOL_TIMEOUT, calls.TOOL_ERROR), "failure type", failure.type, str(failure))
        row.expect(len(str(failure)) < 1_000, "a long failure", len(str(failure)))
        row.expect(failure.__cause__ is None, "a cause enters the history", repr(failure.__cause__))
        return ToolReturned(call.call_id, known.ending, now, known.status, known.payload, failure.message)
    return ToolReturned(call.call_id, "returned", now, answer.status, answer.payload)


def hang(handler):
    """Say nothing until the client gives up."""
    handler.connection.settimeout(5)
    handler.rfile.read(1)


def drip(handler):
    """A body that comes a byte at a time and never ends within the deadline."""
    handler.send(200, b"", content_length="100000")
    for _ in range(40):
        handler.wfile.write(b" ")
        handler.wfile.flush()
        time.sleep(0.05)


def drip_headers(handler):
    """Headers that never end."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
    for number in range(40):
        handler.wfile.write(f"x-{number}: y\r\n".encode())
        handler.wfile.flush()
        time.sleep(0.05)


def endless_headers(handler):
    """Headers as fast as they can be sent."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
    handler.wfile.write(b"x-long: " + b"y" * 3_000_000 + b"\r\n\r\n")


def large(handler):
    """50 MB of good JSON."""
    handler.send(200, b'{"no":"1","place":"' + b"x" * 50_000_000 + b'"}')


def large_chunks(handler):
    """50 MB without a length."""
    handler.send_response(200)
    handler.send_header("content-type", "application/json")
    handler.send_header("transfer-encoding", "chunked")
    handler.end_headers()
    for _ in range(50):
        handler.wfile.write(b"f4240\r\n" + b" " * 1_000_000 + b"\r\n")


def garbage(handler):
    """Not HTTP."""
    handler.wfile.write(handler.server.dice.randbytes(400))
    handler.close_connection = True


def half(handler):
    """Less than was promised, then a reset."""
    handler.send(200, b'{"no": "1"', content_length="400")
    handler.reset()


CONTENTS = [
    b"", b"null", b"[]", b"0", b'"text"', b"{}", b"{", b"NaN", b'{"no": NaN, "place": "x"}', b'{"no":"1","no":"2","place":"x"}',
    b'{"no": 12345, "place": "x"}', b'{"no": "1", "place": null}', b'{"no": ["1"], "place": {}}', b"<html>", b"\xff\xfe\x00",
    b"[" * 99_999, b"1" * 9_999, b'{"no":"\\ud800","place":"x"}', b'{"no":"","place":""}', b'{"no":"7","place":"x","__class__":1}',
    b'{"no":"{{ 9**9 }}","place":"{% for %}"}', b'{"$ref":"http://127.0.0.2/"}', b'{"no":1e999,"place":"x"}', b'  {"no":"1","place":"x"}  ',
    b'\xef\xbb\xbf{"no":"1","place":"x"}', b'{"no":"1","place":"' + b"x" * 250_000 + b'"}', b'{"no":"1","place":"x"} trailing',
]  # fmt: skip
STATUSES = [200, 200, 200, 201, 202, 204, 206, 299, 300, 301, 304, 400, 401, 403, 404, 408, 409, 410, 418, 422, 425, 429, 451, 500, 501, 502, 503, 504, 599]  # fmt: skip
TYPES = ["application/json", "application/json", "application/json; charset=utf-8", "text/html", "application/xml", "", "application/json; charset=latin-1", "x" * 5_000]  # fmt: skip
BROKEN = [hang, drip, drip_headers, endless_headers, large, large_chunks, garbage, half, lambda handler: handler.reset()]  # fmt: skip


def a_fault(dice):
    """A way for a service to misbehave, and its name."""
    if dice.random() < 0.4:
        fault = dice.choice(BROKEN)
        return fault, fault.__name__.strip("<>") if fault.__name__ != "<lambda>" else "reset"
    status, content, kind = dice.choice(STATUSES), dice.choice(CONTENTS), dice.choice(TYPES)
    more = {"retry_after": dice.choice(["1", "-1", "9" * 40, "soon", "Mon, 01 Jan 2001 00:00:00 GMT"])} if dice.random() < 0.2 else {}  # fmt: skip
    if dice.random() < 0.1:
        more["content_encoding"] = dice.choice(["gzip", "br", "identity", "x"])
    if dice.random() < 0.1:
        more["content_length"] = dice.choice(["-1", "9" * 30, "abc", "0"])
    return (lambda handler: handler.send(status, content, content_type=kind, **more)), f"status {status // 100}xx"


@pytest.mark.slow
async def test_tool_faults_end_in_a_defined_outcome_within_the_deadline(row, world, talk, desk):
    plan, count = quick(desk), row.times(500, 50_000)
    with world.service() as items:
        items.dice = row.dice
        activities = Activities(world.settings([plan], items.url))

        async def one(number):
            fault, name = a_fault(row.dice)
            items.faults[f"6{number:07}"] = fault
            row.injected[name] += 1
            conversation = talk.Talk(plan)
            reply, seconds = await took(row, plan, activities.callables, conversation, f"find 6{number:07}")
            row.hit[name] += any(asked["no"] == f"6{number:07}" for _, asked, _ in items.calls)
            row.expect(seconds < TIMEOUT_MS / 1000 + SLACK_S, "late", name, seconds)
            row.expect(reply["outcome"] in OUTCOMES and reply["text"], "outcome", name, reply)
            row.expect(len(json.dumps(conversation.state.as_json())) < 700_000, "a large state", name)
            conversation.say("hello")

        try:
            await world.gathered((one(number) for number in range(count)), AT_ONCE)
        finally:
            await activities.aclose()
        # Some calls meet a kept connection that the fault before has broken, or a busy machine.
        row.expect(row.hit.total() > count * 0.7, "too few were called", row.hit.total())


# -- hosts ----------------------------------------------------------------------------------------------------------------


class Trap:
    """Listens where nobody may come: counts connections, and keeps what they say."""

    def __init__(self, host):
        self.host = host
        self.connections, self.said = 0, b""
        self._socket = socket.create_server((host, 0), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
        self.port = self._socket.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            self.connections += 1
            connection.settimeout(1)
            try:
                self.said += connection.recv(65_536)
                connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}")
            except OSError:
                pass
            connection.close()

    def close(self):
        """Listen no more."""
        self._socket.close()


def ways_to(port):
    """How an answer may name 127.0.0.2 and the trap's port."""
    hosts = [
        "127.0.0.2", "127.2", "127.0.2", "2130706434", "0x7f000002", "0x7f.0.0.2", "0177.0.0.2", "0177.0x0.0.2", "[::ffff:127.0.0.2]",
        "[::ffff:7f00:2]", "127.0.0.2.", "trap.test", "TRAP.test", "trap.test.", "items.test@127.0.0.2", "items.test:80@127.0.0.2",
        "１２７.0.0.2", "127。0。0。2", "127.0.0.2%2f", "localhost.@trap.test", "moving.test",
    ]  # fmt: skip
    schemes = ["http://", "HTTP://", "//", "/\\", "\\\\", "http:", "http:/", "https://", " http://", "http:\\\\", "ftp://", "http://\t"]  # fmt: skip
    return [f"{scheme}{host}:{port}{path}" for scheme in schemes for host in hosts for path in ("/steal", "")]


ARGUMENTS = ["@127.0.0.2:{port}/", "//127.0.0.2:{port}/", "/../..//127.0.0.2:{port}", "..", ".", "%2e%2e", "?x#", "\r\nHost: 127.0.0.2:{port}",
             "http://127.0.0.2:{port}/", "#@127.0.0.2:{port}", ";@127.0.0.2:{port}", "\\\\127.0.0.2:{port}", "a b", "单号"]  # fmt: skip


@pytest.fixture
def trap():
    trap = Trap("127.0.0.2")
    yield trap
    trap.close()


@pytest.fixture
def names(monkeypatch, trap):
    """The names of this test: `moving.test` is somewhere else each time it is looked up."""
    looked_up = []
    real = socket.getaddrinfo
    table = {"items.test": ["127.0.0.1"], "trap.test": [trap.host], "moving.test": ["127.0.0.1", trap.host]}

    def look_up(host, port, *args, **kwargs):
        name = host.decode() if isinstance(host, bytes) else host
        looked_up.append(name)
        if str(name).rstrip(".").lower() not in table:
            return real(host, port, *args, **kwargs)
        places = table[str(name).rstrip(".").lower()]
        place = places[len(looked_up) % len(places)]
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (place, port))]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    return looked_up


@pytest.fixture
def proxies(monkeypatch, trap):
    """What an environment may say of proxies."""
    for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, f"http://{trap.host}:{trap.port}")
    monkeypatch.setenv("NO_PROXY", "")


async def test_no_connection_outside_the_declared_hosts(row, world, trap, names, proxies, desk):
    """Redirects of every spelling, rebinding names, proxies of the environment, arguments that look like hosts."""
    tool = desk.tools["find_item"]
    with world.service() as items:
        activities = Activities(world.settings([desk], items.url))
        try:
            for status in (301, 302, 303, 307, 308):
                for way in row.dice.sample(ways_to(trap.port), row.times(80, 504)):
                    await called(row, items, activities, desk, tool, "7" * 9, redirecting(status, way), "redirect")
            for name in ("refresh", "link", "alt-svc", "content-location", "x-forwarded-host", "set-cookie"):
                fault = elsewhere(name, f"http://{trap.host}:{trap.port}/steal")
                await called(row, items, activities, desk, tool, "8" * 9, fault, "header")
            for text in ARGUMENTS:
                await called(row, items, activities, desk, tool, text.format(port=trap.port), None, "argument")
        finally:
            await activities.aclose()
        cookies = [call for call in items.cookies if call]
        row.expect(not cookies, "a cookie came back", cookies[:3])
    row.expect(not trap.connections, "connections to the trap", trap.connections, trap.said[:300])


def redirecting(status, way):
    """An answer that sends elsewhere."""
    return lambda handler: handler.send(status, b"", location=way.encode().decode("latin-1"))


def elsewhere(name, value):
    """A good answer with a header that names another host."""
    return lambda handler: handler.send(200, b'{"no":"1","place":"x"}', **{name.replace("-", "_"): value})


async def called(row, items, activities, plan, tool, number, fault, kind):
    """One call whose answer, or argument, points to the trap."""
    row.injected[kind] += 1
    if fault:
        items.faults[number] = fault
    before = len(items.calls)
    call = CallTool(f"c{row.injected.total()}", "find_item", {"no": number, "q": number, "x_no": "1"}, "s", "a:1:1")
    try:
        await ActivityEnvironment().run(activities.callables[0], driver._request(plan, tool, "run", call))
    except ApplicationError as failure:
        row.expect(failure.type in (calls.TOOL_ERROR, calls.TOOL_MISCONFIGURED), "failure type", failure.type)
    row.hit[kind] += len(items.calls) > before or kind == "argument"


async def test_declared_redirects_lose_the_key(row, world, trap, names, proxies, desk):
    """A redirect that the spec allows is followed, without a header of ours; to a name that moved it is judged again."""
    with world.service() as items:
        server = desk.servers["items"].model_copy(update={"redirects": (f"trap.test:{trap.port}",)})
        plan = desk.model_copy(update={"servers": {"items": server}})
        activities = Activities(world.settings([plan], items.url))
        try:
            for status in (301, 302, 303, 307, 308):
                for host in ("trap.test", "TRAP.test"):
                    fault = redirecting(status, f"http://{host}:{trap.port}/moved")
                    await called(
                        row, items, activities, plan, plan.tools["find_item"], "5" * 9, fault, "declared redirect"
                    )
        finally:
            await activities.aclose()
        row.hit["followed"] += trap.connections
        row.expect(trap.connections == row.injected["declared redirect"], "not followed", trap.connections)
        said = trap.said.lower()
        row.expect(world.SECRET.lower().encode() not in said and b"x-key" not in said, "the key left", trap.said[:300])
        row.expect(b"x-no" not in said and b"cookie" not in said, "an argument's header left", trap.said[:300])
