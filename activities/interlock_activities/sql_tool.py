"""The SQL transport: a tool's one statement, its arguments bound, on SQLite or PostgreSQL."""

import functools
from pathlib import Path
from typing import TYPE_CHECKING, Any

from interlock.contract import sql, strict_json
from interlock.contract.calls import ToolRequest
from interlock.contract.sql import SqlError, Statement
from interlock_activities.addresses import AddressRules
from interlock_activities.failures import Failure, misconfigured
from interlock_activities.meaning import Received
from interlock_activities.references import References
from interlock_activities.sql_address import PostgresAddress, parse
from interlock_activities.sqlite_database import Job, SqliteDatabases

if TYPE_CHECKING:
    from interlock_activities.postgres_database import PostgresDatabases


class SqlTransport:
    """Sends statements to databases. An answer has status 200 and the payload `{rows, count}`."""

    def __init__(self, references: References, rules: AddressRules, data: Path, ca_file: str = "") -> None:
        self._references = references
        self._rules = rules
        self._data = data
        self._ca_file = ca_file
        self._sqlite = SqliteDatabases()
        self._postgres: PostgresDatabases | None = None

    async def __call__(self, request: ToolRequest) -> Received:
        """The rows; raises Failure where the statement did not end well."""
        server = request.server or {}
        writes = request.writes and server.get("read_only") is False
        statement = _statement(request.sql, writes)
        given = {argument["name"]: argument["value"] for argument in request.arguments}
        values = [given.get(name) for name in statement.arguments]
        address = parse(self._references.address(str(server.get("sql", ""))), self._data)
        if isinstance(address, PostgresAddress):
            return Received(200, await self._on_postgres(address, statement, values, request, writes=writes))
        if server.get("auth") is not None:
            raise misconfigured("SQLite knows no users: take `auth` out")
        job = Job(
            path=address,
            text=statement.numbered("?"),
            values=[_as_text(value) for value in values],
            writes=writes,
            timeout_ms=request.timeout_ms,
            max_bytes=request.max_bytes,
        )
        return Received(200, await self._sqlite.run(job))

    async def aclose(self) -> None:
        """Closes all connections."""
        self._sqlite.close()
        if self._postgres is not None:
            await self._postgres.aclose()

    async def _on_postgres(
        self, address: PostgresAddress, statement: Statement, values: list[Any], request: ToolRequest, *, writes: bool
    ) -> Any:
        try:
            from interlock_activities import postgres_database  # noqa: PLC0415 - an extra, and 0.2 s to load
        except ImportError:
            raise misconfigured("PostgreSQL needs the extra: pip install 'interlock-engine[postgres]'") from None
        if self._postgres is None:
            self._postgres = postgres_database.PostgresDatabases(self._rules, self._ca_file)
        user, password, secrets = self._user((request.server or {}).get("auth"))
        job = postgres_database.Job(
            database=postgres_database.Database(address, user, password),
            text=statement.numbered("$"),
            values=values,
            writes=writes,
            timeout_ms=request.timeout_ms,
            max_bytes=request.max_bytes,
        )
        try:
            return await self._postgres.run(job)
        except Failure as failure:
            raise failure.redacted(secrets) from None

    def _user(self, auth: dict[str, str] | None) -> tuple[str, str, tuple[str, ...]]:
        if auth is None or auth["kind"] != "basic":
            raise misconfigured("PostgreSQL needs `auth: {basic: …}` of the form user:password")
        value, secrets = self._references.credential(auth["value"])
        user, colon, password = value.partition(":")
        if not (user and colon and password) or "\0" in value:
            raise misconfigured("the value under auth.basic is not of the form user:password")
        return user, password, (*secrets, password)


def _statement(text: str, writes: bool) -> Statement:
    """The compiler has seen it; what starts a workflow is not only the compiler."""
    try:
        statement = _read(text)
    except SqlError as problem:
        raise misconfigured(f"the statement cannot be sent: {problem.message}") from None
    if statement.first not in (sql.WRITES if writes else sql.READS):
        raise misconfigured(f"a statement that begins with {strict_json.shown(statement.first)} may not be sent here")
    return statement


_read = functools.lru_cache(maxsize=1_000)(sql.read)


def _as_text(value: Any) -> Any:
    """Lists and objects travel to SQLite as JSON, which its functions read."""
    return strict_json.dumps(value).decode() if isinstance(value, list | dict) else value
