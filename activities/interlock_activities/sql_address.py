"""Addresses of databases, taken apart strictly: a SQLite file within the data folder, or a PostgreSQL database."""

import re
from dataclasses import dataclass
from pathlib import Path

from interlock_activities.addresses import Origin, normal_host
from interlock_activities.failures import misconfigured

_SQLITE = re.compile(r"sqlite:///(?P<path>[^/\s?#\\][^\s?#\\]*)")
_POSTGRES = re.compile(
    r"postgres(?:ql)?://(?P<host>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::(?P<port>[0-9]{1,5}))?/(?P<name>[A-Za-z0-9_.-]+)"
    r"(?:\?sslmode=(?P<tls>disable|require|verify-full))?",
    re.ASCII,
)
_POSTGRES_PORT = 5432


@dataclass(frozen=True, slots=True)
class PostgresAddress:
    """A database on a host; `tls` is one of PostgreSQL's `sslmode`s."""

    origin: Origin
    name: str
    tls: str


def parse(text: str, data: Path) -> Path | PostgresAddress:
    """The file or the database that `text` names; it may hold secrets and is not repeated. Raises Failure."""
    if file := _SQLITE.fullmatch(text):
        return _file(file["path"], data)
    database = _POSTGRES.fullmatch(text)
    port = int(database["port"] or _POSTGRES_PORT) if database else 0
    host = normal_host(database["host"]) if database else ""
    if database is None or not host or not 0 < port < 65_536:
        raise misconfigured(
            "the database's address is not of the form sqlite:///file or postgresql://host[:port]/database, "
            "perhaps with ?sslmode=disable, require or verify-full; user and password stand under auth"
        )
    return PostgresAddress(Origin("postgresql", host, port), database["name"], database["tls"] or "verify-full")


def _file(path: str, data: Path) -> Path:
    """Links are followed before it is judged where the file lies."""
    home = data.resolve()
    found = (home / path).resolve()
    if not found.is_relative_to(home) or found == home:
        raise misconfigured("the database's file lies outside of the data folder (INTERLOCK_DATA)")
    return found
