"""From settings to the store that indexes lie in: a folder, or a PostgreSQL database with or without an embedder."""

from pathlib import Path
from typing import TYPE_CHECKING

from interlock_activities.addresses import AddressRules
from interlock_activities.failures import Failure
from interlock_activities.retrieval.failing import RetrievalError
from interlock_activities.retrieval.sqlite_store import SqliteStore
from interlock_activities.retrieval.store import Store
from interlock_activities.served_database import ServedDatabaseError, is_served, served_database
from interlock_activities.settings import Settings

if TYPE_CHECKING:
    from interlock_activities.http_client import HttpClient
    from interlock_activities.retrieval.embedding import Embedder


def opened(settings: Settings, client: "HttpClient | None" = None) -> Store:
    """The store that `settings.index` names; raises RetrievalError. `client` is for the embedder's requests."""
    if not is_served(settings.index):
        return SqliteStore(Path(settings.index))
    try:
        database = served_database(settings.index, "INTERLOCK_INDEX", settings.data)
    except ServedDatabaseError as problem:
        raise RetrievalError(str(problem), retryable=False) from None
    from interlock_activities.retrieval.postgres_store import PostgresStore  # noqa: PLC0415 - an extra, and 0.2 s to load

    rules = AddressRules(settings.allow_addresses)
    return PostgresStore(database, rules, settings.ca_file, _embedder(settings, rules, client))


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
