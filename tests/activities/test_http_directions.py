import asyncio
import ipaddress
import socket
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st
from temporalio.exceptions import ApplicationError

from interlock_activities.addresses import AddressRules, Origin, leads_inside, normal_host, parse_url
from interlock_activities.failures import Failure
from interlock_activities.http_client import HttpClient
from interlock_activities.http_request import outgoing
from interlock_activities.references import References

AUTH = {"kind": "header", "header": "x-key", "value": "{{ secrets.KEY }}"}
KEY = {"KEY": "planted-secret"}


def redirect(answer_bytes, to, status=302):
    return answer_bytes(status, b"", location=to)


def test_an_undeclared_redirect_goes_nowhere(serve, request_to, call, answer_bytes):
    other = serve()
    wire = serve(redirect(answer_bytes, f"http://127.0.0.1:{other.port}/steal"))
    with pytest.raises(
        ApplicationError, match=r"status 302, a redirect that is not followed: '127.0.0.1' is not declared"
    ):
        call(request_to(wire, server={"auth": AUTH}), secrets=KEY)
    assert other.connections == 0


def test_an_undeclared_redirect_on_the_same_server_goes_nowhere(serve, request_to, call, answer_bytes):
    wire = serve(redirect(answer_bytes, "/elsewhere"))
    with pytest.raises(ApplicationError, match="a redirect that is not followed"):
        call(request_to(wire))
    assert len(wire.seen) == 1


@pytest.mark.parametrize("declared", ["127.0.0.2", "127.0.0.1", "desk.test:{port}"])
def test_a_redirect_to_a_host_that_is_not_among_the_declared_goes_nowhere(
    serve, request_to, call, answer_bytes, declared
):
    other = serve()
    wire = serve(redirect(answer_bytes, f"http://127.0.0.1:{other.port}/steal"))
    server = {"redirects": [declared.format(port=other.port)]}
    with pytest.raises(ApplicationError, match="is not declared"):
        call(request_to(wire, server=server))
    assert other.connections == 0


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_declared_redirect_is_followed_without_credentials(serve, request_to, call, answer_bytes, status):
    other = serve(answer_bytes(body={"there": True}))
    wire = serve(redirect(answer_bytes, f"http://127.0.0.1:{other.port}/moved?x=1#top", status))
    server = {"auth": AUTH, "redirects": [f"127.0.0.1:{other.port}"]}
    arguments = [("authorization", "header", "Bearer of-the-argument"), ("x-session", "header", "1")]
    answer = call(request_to(wire, server=server, arguments=arguments), secrets=KEY)
    assert answer.payload == {"there": True}
    assert wire.seen[0].header("x-key") == "planted-secret"
    assert other.seen[0].line == "GET /moved?x=1 HTTP/1.1"
    assert other.seen[0].header("host") == f"127.0.0.1:{other.port}"
    assert sorted(name for name, _ in other.seen[0].headers) == ["accept", "accept-encoding", "host", "user-agent"]


def test_a_redirect_on_the_declared_server_keeps_credentials(serve, request_to, call, answer_bytes):
    wire = serve([redirect(answer_bytes, "../new/items"), answer_bytes(body=[1])])
    server = {"auth": AUTH, "redirects": ["elsewhere.test"]}
    assert call(request_to(wire, "/old/items", server=server), secrets=KEY).payload == [1]
    assert [seen.line for seen in wire.seen] == ["GET /old/items HTTP/1.1", "GET /new/items HTTP/1.1"]
    assert wire.seen[1].header("x-key") == "planted-secret"


def test_credentials_do_not_come_back_after_a_detour(serve, request_to, call, answer_bytes):
    wire = serve()
    other = serve(redirect(answer_bytes, f"http://127.0.0.1:{wire.port}/back"))
    answers = [redirect(answer_bytes, f"http://127.0.0.1:{other.port}/"), answer_bytes()]

    async def first_away(_request, writer):
        writer.write(answers.pop(0))
        await writer.drain()

    wire.handler = first_away
    call(request_to(wire, server={"auth": AUTH, "redirects": [f"127.0.0.1:{other.port}"]}), secrets=KEY)
    assert [seen.header("x-key") for seen in wire.seen] == ["planted-secret", None]


@pytest.mark.parametrize(
    ("method", "arguments"), [("POST", [("id", "body", "1")]), ("POST", []), ("GET", [("id", "body", "1")])]
)
def test_only_a_plain_get_is_sent_on(serve, request_to, call, method, arguments):
    other = serve()
    wire = serve(status=307, location=f"http://127.0.0.1:{other.port}/")
    server = {"redirects": [f"127.0.0.1:{other.port}"]}
    with pytest.raises(ApplicationError, match="only a GET without a body is sent on"):
        call(request_to(wire, method=method, server=server, arguments=arguments))
    assert other.connections == 0


