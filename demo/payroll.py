"""The payroll part of the demo: a month is paid once whatever happens, and nothing unsure is sent."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from demo import spoilt
from demo.processes import HrService, Worker
from interlock.authoring.auditing import Audit, Run
from interlock.cli import formats
from interlock.cli.audit import audit_lines
from interlock.cli.bundles import compile_shown
from interlock.cli.following import follow, outcome_lines
from interlock.client import TASK_QUEUE
from interlock.client.procedures import Procedures
from interlock.client.reading import runs_of, with_begun
from interlock.compiler import compile_folder
from interlock.plan.plan import Plan

PAYING, ALLOWANCES = "PG-000042", "PG-000107"
MONTH = "2026-11"
TOO_LONG_SECONDS = 1.2
"""Longer than the template of the stale copy is good for."""

POLL_SECONDS = 0.05
PATIENCE_SECONDS = 60.0


class Payroll:
    """The scenes in order; the copies with a mistake are written when it is made, before a worker reads the specs."""

    def __init__(self, hr: HrService, specs: Path) -> None:
        self._hr = hr
        self._specs = specs
        self._stopping = [spoilt.missing(specs / "payroll", specs), spoilt.stale(specs / "payroll", specs)]

    async def show(self, address: str, worker: Worker) -> None:
        """All scenes."""
        self._address, self._desk = address, await Procedures.connect(address)
        await self._paid_once(worker)
        await self._stopped_before_the_call()
        await self._undone()
        await self._audit()

    async def _start(self, procedure: str, group: str) -> str:
        return await self._desk.start(procedure, {"pay_group_id": group, "month": MONTH, "requested_by": "kim"})

    async def _paid_once(self, worker: Worker) -> None:
        """The worker is killed when the money has left and nobody has recorded it."""
        title("a month is paid, and the worker is killed in the worst place")
        look("Every id comes from a receipt; the source of each argument is shown.")
        look("The bank's answer is held back: the money has left, and no worker knows of it yet.")
        self._hr.order(path="/payruns/{payrunId}/disburse", mode="slow", when="after", delayMs=60_000, times=1)
        run = await self._start("payroll-run", PAYING)
        following = asyncio.create_task(self._followed(run, brief=False))
        await until(lambda: bool(self._hr.effects("disbursePayrun")))
        worker.kill()
        bad(f"worker {worker.process.pid} killed (SIGKILL) between the effect and its record")
        worker.restart()
        good(f"worker {worker.process.pid} started; it asks again with the same key")
        await following
        asked, paid = self._hr.requests("/disburse"), self._hr.effects("disbursePayrun")
        key = paid[0]["key"]
        expect(
            len(paid) == 1, f"the service's ledger: {len(asked)} requests with the key {key}, {len(paid)} disbursement"
        )

    async def _stopped_before_the_call(self) -> None:
        """A value without a producer, one that is too old, and one that two calls may have given."""
        title("what is not sure is not sent")
        look("Two calls may have given the id that is used: the checker refuses it, and no worker ever serves it.")
        folder = spoilt.ambiguous(self._specs / "payroll", self._specs.parent)
        click.echo(formats.text(compile_shown(folder).diagnostics))
        before = len(self._hr.requests("/import"))
        runs = [await self._start(name, PAYING) for name in self._stopping]
        await self._waits_for(runs[1], "warnings_accepted")
        await asyncio.sleep(TOO_LONG_SECONDS)
        await self._desk.event(runs[1], "warnings_accepted", {"by": "kim"})
        for text, run in zip(("A template that nobody has matched.", "A template of a second ago."), runs, strict=True):
            look(text)
            await self._followed(run, brief=True)
        sent = len(self._hr.requests("/import")) - before
        expect(sent == 0, f"requests to import that have reached the service: {sent}")

    async def _undone(self) -> None:
        """Somebody has read the warnings; the ledger refuses, so what was paid is cancelled."""
        title("what fails after the payment is undone")
        look("This group carries a warning: the run waits until somebody has read it, and sends the event.")
        self._hr.order(path="/ledger/entries", method="POST", mode="fail", times=3)
        run = await self._start("payroll-run", ALLOWANCES)
        await self._waits_for(run, "warnings_accepted")
        await self._desk.event(run, "warnings_accepted", {"by": "ann"})
        await self._followed(run, brief=True)
        batches = [one["result"] for one in self._hr.effects("cancelBatch")]
        said = ", ".join(f"batch {one['batchId']} is {one['status']}" for one in batches)
        expect(len(batches) == 1, f"the service's ledger: {said or 'no batch is cancelled'}")

    async def _audit(self) -> None:
        """Six figures over the runs of this demo."""
        title("the audit of these runs")
        client, plans = self._desk.client, self._plans()
        audit = Audit()
        runs = [run for name in plans for run in await runs_of(client, name, 100)]
        async for run, status, records in with_begun(client, TASK_QUEUE, runs):
            audit.take(Run(run, status["spec"], status["run"], records), plans[status["spec"]])
        click.echo("\n".join(audit_lines(audit)))
        if not all(share.complete for _, share in audit.shares()):
            raise RuntimeError("a figure is not complete")

    def _plans(self) -> dict[str, Plan]:
        """The plans of the procedures that were run."""
        bundles = [compile_folder(self._specs / name) for name in ("payroll", *self._stopping)]
        return {name: plan for bundle in bundles for name, plan in bundle.plans.items()}

    async def _followed(self, run: str, *, brief: bool) -> dict[str, Any]:
        status = await follow(self._desk, run, brief=brief)
        click.echo("\n".join(outcome_lines(run, status, self._address)))
        return status

    async def _waits_for(self, run: str, event: str) -> None:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while event not in await self._waited_for(run):  # noqa: ASYNC110 - it happens in another process
                await asyncio.sleep(POLL_SECONDS)

    async def _waited_for(self, run: str) -> list[str | None]:
        return [one.get("event") for one in (await self._desk.status(run))["waiting"] or ()]


async def until(holds: Callable[[], bool]) -> None:
    """Wait until something holds; the demo must not hang."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not await asyncio.to_thread(holds):  # noqa: ASYNC110 - it happens in another process
            await asyncio.sleep(POLL_SECONDS)


def title(text: str) -> None:
    """The name of a scene."""
    click.echo(click.style(f"\n── {text} ──", bold=True))


def look(text: str) -> None:
    """What the reader should see in what follows."""
    click.echo(f"\n{click.style('●', fg='cyan')} {click.style(text, fg='cyan')}")


def good(text: str) -> None:
    """Something went as it should."""
    click.echo(click.style(f"  ✓ {text}", fg="green"))


def expect(holds: bool, text: str) -> None:
    """What the scene is about. Raises RuntimeError where it is not so: the demo must not pass for a success."""
    if not holds:
        raise RuntimeError(text)
    good(text)


def bad(text: str) -> None:
    """Something was broken on purpose."""
    click.echo(click.style(f"  ✗ {text}", fg="red"))
