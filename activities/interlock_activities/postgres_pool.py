"""Connections to one PostgreSQL database: few, each to an address that was judged, none trusted after a pause."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

import certifi
import psycopg
from psycopg.pq import TransactionStatus

from interlock_activities import postgres_values
from interlock_activities.addresses import Address, AddressRules
from interlock_activities.postgres_failures import refused
from interlock_activities.sql_address import PostgresAddress

Connection: TypeAlias = "psycopg.AsyncConnection[Any]"

_MOST: Final = 10
"""Connections to one database at once; more calls wait their turn."""

_ADAPTERS: Final = postgres_values.adapters()


@dataclass(frozen=True, slots=True)
class Database:
    """A database and as whom it is called."""

    address: PostgresAddress
    user: str
    password: str = field(repr=False)


class Pool:
    """Idle connections of one database; a caller holds one of `slots` while it has one."""

    def __init__(self, database: Database, rules: AddressRules, ca_file: str) -> None:
        self._database = database
        self._rules = rules
        self._ca_file = ca_file
        self._idle: list[Connection] = []
        self._busy: set[Connection] = set()
        self.slots = asyncio.Semaphore(_MOST)

    async def take(self, opening: Callable[[], str]) -> Connection:
        """A connection in a transaction; one that has been closed meanwhile is found out by that. Raises Failure."""
        while self._idle:
            connection = self._idle.pop()
            try:
                return await self._begun(connection, opening())
            except psycopg.Error:
                continue
        connection = await self._connected()
        try:
            return await self._begun(connection, opening())
        except psycopg.Error as problem:
            raise refused(problem, self._where) from None

    async def give_back(self, connection: Connection) -> None:
        """Keep it for the next call, unless it is broken."""
        self._busy.discard(connection)
        try:
            if connection.info.transaction_status in (TransactionStatus.INERROR, TransactionStatus.INTRANS):
                await connection.execute("ROLLBACK")
        except psycopg.Error:
            pass  # then it is not idle either
        if connection.info.transaction_status == TransactionStatus.IDLE:
            self._idle.append(connection)
        else:
            await connection.close()

    async def aclose(self) -> None:
        """Closes all connections, those in use too."""
        connections = [*self._idle, *self._busy]
        self._idle.clear()
        for connection in connections:
            await connection.close()

    @property
    def _where(self) -> str:
        origin = self._database.address.origin
        return f"{origin.host}:{origin.port}"

    async def _begun(self, connection: Connection, opening: str) -> Connection:
        self._busy.add(connection)
        try:
            await connection.execute(opening.encode())
        except BaseException:
            self._busy.discard(connection)
            await connection.close()
            raise
        return connection

    async def _connected(self) -> Connection:
        """To the first of the judged addresses that answers."""
        addresses = await self._rules.resolve(self._database.address.origin)
        for address in addresses[:-1]:
            try:
                return await self._connect(address)
            except psycopg.OperationalError:
                continue
        try:
            return await self._connect(addresses[-1])
        except psycopg.Error as problem:
            raise refused(problem, self._where) from None

    async def _connect(self, address: Address) -> Connection:
        """All that libpq would otherwise take from the environment or from files is said."""
        target, tls = self._database.address, self._database.address.tls
        return await psycopg.AsyncConnection.connect(
            host=target.origin.host,
            hostaddr=str(address),
            port=target.origin.port,
            dbname=target.name,
            user=self._database.user,
            password=self._database.password,
            sslmode=tls,
            sslrootcert=(self._ca_file or certifi.where()) if tls == "verify-full" else "",
            gssencmode="disable",
            client_encoding="utf8",
            application_name="interlock",
            options="",
            autocommit=True,
            prepare_threshold=None,
            context=_ADAPTERS,
        )
