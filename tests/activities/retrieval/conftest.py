"""Folders of documents, and both stores to index them in."""

import asyncio
import hashlib
import math
import os
import time

import pytest

from interlock_activities.addresses import AddressRules, Origin
from interlock_activities.retrieval.analysis import terms
from interlock_activities.retrieval.documents import Block, Parsed, Section
from interlock_activities.retrieval.embedding import EmbeddingError
from interlock_activities.retrieval.ingestion import Shelf, refresh
from interlock_activities.retrieval.parsers import Parsers
from interlock_activities.retrieval.sqlite_store import SqliteStore
from tests.activities.postgres_server import PASSWORD, Line

LONG_AGO = time.time() - 3_600

only_embedded = pytest.mark.parametrize("desk", ["sqlite"], indirect=True)


class HashingEmbedder:
    """Vectors of the terms in a text: each term is a direction. Texts that share terms are near."""

    def __init__(self, length=64, name="hashing 1"):
        self.name = name
        self.length = length
        self.embedded = 0
        self.broken = False
        self.hangs = False

    async def embed(self, texts):
        if self.hangs:
            await asyncio.sleep(60)
        if self.broken:
            raise EmbeddingError("no embeddings: status 500")
        self.embedded += len(texts)
        return [self._vector(text) for text in texts]

    def _vector(self, text):
        vector = [1e-6] * self.length
        for term in terms(text):
            vector[int.from_bytes(hashlib.sha256(term.encode()).digest()[:4], "big") % self.length] += 1.0
        size = math.sqrt(sum(part * part for part in vector))
        return [part / size for part in vector]


class Desk:
    """A folder of documents with its index in a store; every call runs a loop of its own, with a store of its own."""

    def __init__(self, folder, opening, index):
        self.folder = folder
        self.opening = opening
        self.index = index
        self.parsers = Parsers()
        folder.mkdir(exist_ok=True)

    def write(self, path, content):
        """A file of long ago, so that its stamp counts."""
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        self.settle(path)
        return file

    def settle(self, path, ago=0):
        os.utime(self.folder / path, (LONG_AGO - ago, LONG_AGO - ago))

    @property
    def shelf(self):
        return Shelf(self.index, self.folder, self.parsers)

    def refresh(self, **options):
        return self.run(lambda store: refresh(store, self.shelf, **options))

    def search(self, question, top=5):
        return self.run(lambda store: store.search(self.index, question, top))

    def texts(self, question, top=5):
        return [found.text for found in self.search(question, top)]

    def documents(self, question, top=5):
        return [found.document for found in self.search(question, top)]

    def run(self, work):
        async def done():
            store = self.opening()
            try:
                return await work(store)
            finally:
                await store.aclose()

        return asyncio.run(done())


@pytest.fixture
def embedded(tmp_path):
    """A desk with an embedded index."""
    return Desk(tmp_path / "documents", lambda: SqliteStore(tmp_path / "index"), "desk/documents")


@pytest.fixture
def line(database):
    """A way to the database that a test may cut."""
    administrator, socket = database
    administrator.execute("CREATE EXTENSION IF NOT EXISTS vector")
    line = Line(socket)
    line.start()
    yield line
    line.stop()


@pytest.fixture
def served(tmp_path, request, database, line):
    """Makes desks whose index lies in PostgreSQL."""
    from interlock_activities.postgres_pool import Database
    from interlock_activities.retrieval.postgres_store import PostgresStore
    from interlock_activities.sql_address import PostgresAddress

    address = PostgresAddress(Origin("postgresql", "127.0.0.1", line.port), "shop", "disable")

    def made(embedder=None):
        def opening():
            return PostgresStore(Database(address, "shop", PASSWORD), AddressRules(), "", embedder)

        return Desk(tmp_path / "documents", opening, f"desk/{request.node.name}")

    return made


@pytest.fixture(params=["sqlite", "postgresql", "postgresql with vectors"])
def desk(request):
    """A desk on every store."""
    if request.param == "sqlite":
        return request.getfixturevalue("embedded")
    embedder = HashingEmbedder() if "vectors" in request.param else None
    return request.getfixturevalue("served")(embedder)


class Counting:
    """A parser that remembers what it has read, and may do something meanwhile."""

    def __init__(self, name="counting 1", meanwhile=lambda _: None):
        self.name = name
        self.read = []
        self.meanwhile = meanwhile

    def parse(self, content):
        self.read.append(content.decode())
        self.meanwhile(content.decode())
        return Parsed("", (Section((), (Block(content.decode()),)),))


@pytest.fixture
def counting(desk):
    parser = Counting()
    desk.parsers = Parsers({".note": parser})
    for name in ("one", "two", "three"):
        desk.write(f"{name}.note", f"about {name}")
    desk.refresh()
    assert len(parser.read) == 3
    parser.read.clear()
    return parser


def index_file(desk):
    return desk.opening().path(desk.index)
