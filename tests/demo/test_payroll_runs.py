"""The payroll bundle against the real HR service, by workers that are killed; and the copies with a mistake."""

import asyncio
from pathlib import Path

import pytest

from demo import spoilt
from demo.processes import TOKEN, HrService, Worker
from interlock.cli.server import EmbeddedServer
from interlock.client.procedures import Procedures, followed
from interlock.compiler import compile_folder

PAYROLL = Path(__file__).parents[2] / "specs" / "payroll"
GIVEN = {"pay_group_id": "PG-000042", "month": "2026-11", "requested_by": "kim"}


@pytest.fixture
def hr(tmp_path):
    service = HrService(tmp_path)
    yield service
    service.stop()


async def _with_worker(hr, folder, work):
    async with EmbeddedServer(database=folder / "temporal.db") as server:
        worker = Worker(server.address, PAYROLL, folder, HR_API=hr.url, HR_TOKEN=TOKEN)
        try:
            return await work(await Procedures.connect(server.address), worker)
        finally:
            worker.stop()


async def _last(desk, run):
    return [status async for status, _ in followed(desk, run)][-1]


@pytest.mark.server
def test_a_worker_killed_between_payment_and_record_pays_once(hr, tmp_path):
    hr.order(path="/payruns/{payrunId}/disburse", mode="slow", when="after", delayMs=60_000, times=1)

    async def killed(desk, worker):
        run = await desk.start("payroll-run", GIVEN)
        async with asyncio.timeout(60):
            while not await asyncio.to_thread(hr.effects, "disbursePayrun"):  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        worker.kill()
        worker.restart()
        return await _last(desk, run)

    status = asyncio.run(_with_worker(hr, tmp_path, killed))
    assert (status["status"], status["result"]["status"]) == ("done", "paid")
    assert len(hr.requests("/disburse")) == 2
    assert [one["result"]["batchId"] for one in hr.effects("disbursePayrun")] == [status["result"]["batch"]]


@pytest.mark.server
def test_two_runs_for_one_month_pay_once(hr, tmp_path):
    async def twice(desk, _):
        first = await _last(desk, await desk.start("payroll-run", GIVEN))
        second = await _last(desk, await desk.start("payroll-run", GIVEN))
        again = await _last(desk, await desk.start("payroll-run", {**GIVEN, "round": 2}))
        return first, second, again

    first, second, again = asyncio.run(_with_worker(hr, tmp_path, twice))
    assert (first["status"], second["status"], again["status"]) == ("done", "failed", "done")
    assert (second["failure"]["step"], second["failure"]["message"]) == ("disburse", "status 422")
    assert [one["key"] for one in hr.effects("disbursePayrun")] == ["PG-000042/2026-11/1", "PG-000042/2026-11/2"]


def test_the_copies_of_the_demo_have_one_mistake_each(tmp_path):
    found = {}
    for copy in (spoilt.missing, spoilt.stale, spoilt.ambiguous):
        copy(PAYROLL, tmp_path)
    for folder in tmp_path.iterdir():
        found[folder.name] = [one.code for one in compile_folder(folder).diagnostics if one.code != "unused"]
    assert found == {
        "payroll-missing": ["cell-may-be-missing"],
        "payroll-stale": [],
        "payroll-ambiguous": ["two-producers"],
    }
