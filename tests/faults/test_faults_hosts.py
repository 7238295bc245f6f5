"""Answers, arguments, names and certificates that lead elsewhere: no connection outside the declared hosts, no key to a stranger."""

import socket
import ssl
import threading
from pathlib import Path

import pytest
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from interlock.contract import calls
from interlock.interpreter.commands import CallTool
from interlock_activities.registry import Activities
from interlock_workflows import calling

TLS = Path(__file__).with_name("tls")
"""A CA and what it signed, from 2020 to 2120, all for one key; the names say what is wrong with each."""


class Trap:
    """Listens where nobody may come: counts connections, and keeps what they say."""

    def __init__(self, host, port=0, tls=None):
        self.host = host
        self.connections, self.said, self._tls = 0, b"", tls
        self._socket = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
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
                if self._tls is not None:
                    connection = self._tls.wrap_socket(connection, server_side=True)
                self.said += connection.recv(65_536)
                connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}")
            except OSError:
                pass
            connection.close()

    def close(self):
        """Listen no more."""
        self._socket.close()


def ways_to(port):
    """How an answer may name 127.0.0.2, or ::1, and the traps' port."""
    hosts = [
        "127.0.0.2", "127.2", "127.0.2", "2130706434", "0x7f000002", "0x7f.0.0.2", "0177.0.0.2", "0177.0x0.0.2", "[::ffff:127.0.0.2]",
        "[::ffff:7f00:2]", "127.0.0.2.", "trap.test", "TRAP.test", "trap.test.", "items.test@127.0.0.2", "items.test:80@127.0.0.2",
        "１２７.0.0.2", "127。0。0。2", "127.0.0.2%2f", "localhost.@trap.test", "moving.test",
        *(f"[{address}]" for address in (*SIXES, *TUNNELS)), "::1", "[::1]@127.0.0.2", "[127.0.0.2]", "six.test", "[::1", "::1]",
    ]  # fmt: skip
    schemes = ["http://", "HTTP://", "//", "/\\", "\\\\", "http:", "http:/", "https://", " http://", "http:\\\\", "ftp://", "http://\t"]  # fmt: skip
    return [f"{scheme}{host}:{port}{path}" for scheme in schemes for host in hosts for path in ("/steal", "")]


SIXES = [
    "::1",
    "0:0:0:0:0:0:0:1",
    "0000:0000:0000:0000:0000:0000:0000:0001",
    "::0.0.0.1",
    "0::1",
    "::1%lo",
    "::1%25lo",
    "::1%1",
    "fe80::1%25lo",
]
TUNNELS = [
    "::ffff:127.0.0.2%25lo", "0:0:0:0:0:ffff:7f00:0002", "::127.0.0.2", "::7f00:2", "::ffff:0:127.0.0.2", "64:ff9b::127.0.0.2", "64:ff9b::7f00:2",
    "64:ff9b:1::7f00:2", "2002:7f00:2::1", "2001:0:7f00:2::80ff:fffd", "fe80::5efe:127.0.0.2", "fec0::5efe:7f00:2",
]  # fmt: skip
"""Forms of IPv6 that hold 127.0.0.2: mapped, compatible, translated, NAT64, 6to4, Teredo, ISATAP."""

REFUSED = [
    "0.0.0.0", "::", "::ffff:0.0.0.0", "64:ff9b::", "64:ff9b::0.0.0.0", "2002::1", "::127.0.0.2", "::ffff:0:127.0.0.2", "64:ff9b:1::7f00:2",
    "2001:0:7f00:2::80ff:fffd", "169.254.169.254", "::ffff:169.254.169.254", "64:ff9b::169.254.169.254", "2002:a9fe:a9fe::1", "fe80::1",
    "fe80::1%lo", "fe80::5efe:127.0.0.2", "fd00:ec2::254", "fd20:ce::254", "100.100.100.200", "::ffff:100.100.100.200", "224.0.0.1", "ff02::1",
    "ff02::1%lo", "255.255.255.255", "240.0.0.1",
]  # fmt: skip
"""What a declared name may resolve to, and is still not connected to; the first would reach this machine."""

ARGUMENTS = ["@127.0.0.2:{port}/", "//127.0.0.2:{port}/", "/../..//127.0.0.2:{port}", "..", ".", "%2e%2e", "?x#", "\r\nHost: 127.0.0.2:{port}",
             "http://127.0.0.2:{port}/", "#@127.0.0.2:{port}", ";@127.0.0.2:{port}", "\\\\127.0.0.2:{port}", "a b", "单号"]  # fmt: skip


@pytest.fixture
def traps():
    """One on 127.0.0.2 and one on ::1, on the same port."""
    first = Trap("127.0.0.2")
    second = Trap("::1", first.port)
    yield [first, second]
    first.close()
    second.close()


@pytest.fixture
def trap(traps):
    return traps[0]


