"""An acknowledged message is never lost: workers and the server are killed and stopped under traffic."""

import asyncio
import signal
from itertools import count

import pytest

from interlock.cli.server import EmbeddedServer
from interlock.client import Interlock, connect

pytestmark = [pytest.mark.server, pytest.mark.slow]

SESSIONS = 10
SENDERS = 2
"""Clients that talk in one session at the same time."""

EVERY_EVENTS = "40"
"""A run continues as new after about so many events: five turns with some calls, eight without."""

PATIENCE = 120.0
KINDS = ("worker killed", "worker stopped", "worker killed", "server killed", "worker stopped", "both killed")


class Traffic:
    """Senders that note for every message the reply that acknowledged it."""

    def __init__(self, row, client, messages):
        self.row, self.client, self.left = row, client, messages
        self.sent, self.replies, self.in_flight = {}, {}, 0

    async def sender(self, session):
        """Sends until enough was sent, one message after another."""
        for number in count(1):
            if self.left <= 0:
                return
            self.left -= 1
            name = f"{session}-{number}-{self.left}"
            self.sent[name] = session.split("/")[0], self._text(name)
            self.in_flight += 1
            try:
                self.replies[name] = await self.deliver(name)
            except Exception as error:  # noqa: BLE001 - any error is a message that was not answered
                self.row.violation("not answered", name, repr(error))
            self.in_flight -= 1

    async def until(self, count, talking, faults):
        """Until so many were answered, or nobody sends any more."""
        while len(self.replies) < count and not talking.done():
            await asyncio.wait({talking}, timeout=0.02)
            faults.supervise()

    async def deliver(self, name):
        """One message, as often as it takes."""
        session, text = self.sent[name]
        return await self.client.send("desk", session, text, user={"id": "u"}, id=name, timeout=PATIENCE)

    def _text(self, name):
        return f"find {self.row.dice.randrange(10**12):012}" if self.row.dice.random() < 0.25 else f"hello {name}"


class Faults:
    """Kills and stops two workers and their server, and brings them back."""

    def __init__(self, row, server, workers):
        self.row, self.server, self.workers = row, server, workers
        self.running = [workers.start(), workers.start()]

    def supervise(self):
        """Start anew what ended by itself: a worker does that if no server answers when it starts."""
        self.running = [one if self.workers.lives(one) else self.workers.start() for one in self.running]

    async def inject(self, kind):
        """One fault, and what ends it."""
        self.supervise()
        if kind == "worker stopped":
            stopped = self.row.dice.choice(self.running)
            self.workers.signal(stopped, signal.SIGSTOP)
            await asyncio.sleep(0.4 + self.row.dice.random())
            self.workers.signal(stopped, signal.SIGCONT)
            return
        if kind != "server killed":
            self.workers.signal(self.running.pop(self.row.dice.randrange(2)), signal.SIGKILL)
        if kind != "worker killed":
            self.server.kill()
            await self.server.start()
        if kind != "server killed":
            self.running.append(self.workers.start())


async def test_an_acknowledged_message_is_never_lost(row, world, folder):
    messages, kills = row.times(500, 10_000), row.times(30, 300)
    settings = {"limit.historyCount.suggestContinueAsNew": EVERY_EVENTS}
    async with EmbeddedServer(database=folder / "t.db", settings=settings) as server:
        with world.service() as items, world.workers(server.address, items.url, folder) as workers:
            items.pause = 0.02
            faults = Faults(row, server, workers)
            traffic = Traffic(row, Interlock(await connect(server.address)), messages)
            senders = [traffic.sender(f"s{n}/{c}") for n in range(SESSIONS) for c in range(SENDERS)]
            talking = asyncio.gather(*senders)
            for number in range(kills):
                await traffic.until(messages * number // kills, talking, faults)
                kind = KINDS[number % len(KINDS)]
                row.injected[kind] += 1
                row.hit[kind] += traffic.in_flight > 0
                await faults.inject(kind)
            faults.supervise()
            await talking
            await judge(row, traffic)


async def judge(row, traffic):
    """Every message has one turn of its own, still, and a late repetition gets the reply that it had."""
    row.expect(len(traffic.replies) == len(traffic.sent), "answered", len(traffic.replies), len(traffic.sent))
    runs = 0
    for session in sorted({session for session, _ in traffic.sent.values()}):
        names = [name for name, (where, _) in traffic.sent.items() if where == session]
        turns = [traffic.replies[name]["turn"] for name in names if name in traffic.replies]
        row.expect(sorted(turns) == list(range(1, len(turns) + 1)), "turns", session, sorted(turns))
        status = await traffic.client.status("desk", session, timeout=PATIENCE)
        row.expect(status["turn"] == len(names), "turns taken", session, status["turn"], len(names))
        listed = traffic.client.client.list_workflows(f"WorkflowId = 'desk:{session}'")
        runs += len([run async for run in listed])
    again = row.dice.sample(sorted(traffic.replies), min(60, len(traffic.replies)))
    for name in again:
        row.expect(await traffic.deliver(name) == traffic.replies[name], "another reply", name)
    row.expect(runs > SESSIONS * 2, "runs", runs)
    row.notes.append(f"{len(traffic.sent):,} messages, {runs} runs")
