import json
from urllib.parse import unquote

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from temporalio.exceptions import ApplicationError

from interlock.contract.calls import ToolRequest
from interlock_activities.failures import Failure
from interlock_activities.http_request import outgoing
from interlock_activities.references import References


@pytest.mark.parametrize(
    ("value", "sent"),
    [
        ("555E898665", "555E898665"),
        ("../x", "..%2Fx"),
        ("a?b#c", "a%3Fb%23c"),
        ("%2f..", "%252f.."),
        ("a/../../b", "a%2F..%2F..%2Fb"),
        ("单号 1", "%E5%8D%95%E5%8F%B7%201"),
        (18446744073709551616, "18446744073709551616"),
        ("\r\nHost: evil", "%0D%0AHost%3A%20evil"),
    ],
)
def test_a_path_argument_stays_one_segment_on_the_wire(serve, request_to, call, value, sent):
    wire = serve()
    call(request_to(wire, "/items/{id}/events", arguments=[("id", "path", value)]))
    assert wire.seen[0].line == f"GET /items/{sent}/events HTTP/1.1"


@pytest.mark.parametrize("value", ["", ".", ".."])
def test_a_path_argument_that_would_name_another_path_is_refused(serve, request_to, call, value):
    wire = serve()
    with pytest.raises(ApplicationError, match="argument 'id' cannot stand in a path") as refused:
        call(request_to(wire, "/items/{id}", arguments=[("id", "path", value)]))
    assert refused.value.non_retryable
    assert wire.seen == []


@given(st.text(max_size=30), st.sampled_from(["/a/{id}", "/a/{id}/b", "/a/x{id}.json"]))
def test_whatever_a_value_holds_the_other_segments_stand(value, template):
    request = _request(template, [{"name": "id", "value": value, "place": "path", "send_as": "id"}])
    if template.split("/")[2].replace("{id}", value) in ("", ".", ".."):
        with pytest.raises(Failure, match="cannot stand in a path"):
            outgoing(request, References({}, {}))
        return
    target = outgoing(request, References({}, {})).target
    on_the_wire = httpx.URL(f"http://desk.test:80{target}").raw_path.decode()
    assert [unquote(part) for part in on_the_wire.split("/")] == [
        part.replace("{id}", value) for part in template.split("/")
    ]


def test_query_arguments_keep_their_values(serve, request_to, call):
    wire = serve()
    arguments = [
        ("number", "query", "00 12&x=1"),
        ("big", "query", 2**64),
        ("open", "query", True),
        ("tag", "query", ["a", "b"]),
        ("nothing", "query", None),
        ("城", "query", "深圳"),
    ]
    call(request_to(wire, "/items?kind=all", arguments=arguments))
    assert wire.seen[0].line == (
        "GET /items?kind=all&number=00%2012%26x%3D1&big=18446744073709551616&open=true&tag=a&tag=b"
        "&%E5%9F%8E=%E6%B7%B1%E5%9C%B3 HTTP/1.1"
    )


def test_a_body_is_exact_json(serve, request_to, call):
    wire = serve()
    arguments = [("id", "body", 2**128 - 1), ("note", "body", "中文"), ("rows", "body", [{"a": None}])]
    call(request_to(wire, "/items", "POST", arguments=arguments))
    seen = wire.seen[0]
    assert seen.body.decode() == '{"id":340282366920938463463374607431768211455,"note":"中文","rows":[{"a":null}]}'
    assert seen.header("content-type") == "application/json"
    assert seen.line == "POST /items HTTP/1.1"


def test_the_base_path_of_a_server_is_kept(serve, request_to, call):
    wire = serve()
    call(request_to(http=f"http://127.0.0.1:{wire.port}/api/v2/", path="/items"))
    assert wire.seen[0].line == "GET /api/v2/items HTTP/1.1"


def test_the_client_says_what_it_wants_and_nothing_of_its_own_accord(serve, request_to, call):
    wire = serve()
    call(request_to(wire))
    names = sorted(name for name, _ in wire.seen[0].headers)
    assert names == ["accept", "accept-encoding", "host", "user-agent"]
    assert wire.seen[0].header("accept-encoding") == "identity"
    assert wire.seen[0].header("host") == f"127.0.0.1:{wire.port}"


@pytest.mark.parametrize("value", ["a\r\nx-admin: 1", "a\nb", "a\0b", "ä", " a"])
def test_a_header_argument_cannot_add_a_header(serve, request_to, call, value):
    wire = serve()
    with pytest.raises(ApplicationError, match="argument 'x-trace' cannot stand in a header"):
        call(request_to(wire, arguments=[("x-trace", "header", value)]))
    assert wire.seen == []


