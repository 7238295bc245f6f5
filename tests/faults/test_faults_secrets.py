"""Planted secrets appear nowhere: not in the database, histories, logs, queries, records or replies."""

import asyncio
import base64
import json
import re
import urllib.parse
import zlib

import pytest
from google.protobuf.message import Message
from temporalio.api.common.v1 import Payload

from interlock.cli.server import EmbeddedServer
from interlock.client import Interlock, connect

pytestmark = [pytest.mark.server, pytest.mark.slow]

USER = {"id": "u"}
QUERIES = ("status", "record", "transcript", "outbox", "plan")


def forms(secret):
    """How the secret may be written."""
    escaped = "".join(f"\\u{ord(char):04x}" for char in secret)
    encoded = base64.b64encode(secret.encode()).decode()
    return [
        secret,
        secret[::-1],
        secret.upper(),
        urllib.parse.quote(secret, safe=""),
        secret.encode().hex(),
        encoded,
        escaped,
    ]


def echoes(secret):
    """What the service answers: all ways to say the secret back, in bodies, headers, addresses and broken answers."""
    body = json.dumps({"no": "1", "place": secret}).encode()
    escaped = b'{"no":"1","place":"' + forms(secret)[-1].encode() + b'"}'
    key = json.dumps({"no": "1", "place": "x", secret: 1}).encode()
    cases = {
        "body": lambda h: h.send(200, body),
        "escaped": lambda h: h.send(200, escaped),
        "key": lambda h: h.send(200, key),
        "upper": lambda h: h.send(200, body.upper().replace(b"NO", b"no").replace(b"PLACE", b"place")),
        "nested": lambda h: h.send(
            200, json.dumps({"no": "1", "place": "x", "z": [[{"a": f"Bearer {secret}"}]]}).encode()
        ),
        "header": lambda h: h.send(200, b'{"no":"1","place":"x"}', x_echo=secret),
        "redirect": lambda h: h.send(302, b"", location=f"http://127.0.0.1:1/?key={secret}"),
        "type": lambda h: h.send(200, b"{}", content_type=f"text/{secret}"),
        "charset": lambda h: h.send(200, b"{}", content_type=f"application/json; charset={secret}"),
        "encoding": lambda h: h.send(200, b"{}", content_encoding=secret),
        "length": lambda h: h.send(200, b"{}", content_length=secret),
        "retry": lambda h: h.send(429, body, retry_after=secret),
        "not JSON": lambda h: h.send(200, f"key {secret} is wrong".encode()),
        "not UTF-8": lambda h: h.send(200, b"\xff" + secret.encode()),
        "broken off": lambda h: (h.send(200, body[:-4], content_length="900"), h.reset()),
        "status line": lambda h: h.wfile.write(f"HTTP/1.1 200 {secret}\r\n{secret}\r\n\r\n".encode()),
    }
    for status in (400, 401, 403, 404, 409, 422, 429, 500, 502, 503):
        cases[f"{status}"] = lambda h, s=status: h.send(s, body)
        cases[f"{status} text"] = lambda h, s=status: h.send(s, f"<h1>{secret}</h1>".encode(), content_type="text/html")
    return cases


async def test_planted_secrets_appear_nowhere(row, world, folder):
    secret = world.SECRET
    server = EmbeddedServer(database=folder / "t.db", log=folder / "server.log")
    await server.start()
    try:
        with world.service() as items, world.workers(server.address, items.url, folder) as workers:
            workers.start()
            client = Interlock(await connect(server.address))
            seen = await conversations(row, client, items, secret)
            keys = {key for _, _, key in items.calls}
            row.expect(keys == {secret}, "the key was not sent", keys)
            seen += [content async for content in contents_of(world, client.client)]
    finally:
        await server.stop()
    for path in folder.rglob("*"):
        if path.is_file():
            seen.append((path.name, path.read_bytes()))
    looked_through(row, secret, seen)


async def conversations(row, client, items, secret):
    """Every echo in a call of its own; what clients saw."""
    seen = []
    for number, (name, fault) in enumerate(echoes(secret).items()):
        items.faults[f"7{number:04}"] = fault
        row.injected[name] += 1

    async def one(number):
        session = f"s{number % 6}"
        reply = await client.send("desk", session, f"find 7{number:04}", user=USER, timeout=60)
        seen.append(("reply", json.dumps(reply).encode()))

    for first in range(0, len(items.faults), 6):
        await asyncio.gather(*(one(number) for number in range(first, min(first + 6, len(items.faults)))))
    seen.append(("reply", json.dumps(await client.send("desk", "s0", "find 70000123", user=USER)).encode()))
    for session in range(6):
        handle = client.client.get_workflow_handle(f"desk:s{session}")
        queries = (*QUERIES, "__stack_trace", "__temporal_workflow_metadata")
        seen += [(query, repr(await handle.query(query)).encode()) for query in queries]
        described = await handle.describe()
        seen.append(("description", described.raw_description.SerializeToString()))
    row.hit["echoes"] += len({asked["no"] for _, asked, _ in items.calls}) - 1
    return seen


async def contents_of(world, client):
    """The histories' events, and what their compressed payloads hold."""
    for run, events in await world.histories(client):
        for event in events:
            yield f"{run.id} {event.event_id}", event.SerializeToString()
            for payload in payloads_in(event):
                if payload.metadata.get("encoding") == b"binary/zlib":
                    yield f"{run.id} {event.event_id} inflated", zlib.decompress(payload.data)


def payloads_in(message):
    """Every payload inside a message, however deep."""
    if isinstance(message, Payload):
        yield message
        return
    for field, value in message.ListFields():
        inside = value.values() if hasattr(value, "values") else value if field.is_repeated else [value]
        for one in inside:
            if isinstance(one, Message):
                yield from payloads_in(one)


def looked_through(row, secret, seen):
    """Whether any form of the secret stands in what was seen."""
    wanted = re.compile("|".join(re.escape(form) for form in forms(secret)).encode(), re.IGNORECASE)
    row.notes.append(f"{len(seen):,} places, {sum(len(content) for _, content in seen):,} bytes")
    for where, content in seen:
        found = wanted.search(content)
        if found:
            row.violation(where, content[max(found.start() - 200, 0) : found.end() + 80])
    row.expect(any(b"70000123" in content for _, content in seen), "looked at the wrong places")
