"""Faults to order: which requests a switch acts on, how often, and what it makes of an answer. Kept in the database."""

import json
import sqlite3
from dataclasses import dataclass
from typing import Any

from demo.hr.document import Document, Operation, is_open
from demo.hr.exchange import Json, Refusal, canonical
from demo.hr.identifiers import neighbour


@dataclass(frozen=True)
class Switch:
    """One ordered fault; `settings` are as they were sent."""

    number: int
    settings: Json
    seen: int
    acted: int

    @property
    def mode(self) -> str:
        """What it does."""
        return str(self.settings["mode"])

    @property
    def falsifies(self) -> bool:
        """Whether it acts on the answer rather than on the request."""
        return self.mode in ("duplicate", "stale") or "field" in self.settings

    @property
    def due(self) -> bool:
        """Whether it acts on the next request of its kind."""
        times = self.settings.get("times")
        return self.seen >= self.settings.get("skip", 0) and (times is None or self.acted < times)

    def concerns(self, operation: Operation, path: str) -> bool:
        """Whether it could act on such a request."""
        pattern = self.settings["path"]
        return _may_act(self.settings, operation) and (pattern == operation.path or _same(pattern, path))


def _may_act(settings: Json, operation: Operation) -> bool:
    if settings["mode"] == "lie" and "field" not in settings and not operation.writes:
        return False
    return bool(settings.get("method", operation.method) == operation.method)


def _same(pattern: str, path: str) -> bool:
    mine, theirs = pattern.split("/"), path.split("/")
    return len(mine) == len(theirs) and all(
        is_open(one) or is_open(other) or one == other for one, other in zip(mine, theirs, strict=True)
    )


def add(db: sqlite3.Connection, document: Document, settings: Json) -> Switch:
    """Order a fault; raises Refusal if nothing that is served could show it."""
    served = [one for one in document.business if _may_act(settings, one) and _same(settings["path"], one.path)]
    if not served:
        raise Refusal(400, "INVALID", f"{settings['mode']} acts on no operation with this path: {settings['path']}")
    done = db.execute("INSERT INTO switches (settings) VALUES (?)", (canonical(settings),))
    return Switch(int(done.lastrowid or 0), settings, 0, 0)


def add_once(db: sqlite3.Connection, document: Document, settings: Json) -> None:
    """Order a fault unless it was ordered: a service that starts again goes on counting."""
    if all(one.settings != settings for one in every(db)):
        add(db, document, settings)


def every(db: sqlite3.Connection) -> list[Switch]:
    """The switches, in their order."""
    found = db.execute("SELECT * FROM switches ORDER BY number")
    return [Switch(one["number"], json.loads(one["settings"]), one["seen"], one["acted"]) for one in found]


def reset(db: sqlite3.Connection) -> int:
    """Remove them all; how many there were."""
    return db.execute("DELETE FROM switches").rowcount


def take(db: sqlite3.Connection, operation: Operation, path: str) -> list[Switch]:
    """The switches that act on a request before it is answered, counted."""
    mine = [one for one in every(db) if not one.falsifies and one.concerns(operation, path)]
    return [one for one in mine if _counted(db, one)]


def falsify(db: sqlite3.Connection, operation: Operation, path: str, data: Json) -> tuple[Json, list[Switch]]:
    """What is told in place of an answer's data, and the switches that did it, counted."""
    acted: list[Switch] = []
    for one in every(db):
        if one.falsifies and one.concerns(operation, path):
            told = _told(one, data)
            if told is not None and _counted(db, one):
                data, acted = told, [*acted, one]
    return data, acted


def _counted(db: sqlite3.Connection, switch: Switch) -> bool:
    db.execute("UPDATE switches SET seen = seen + 1, acted = acted + ? WHERE number = ?", (switch.due, switch.number))
    return switch.due


def _told(switch: Switch, data: Json) -> Json | None:
    """What it tells in place of the data; None where there is nothing to be false about."""
    if switch.mode == "stale":
        return {**data, "version": data["version"] - 1} if data.get("version", 0) > 1 else None
    if switch.mode == "duplicate":
        lists = [switch.settings["field"]] if "field" in switch.settings else list(data)
        name = next((one for one in lists if isinstance(data.get(one), list) and data[one]), None)
        return None if name is None else {**data, name: [*data[name], data[name][0]]}
    name = switch.settings["field"]
    return {**data, name: switch.settings.get("value", _other(data[name]))} if name in data else None


def _other(value: Any) -> Any:
    """Another value of the same shape."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, str):
        return neighbour(value) if value[-1:].isdecimal() else f"{value}?"
    return None
