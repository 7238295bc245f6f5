"""Values to and from PostgreSQL without loss: exact numbers, ISO 8601 times in UTC, everything else as it writes it."""

import re
from collections.abc import Sequence
from typing import Any

import psycopg
from psycopg.abc import Buffer
from psycopg.adapt import AdaptersMap, Loader
from psycopg.types.json import Jsonb
from psycopg.types.string import TextLoader

from interlock.contract import strict_json
from interlock_activities.failures import misconfigured

_AS_TEXT = (
    *(
        "numeric",
        "uuid",
        "interval",
        "time",
        "timetz",
        "date",
        "inet",
        "cidr",
        "macaddr",
        "money",
        "xml",
        "bit",
        "varbit",
    ),
    *("int4range", "int8range", "numrange", "daterange", "tsrange", "tstzrange"),
    *("int4multirange", "int8multirange", "nummultirange", "datemultirange", "tsmultirange", "tstzmultirange"),
)
_STAMP = re.compile(r"(\d+-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)(\+00)?")


class _Stamp(TextLoader):
    """`2026-11-30 21:18:15+00` as `2026-11-30T21:18:15+00:00`; `infinity` and years BC stay as they are."""

    def load(self, data: Buffer) -> str:
        text = str(super().load(data))
        match = _STAMP.fullmatch(text)
        return text if match is None else f"{match[1]}T{match[2]}{'+00:00' if match[3] else ''}"


class _Json(Loader):
    """JSON with exact numbers; raises NotStrictJsonError."""

    def load(self, data: Buffer) -> Any:
        return strict_json.loads(bytes(data), len(data))


def adapters() -> AdaptersMap:
    """How values are read and written, for all connections."""
    found = AdaptersMap(psycopg.adapters)
    for name in _AS_TEXT:
        if found.types.get(name) is not None:
            found.register_loader(name, TextLoader)
    for name in ("timestamp", "timestamptz"):
        found.register_loader(name, _Stamp)
    for name in ("json", "jsonb"):
        found.register_loader(name, _Json)
    return found


def bound(values: Sequence[Any]) -> list[Any]:
    """Arguments as PostgreSQL takes them: a list of plain values is an array, an object is `jsonb`."""
    return [_bound(value) for value in values]


def _bound(value: Any) -> Any:
    if isinstance(value, dict):
        return Jsonb(value, dumps=strict_json.dumps)
    if isinstance(value, list) and any(isinstance(item, list | dict) for item in value):
        raise misconfigured("a list of lists or objects cannot be sent to PostgreSQL: it has no array of them")
    return value