def test_redirects_in_a_circle_end(serve, request_to, call, answer_bytes):
    wire = serve(redirect(answer_bytes, "/items"))
    with pytest.raises(ApplicationError, match="more than 5 redirects"):
        call(request_to(wire, server={"redirects": ["elsewhere.test"]}))
    assert len(wire.seen) == 6


@pytest.mark.parametrize(
    "location",
    [
        "http://user:pw@127.0.0.1/",
        "gopher://x/",
        "http://127.0.0.1\\@evil/",
        "//evil.test/x",
        "http://[::1",
        "http://é/",
    ],
)
def test_odd_locations_go_nowhere(serve, request_to, call, answer_bytes, location):
    wire = serve(redirect(answer_bytes, location.encode().decode("latin-1")))
    with pytest.raises(ApplicationError, match="a redirect that is not followed"):
        call(request_to(wire, server={"redirects": ["elsewhere.test"]}))


def test_a_redirect_from_outside_may_not_enter_a_private_network():
    public, private = ipaddress.ip_address("93.184.216.34"), ipaddress.ip_address("10.0.0.1")
    assert leads_inside([public], [private])
    assert leads_inside([public], [public, ipaddress.ip_address("::1")])
    assert leads_inside([public], [ipaddress.ip_address("fec0::1")])
    assert not leads_inside([private], [ipaddress.ip_address("127.0.0.1")])
    assert not leads_inside([public], [public])


def test_a_redirect_from_a_public_server_to_this_machine_goes_nowhere(serve, request_to, answer_bytes):
    class Outside(ipaddress.IPv4Address):
        """An address of this machine that says it is a public one."""

        is_global = True

    class Rules:
        async def resolve(self, origin):
            return [Outside("127.0.0.1") if origin.host == "desk.test" else ipaddress.ip_address("127.0.0.1")]

    other = serve()
    wire = serve(redirect(answer_bytes, f"http://inner.test:{other.port}/"))
    request = request_to(http=f"http://desk.test:{wire.port}", server={"redirects": [f"inner.test:{other.port}"]})

    async def work():
        client = HttpClient(Rules())
        try:
            await client.send(outgoing(request, References({}, {})))
        finally:
            await client.aclose()

    with pytest.raises(Failure, match=r"a redirect to 'inner.test' leads into a private network"):
        asyncio.run(work())
    assert len(wire.seen) == 1
    assert other.connections == 0


def test_a_redirect_that_leaves_tls_goes_nowhere(serve, request_to, call, monkeypatch, ca_file):
    other = serve()
    location = f"http://127.0.0.1:{other.port}/"
    wire = serve(status=302, location=location, tls=True)
    _names(monkeypatch, {"desk.test": [["127.0.0.1"]]})
    request = request_to(http=f"https://desk.test:{wire.port}", server={"redirects": [f"127.0.0.1:{other.port}"]})
    with pytest.raises(ApplicationError, match=r"'127.0.0.1' is addressed without TLS"):
        call(request, ca_file=ca_file)
    assert other.connections == 0


@pytest.mark.parametrize(
    ("written", "host"),
    [
        ("0x7f.1", "127.0.0.1"),
        ("2130706433", "127.0.0.1"),
        ("0177.0.0.1", "127.0.0.1"),
        ("127.1", "127.0.0.1"),
        ("[::ffff:127.0.0.1]", "127.0.0.1"),
        ("[64:ff9b::a9fe:a9fe]", "169.254.169.254"),
        ("[2002:a9fe:a9fe::1]", "169.254.169.254"),
        ("[0:0:0:0:0:0:0:1]", "::1"),
        ("[::ffff:a9fe:a9fe]", "169.254.169.254"),
        ("[::0.0.0.1]", "::1"),
        ("Desk.Example.", "desk.example"),
        ("1.2.3.4.5", ""),
        ("256.1.1.1", ""),
        ("0x", ""),
        ("desk.0xg", "desk.0xg"),
        ("[::zz]", ""),
    ],
)
def test_hosts_have_one_form(written, host):
    assert normal_host(written) == host


@given(st.text(max_size=40) | st.from_regex(r"https?://[^/]{0,20}(/.{0,10})?", fullmatch=True))
def test_a_url_is_taken_apart_or_refused(text):
    url = parse_url(text)
    if url is not None:
        assert url.origin.host
        assert url.origin.host.isascii()
        assert "@" not in url.origin.header


@pytest.mark.parametrize(
    "url",
    [
        "http://169.254.169.254",
        "http://0xa9fea9fe",
        "http://2852039166",
        "http://[::ffff:169.254.169.254]",
        "http://[fe80::1]",
        "http://[fd00:ec2::254]",
        "http://[fd20:ce::254]",
        "http://[::169.254.169.254]",
        "http://[::ffff:0:169.254.169.254]",
        "http://[64:ff9b::169.254.169.254]",
        "http://[64:ff9b:1::a9fe:a9fe]",
        "http://[2002:a9fe:a9fe::1]",
        "http://[2001:0:a9fe:a9fe::5601:5601]",
        "http://[::ffff:0.0.0.0]",
        "http://100.100.100.200",
        "http://0.0.0.0",
        "http://[::]",
        "http://224.0.0.1",
        "http://255.255.255.255",
    ],
)
def test_metadata_and_odd_addresses_are_refused(request_to, call, url):
    with pytest.raises(ApplicationError, match="resolves to an address that is not allowed") as refused:
        call(request_to(http=url))
    assert refused.value.non_retryable


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "10.1.2.3", "192.168.0.1", "fd12::1", "93.184.216.34"])
def test_private_and_public_servers_are_ordinary(host):
    assert _resolved(AddressRules(), host) == [ipaddress.ip_address(host)]


