"""Which store the settings mean, and what is said when they mean none or the database is not as it must be."""

import asyncio

import pytest

from interlock_activities import Settings, settings_from
from interlock_activities.retrieval.failing import RetrievalError
from interlock_activities.retrieval.opening import opened
from interlock_activities.retrieval.store import StoreError
from tests.activities.postgres_server import PASSWORD


def test_the_default_is_a_folder():
    assert type(opened(settings_from({}, []))).__name__ == "SqliteStore"
    assert settings_from({"INTERLOCK_INDEX": "elsewhere"}, []).index == "elsewhere"


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://host/db",
        "postgresql://user@host/db",
        "postgresql://user:@host/db",
        "postgresql://user:hidden@/db",
        "postgresql://user:hidden@host",
        "postgresql://user:hidden@host/db?sslmode=prefer",
        "postgres://user:hidden@host:99999/db",
    ],
)
def test_an_address_that_is_none_is_refused_without_repeating_it(address):
    with pytest.raises(RetrievalError, match="INTERLOCK_INDEX is not of the form") as caught:
        opened(Settings(index=address))
    assert "hidden" not in str(caught.value)


def test_settings_do_not_show_their_secrets():
    shown = repr(Settings(index="postgresql://user:hidden@host/db", embeddings_key="hidden", env={}, secrets={}))
    assert "hidden" not in shown


@pytest.mark.parametrize(
    ("embeddings", "model", "says"),
    [
        ("https://models.example/v1", "", "INTERLOCK_EMBEDDINGS needs INTERLOCK_EMBEDDINGS_MODEL"),
        ("models.example", "small", "INTERLOCK_EMBEDDINGS: the server's address is not of the form"),
    ],
)
def test_an_embedder_that_is_half_said_is_refused(embeddings, model, says):
    with pytest.raises(RetrievalError, match=says):
        opened(Settings(index="postgresql://user:x@host/db", embeddings=embeddings, embeddings_model=model))


def tried(settings):
    async def done():
        store = opened(settings)
        try:
            return await store.marks("desk/documents")
        finally:
            await store.aclose()

    return asyncio.run(done())


def test_a_password_with_signs_in_it_is_written_escaped(line):
    address = f"postgresql://shop:pass%3Aw%C3%B6rd%2F%40%3F%7B%7D@127.0.0.1:{line.port}/shop?sslmode=disable"
    assert tried(Settings(index=address)) is None


def test_a_wrong_password_is_told_and_not_tried_again(line):
    with pytest.raises(StoreError) as caught:
        tried(Settings(index=f"postgresql://shop:wrong@127.0.0.1:{line.port}/shop?sslmode=disable"))
    assert str(caught.value) == f"the index cannot be reached: 127.0.0.1:{line.port} does not let this user in"
    assert not caught.value.retryable


def test_nobody_there_may_be_tried_again():
    with pytest.raises(StoreError, match=r"no connection to 127\.0\.0\.1:1") as caught:
        tried(Settings(index="postgresql://shop:x@127.0.0.1:1/shop?sslmode=disable"))
    assert caught.value.retryable


def test_a_connection_that_breaks_off_is_an_error_of_the_store(served, line):
    desk = served()
    desk.write("a.txt", "about apples")
    desk.refresh()
    line.cut = b"unnest"
    with pytest.raises(StoreError) as caught:
        desk.search("apples")
    assert caught.value.retryable
    assert PASSWORD not in str(caught.value)


def test_a_user_who_may_not_make_tables_is_told_what_is_missing(database, line):
    administrator, _ = database
    administrator.execute("CREATE ROLE guest LOGIN PASSWORD 'guest'")
    administrator.execute("CREATE DATABASE plain")
    try:
        with pytest.raises(StoreError, match="let an administrator run CREATE EXTENSION vector") as caught:
            tried(Settings(index=f"postgresql://guest:guest@127.0.0.1:{line.port}/plain?sslmode=disable"))
        assert not caught.value.retryable
    finally:
        administrator.execute("DROP DATABASE plain")
        administrator.execute("DROP ROLE guest")
