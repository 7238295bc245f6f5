"""A PostgreSQL database that a setting names, with user and password."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from interlock_activities.failures import Failure
from interlock_activities.sql_address import PostgresAddress, parse

if TYPE_CHECKING:
    from interlock_activities.postgres_pool import Database

_SERVED: Final = re.compile(r"(postgres(?:ql)?://)(?:([^/@]*)@)?(.*)", re.DOTALL)

FORM: Final = "postgresql://user:password@host[:port]/database, perhaps with ?sslmode=disable, require or verify-full"


class ServedDatabaseError(Exception):
    """The setting cannot be used; the message names it, and holds nothing of it."""


def is_served(setting: str) -> bool:
    """Whether a setting names a database, and no file or folder."""
    return _SERVED.fullmatch(setting) is not None


def served_database(setting: str, variable: str, data: Path) -> "Database":
    """The database that the setting of that variable names; raises ServedDatabaseError."""
    try:
        from interlock_activities.postgres_pool import Database  # noqa: PLC0415 - an extra, and 0.2 s to load
    except ImportError:
        wanted = "pip install 'interlock-engine[postgres]'"
        raise ServedDatabaseError(f"{variable} needs the extra: {wanted}") from None
    served = _SERVED.fullmatch(setting)
    assert served is not None
    user, colon, password = (served[2] or "").partition(":")
    address = _address(served[1] + served[3], data)
    if not (user and colon and password) or address is None:
        raise ServedDatabaseError(f"{variable} is not of the form {FORM}")
    return Database(address, unquote(user), unquote(password))


def _address(text: str, data: Path) -> PostgresAddress | None:
    try:
        found = parse(text, data)
    except Failure:
        return None
    return found if isinstance(found, PostgresAddress) else None
