"""The idempotency ledger, the effects that really happened, and the requests that came."""

import hashlib
import json
import sqlite3
from datetime import UTC, datetime

from demo.hr.document import Operation
from demo.hr.exchange import Json, Refusal, Reply, Request, canonical


def key_of(operation: Operation, request: Request, arguments: Json) -> tuple[str, str] | None:
    """Where a write's key comes from, and the key; raises Refusal for one that cannot be."""
    if operation.id == "postEntry":
        return "reference", arguments["reference"]
    if request.key is not None and not 1 <= len(request.key) <= 255:
        raise Refusal(400, "INVALID", "an Idempotency-Key has 1 to 255 characters")
    return None if request.key is None else ("header", request.key)


def kept_reply(db: sqlite3.Connection, key: tuple[str, str], operation: Operation, arguments: Json) -> Reply | None:
    """The first answer to the same request; raises Refusal if the key belongs to another one."""
    found = db.execute("SELECT * FROM answers WHERE scope = ? AND key = ?", key).fetchone()
    if found is None:
        return None
    if found["digest"] != _digest(operation, arguments):
        raise Refusal(422, "KEY_REUSED", f"the key {key[1]!r} belongs to another request")
    return Reply(replayed=True, **json.loads(found["response"]))


def keep_reply(
    db: sqlite3.Connection, key: tuple[str, str], operation: Operation, request: Request, arguments: Json, reply: Reply
) -> None:
    """Note the first answer, in the transaction that has the effect."""
    response = canonical({"status": reply.status, "body": reply.body})
    db.execute(
        "INSERT INTO answers VALUES (?, ?, ?, ?, ?, ?)",
        (*key, request.method, request.path, _digest(operation, arguments), response),
    )


def _digest(operation: Operation, arguments: Json) -> str:
    """Of operation, path, query and body together: whatever makes a request another one."""
    return hashlib.sha256(canonical([operation.id, arguments]).encode()).hexdigest()


def note_effect(
    db: sqlite3.Connection,
    number: int,
    key: tuple[str, str] | None,
    operation: Operation,
    request: Request,
    arguments: Json,
    result: Json,
) -> None:
    """Note an effect, in the transaction that has it."""
    db.execute(
        "INSERT INTO effects (at, request, operation, path, key, arguments, result) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (_now(), number, operation.id, request.path, key and key[1], canonical(arguments), canonical(result)),
    )


def note_request(db: sqlite3.Connection, request: Request) -> int:
    """Note a request that came; its number."""
    query = "".join(f"{'&' if at else '?'}{name}={value}" for at, (name, value) in enumerate(request.query.items()))
    done = db.execute(
        "INSERT INTO requests (at, method, path, key, body) VALUES (?, ?, ?, ?, ?)",
        (_now(), request.method, request.path + query, request.key, request.body.decode(errors="replace")),
    )
    return int(done.lastrowid or 0)


def note_reply(db: sqlite3.Connection, number: int, reply: Reply) -> None:
    """Note what was answered to a request."""
    status = None if reply.dropped else reply.status
    db.execute(
        "UPDATE requests SET status = ?, replayed = ?, switches = ? WHERE number = ?",
        (status, reply.replayed, canonical(list(reply.switches)), number),
    )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def effects(db: sqlite3.Connection) -> Json:
    """Every effect, in their order."""
    found = [dict(one) for one in db.execute("SELECT * FROM effects ORDER BY number")]
    decoded = ("arguments", "result")
    return {"effects": [{**one, **{name: json.loads(one[name]) for name in decoded}} for one in found]}


def requests(db: sqlite3.Connection) -> Json:
    """Every request, in their order."""
    found = [dict(one) for one in db.execute("SELECT * FROM requests ORDER BY number")]
    return {
        "requests": [
            {**one, "replayed": bool(one["replayed"]), "switches": json.loads(one["switches"])} for one in found
        ]
    }