@pytest.mark.parametrize("name", ["Host", "Content-Length", "Transfer-Encoding", "x y", "x:"])
def test_an_argument_cannot_be_a_header_of_the_client(serve, request_to, call, name):
    wire = serve()
    with pytest.raises(ApplicationError, match="cannot be sent as header"):
        call(request_to(wire, arguments=[(name, "header", "1")]))
    assert wire.seen == []


@pytest.mark.parametrize(
    ("auth", "sent"),
    [
        ({"kind": "bearer", "value": "{{ secrets.DESK_TOKEN }}"}, "authorization: Bearer s3cret-token"),
        ({"kind": "basic", "value": "desk:{{ secrets.DESK_TOKEN }}"}, "authorization: Basic ZGVzazpzM2NyZXQtdG9rZW4="),
        ({"kind": "header", "header": "X-Api-Key", "value": "{{secrets.DESK_TOKEN}}"}, "x-api-key: s3cret-token"),
    ],
)
def test_credentials_are_filled_in_by_name(serve, request_to, call, auth, sent):
    wire = serve()
    call(request_to(wire, server={"auth": auth}), secrets={"DESK_TOKEN": "s3cret-token"})
    name, _, value = sent.partition(": ")
    assert wire.seen[0].header(name) == value


def test_an_address_is_filled_in_from_the_environment(serve, request_to, call):
    wire = serve()
    call(request_to(http="{{ env.DESK_URL }}"), env={"DESK_URL": f"http://127.0.0.1:{wire.port}/desk"})
    assert wire.seen[0].line == "GET /desk/items HTTP/1.1"


@pytest.mark.parametrize(
    ("server", "says"),
    [
        ({"http": "{{ env.DESK_URL }}"}, "environment variable 'DESK_URL' is not set"),
        ({"auth": {"kind": "bearer", "value": "{{ secrets.DESK_KEY }}"}}, "environment variable 'DESK_KEY' is not set"),
        ({"http": "{{ secrets.DESK_KEY }}"}, "'secrets.DESK_KEY' may only stand under auth"),
        ({"http": "{{ env.A or env.B }}"}, "only {{ env.NAME }} can stand in a server"),
        ({"http": "ftp://desk"}, "the server's address is not of the form"),
        ({"http": "http://user:pw@desk"}, "the server's address is not of the form"),
        ({"http": "http://desk/?key=1"}, "the server's address is not of the form"),
        ({"auth": {"kind": "basic", "value": "no colon"}}, "not of the form user:password"),
        ({"auth": {"kind": "bearer", "value": "line\n"}}, "a line break at its end is a common cause"),
    ],
)
def test_a_server_that_cannot_be_called_is_a_mistake_of_the_settings(request_to, call, server, says):
    with pytest.raises(ApplicationError) as refused:
        call(request_to(server=server))
    assert says in refused.value.message
    assert refused.value.type == "tool_misconfigured"
    assert refused.value.non_retryable


@pytest.mark.parametrize(
    ("path", "arguments", "says"),
    [
        ("/items/{id}", [], "no argument fills '{id}'"),
        ("/items", [("id", "query", {"a": 1})], "argument 'id' is neither text nor a number"),
        ("/items", [("id", "argument", "1")], "argument 'id' has no place in an HTTP request"),
        ("/items", [("id", "body", float("nan"))], "an argument of the body is not JSON"),
    ],
)
def test_arguments_that_cannot_be_sent_are_named(request_to, call, path, arguments, says):
    with pytest.raises(ApplicationError, match=says) as refused:
        call(request_to(path=path, arguments=arguments))
    assert refused.value.non_retryable


def test_an_argument_goes_out_under_its_name_on_the_wire(serve, request_to, call):
    wire = serve()
    request = request_to(wire, "/items/{no}", arguments=[("number", "path", "A1"), ("kind", "query", "x")])
    request.arguments[0]["send_as"] = "no"
    request.arguments[1]["send_as"] = "type"
    call(request)
    assert wire.seen[0].line == "GET /items/A1?type=x HTTP/1.1"


def test_connections_are_kept_and_cookies_are_not(serve, request_to, call, answer_bytes):
    wire = serve(answer_bytes(set_cookie="session=1; Path=/"))
    call(request_to(wire), request_to(wire), request_to(wire))
    assert wire.connections == 1
    assert len(wire.seen) == 3
    assert all(seen.header("cookie") is None for seen in wire.seen)


def test_proxies_of_the_environment_are_not_used(serve, request_to, call, monkeypatch):
    wire, proxy = serve(), serve()
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
    call(request_to(wire))
    assert len(wire.seen) == 1
    assert proxy.connections == 0


def _request(path, arguments):
    server = {"http": "http://desk.test"}
    return ToolRequest(
        "t", "c", "r", "s", "http", 1, 1, server, "GET", path, arguments=json.loads(json.dumps(arguments))
    )
