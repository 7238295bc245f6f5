"""From settings to the store that indexes lie in: a folder, or a PostgreSQL database with or without an embedder."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from interlock_activities.addresses import AddressRules
from interlock_activities.failures import Failure
from interlock_activities.retrieval.failing import RetrievalError
from interlock_activities.retrieval.sqlite_store import SqliteStore
from interlock_activities.retrieval.store import Store
from interlock_activities.settings import Settings
from interlock_activities.sql_address import PostgresAddress, parse

if TYPE_CHECKING:
    from interlock_activities.http_client import HttpClient
    from interlock_activities.retrieval.embedding import Embedder

_SERVED: Final = re.compile(r"(postgres(?:ql)?://)(?:([^/@]*)@)?(.*)", re.DOTALL)


def opened(settings: Settings, client: "HttpClient | None" = None) -> Store:
    """The store that `settings.index` names; raises RetrievalError. `client` is for the embedder's requests."""
    served = _SERVED.fullmatch(settings.index)
    if served is None:
        return SqliteStore(Path(settings.index))
    try:
        from interlock_activities.postgres_pool import Database  # noqa: PLC0415 - an extra, and 0.2 s to load
        from interlock_activities.retrieval.postgres_store import PostgresStore  # noqa: PLC0415 - likewise
    except ImportError:
        wanted = "pip install 'interlock-engine[postgres]'"
        raise RetrievalError(f"INTERLOCK_INDEX needs the extra: {wanted}", retryable=False) from None
    user, colon, password = (served[2] or "").partition(":")
    address = _address(served[1] + served[3], settings)
    if not (user and colon and password) or address is None:
        form = "postgresql://user:password@host[:port]/database, perhaps with ?sslmode=disable, require or verify-full"
        raise RetrievalError(f"INTERLOCK_INDEX is not of the form {form}", retryable=False)
    rules = AddressRules(settings.allow_addresses)
    database = Database(address, unquote(user), unquote(password))
    return PostgresStore(database, rules, settings.ca_file, _embedder(settings, rules, client))


def _address(text: str, settings: Settings) -> PostgresAddress | None:
    try:
        found = parse(text, settings.data)
    except Failure:
        return None
    return found if isinstance(found, PostgresAddress) else None


def _embedder(settings: Settings, rules: AddressRules, client: "HttpClient | None") -> "Embedder | None":
    if settings.embedder is not None or not settings.embeddings:
        return settings.embedder
    if not settings.embeddings_model:
        raise RetrievalError("INTERLOCK_EMBEDDINGS needs INTERLOCK_EMBEDDINGS_MODEL", retryable=False)
    from interlock_activities.http_client import HttpClient  # noqa: PLC0415 - httpx is loaded where it is used
    from interlock_activities.retrieval.embedding import ServedEmbedder  # noqa: PLC0415 - likewise

    used = client or HttpClient(rules, settings.ca_file)
    try:
        return ServedEmbedder(used, settings.embeddings, settings.embeddings_model, settings.embeddings_key)
    except Failure as failure:
        raise RetrievalError(f"INTERLOCK_EMBEDDINGS: {failure}", retryable=False) from None
