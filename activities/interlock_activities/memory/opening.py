"""From settings to the store that memories lie in: a file, or a PostgreSQL database."""

from pathlib import Path

from interlock_activities.addresses import AddressRules
from interlock_activities.memory.sqlite_store import SqliteMemory
from interlock_activities.memory.store import MemoryStore, MemoryStoreError
from interlock_activities.served_database import ServedDatabaseError, is_served, served_database
from interlock_activities.settings import Settings


def opened(settings: Settings) -> MemoryStore:
    """The store that `settings.memory` names; raises MemoryStoreError."""
    if not is_served(settings.memory):
        return SqliteMemory(Path(settings.memory))
    try:
        database = served_database(settings.memory, "INTERLOCK_MEMORY", settings.data)
    except ServedDatabaseError as problem:
        raise MemoryStoreError(str(problem)) from None
    from interlock_activities.memory.postgres_store import PostgresMemory  # noqa: PLC0415 - an extra, and 0.2 s to load

    return PostgresMemory(database, AddressRules(settings.allow_addresses), settings.ca_file)