def test_an_operator_may_allow_an_address():
    assert _resolved(AddressRules(["169.254.0.0/16"]), "169.254.1.2")
    with pytest.raises(Failure):
        _resolved(AddressRules(["169.254.1.0/24"]), "169.254.169.254")
    with pytest.raises(ValueError, match="INTERLOCK_ALLOW_ADDRESSES: 'local'"):
        AddressRules(["local"])


def test_one_refused_address_refuses_the_host(serve, request_to, call, monkeypatch):
    wire = serve()
    _names(monkeypatch, {"desk.test": [["127.0.0.1", "169.254.169.254"]]})
    with pytest.raises(ApplicationError, match=r"host 'desk.test' resolves to an address that is not allowed"):
        call(request_to(http=f"http://desk.test:{wire.port}"))
    assert wire.connections == 0


def test_a_name_is_resolved_once_and_connected_to_as_judged(serve, request_to, call, monkeypatch):
    wire = serve()
    asked = _names(monkeypatch, {"desk.test": [["127.0.0.1"], ["169.254.169.254"]]})
    call(request_to(http=f"http://desk.test:{wire.port}"))
    assert asked == ["desk.test"]
    assert wire.seen[0].header("host") == f"desk.test:{wire.port}"


def test_a_name_that_moves_between_calls_is_judged_again(serve, request_to, call, monkeypatch):
    wire = serve()
    _names(monkeypatch, {"desk.test": [["127.0.0.1"], ["169.254.169.254"]]})
    request = request_to(http=f"http://desk.test:{wire.port}")
    with pytest.raises(ApplicationError, match="not allowed"):
        call(request, request)
    assert len(wire.seen) == 1


def test_the_next_address_is_tried_where_the_first_takes_no_connection(serve, request_to, call, monkeypatch):
    wire = serve()
    _names(monkeypatch, {"desk.test": [["127.0.0.2", "127.0.0.1"]]})
    assert call(request_to(http=f"http://desk.test:{wire.port}")).status == 200


def test_an_unknown_name_is_retried(request_to, call, monkeypatch):
    _names(monkeypatch, {})
    with pytest.raises(ApplicationError, match=r"host 'nowhere.test' cannot be resolved") as failure:
        call(request_to(http="http://nowhere.test"))
    assert not failure.value.non_retryable


def test_a_certificate_nobody_vouches_for_is_refused(serve, request_to, call, monkeypatch):
    wire = serve(tls=True)
    _names(monkeypatch, {"desk.test": [["127.0.0.1"]]})
    with pytest.raises(ApplicationError, match="its certificate is refused"):
        call(request_to(http=f"https://desk.test:{wire.port}"))
    assert wire.seen == []


def test_tls_is_verified_against_the_declared_name(serve, request_to, call, monkeypatch, ca_file):
    wire = serve(tls=True)
    _names(monkeypatch, {"desk.test": [["127.0.0.1"]], "other.test": [["127.0.0.1"]]})
    assert call(request_to(http=f"https://desk.test:{wire.port}"), ca_file=ca_file).status == 200
    assert wire.names == ["desk.test"]
    with pytest.raises(ApplicationError, match="its certificate is refused"):
        call(request_to(http=f"https://other.test:{wire.port}"), ca_file=ca_file)


def test_tls_towards_a_plain_server_fails_cleanly(request_to, call):
    def answer():
        connection, _ = server.accept()
        with connection:
            connection.recv(4_096)
            connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=answer, daemon=True).start()
        port = server.getsockname()[1]
        with pytest.raises(ApplicationError, match=f"no connection to 127.0.0.1:{port}: no TLS") as failure:
            call(request_to(http=f"https://127.0.0.1:{port}"))
    assert not failure.value.non_retryable


def _resolved(rules, host):
    return asyncio.run(rules.resolve(Origin("http", host, 80)))


def _names(monkeypatch, table):
    """Stands in for the DNS: each look-up of a name gives its next list of addresses."""
    real, asked = socket.getaddrinfo, []

    def look_up(host, port, *args, **kwargs):
        if host not in table and not host.endswith(".test"):
            return real(host, port, *args, **kwargs)
        asked.append(host)
        if host not in table:
            raise socket.gaierror(-2, "unknown")
        answers = table[host]
        addresses = answers.pop(0) if len(answers) > 1 else answers[0]
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in addresses]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    return asked