@pytest.fixture
def names(monkeypatch, trap):
    """The names of this test: `moving.test` is somewhere else each time it is looked up."""
    looked_up = []
    real = socket.getaddrinfo
    table = {
        "items.test": ["127.0.0.1"],
        "trap.test": [trap.host],
        "moving.test": ["127.0.0.1", trap.host],
        "six.test": ["::1"],
    }
    table |= {f"r{number}.test": [address] for number, address in enumerate(REFUSED)}

    def look_up(host, port, *args, **kwargs):
        name = host.decode() if isinstance(host, bytes) else host
        looked_up.append(name)
        if str(name).rstrip(".").lower() not in table:
            return real(host, port, *args, **kwargs)
        places = table[str(name).rstrip(".").lower()]
        place = places[len(looked_up) % len(places)]
        family = socket.AF_INET6 if ":" in place else socket.AF_INET
        return [(family, socket.SOCK_STREAM, 6, "", (place, port, 0, 0) if ":" in place else (place, port))]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    return looked_up


@pytest.fixture
def proxies(monkeypatch, trap):
    """What an environment may say of proxies."""
    for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, f"http://{trap.host}:{trap.port}")
    monkeypatch.setenv("NO_PROXY", "")


async def test_no_connection_outside_the_declared_hosts(row, world, traps, trap, names, proxies, desk):
    """Redirects of every spelling, rebinding names, proxies of the environment, arguments that look like hosts."""
    tool = desk.tools["find_item"]
    with world.service() as items:
        activities = Activities(world.settings([desk], items.url))
        try:
            for status in (301, 302, 303, 307, 308):
                for way in row.dice.sample(ways_to(trap.port), row.times(80, 1_000)):
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
    for one in traps:
        row.expect(not one.connections, "connections to a trap", one.host, one.connections, one.said[:300])


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
        await ActivityEnvironment().run(activities.callables[0], calling.request_of(plan, tool, "run", call))
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


async def test_a_declared_name_that_leads_to_a_refused_address_is_not_connected_to(row, world, names, proxies, desk):
    """As the target of a declared redirect and as the server itself; a trap listens on every address of this machine."""
    anywhere = [Trap("0.0.0.0")]
    port = anywhere[0].port
    anywhere.append(Trap("::", port))
    with world.service() as items:
        activities = Activities(world.settings([desk], items.url))
        try:
            for number in range(len(REFUSED)):
                name = f"r{number}.test:{port}"
                server = desk.servers["items"].model_copy(update={"redirects": (name,)})
                plan = desk.model_copy(update={"servers": {"items": server}})
                fault = redirecting(307, f"http://{name}/steal")
                await called(row, items, activities, plan, plan.tools["find_item"], "4" * 9, fault, "redirect")
                server = desk.servers["items"].model_copy(update={"http": f"http://{name}"})
                plan = desk.model_copy(update={"servers": {"items": server}})
                asked = len(names)
                await called(row, items, activities, plan, plan.tools["find_item"], "4" * 9, None, "server")
                row.hit["server"] += len(names) > asked
        finally:
            await activities.aclose()
    for one in anywhere:
        one.close()
        row.expect(not one.connections, "connections", one.host, one.connections, one.said[:300])
    row.expect(row.hit["redirect"] == row.hit["server"] == len(REFUSED), "not all were tried", row.hit)


@pytest.mark.parametrize("redirected", [False, True], ids=["server", "redirect"])
async def test_nothing_is_said_to_a_server_with_the_wrong_certificate(row, world, names, proxies, desk, redirected):
    """Every certificate but the right one: no request, and so no key, is sent after the handshake."""
    for file in sorted(TLS.glob("*.pem")):
        if file.stem in ("ca", "key"):
            continue
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(file, TLS / "key.pem")
        trap = Trap("127.0.0.1", tls=context)
        with world.service() as items:
            secure = f"items.test:{trap.port}"
            change = {"redirects": (secure,)} if redirected else {"http": f"https://{secure}"}
            server = desk.servers["items"].model_copy(update=change)
            plan = desk.model_copy(update={"servers": {"items": server}})
            activities = Activities(world.settings([plan], items.url, ca_file=str(TLS / "ca.pem")))
            fault = redirecting(307, f"https://{secure}/items/1") if redirected else None
            try:
                await called(row, items, activities, plan, plan.tools["find_item"], "3" * 9, fault, file.stem)
            finally:
                await activities.aclose()
                trap.close()
        row.hit[file.stem] = trap.connections
        right = file.stem == "right"
        row.expect(bool(trap.said) == right, "said to", file.stem, trap.said[:300])
        row.expect(trap.connections == 1, "connections", file.stem, trap.connections)
        if right and not redirected:
            row.expect(b"x-key" in trap.said.lower(), "the key did not come", trap.said[:300])
