"""On a real server: one reply per message id however often it comes, and identifiers over the real wire."""

import asyncio
import uuid
from collections import Counter
from pathlib import Path

import pytest

from interlock.client import Interlock, connect
from interlock.client.errors import InterlockError

pytestmark = [pytest.mark.server, pytest.mark.slow]

SESSIONS = 8
CLIENTS = 3
EVERY_EVENTS = 150
USER = {"id": "u"}


class Deliveries:
    """Messages by id, each sent several times by several clients, and every reply to it."""

    def __init__(self, row, clients):
        self.row, self.dice, self.clients = row, row.dice, clients
        self.texts, self.replies = {}, {}

    async def session(self, name, messages):
        """Messages in order, with duplicates at the same time, late ones in between, and ids used for other words."""
        for number in range(messages):
            message = f"{name}-{number}"
            looked_up = self.dice.random() < 0.4
            self.texts[message] = f"find {self.dice.randrange(10**18):018}" if looked_up else f"words {message}"
            same_time = [self._deliver(name, message) for _ in range(self.dice.choice([1, 1, 2, 3]))]
            earlier = f"{name}-{self.dice.randrange(number + 1)}"
            if number and self.dice.random() < 0.6:
                same_time.append(self._deliver(name, earlier, "late"))
            await asyncio.gather(*same_time)
            if self.dice.random() < 0.4:
                await self._conflict(name, earlier)

    async def _deliver(self, session, message, kind=""):
        reply = await self._sent(session, message, self.texts[message])
        known = self.replies.setdefault(message, reply)
        self.row.injected["deliveries"] += 1
        self.row.hit[kind or ("first" if known is reply else "at the same time")] += 1
        self.row.expect(reply == known, "two replies", message, known, reply)
        words = self.texts[message].removeprefix("find ")
        self.row.expect(words in reply["text"], "reply of another message", message, words, reply)

    async def _conflict(self, session, message):
        reply = await self._sent(session, message, "other words")
        self.row.injected["deliveries"] += 1
        self.row.hit["conflict"] += 1
        known = self.replies[message]
        self.row.expect(reply["outcome"] == "conflict", "no conflict", message, reply)
        self.row.expect(reply["turn"] == known["turn"], "conflict of another turn", message, known, reply)

    async def _sent(self, session, message, text):
        client = self.dice.choice(self.clients)
        if self.dice.random() < 0.7 or message not in self.replies:
            return await client.send("desk", session, text, user=USER, id=message, timeout=60)
        body = {"id": message, "role": "user", "type": "user_chat", "text": text, "metadata": {}}
        try:  # as a client does that knows nothing of update ids
            return await client._updated("message", f"desk:{session}", body, str(uuid.uuid4()), 60)
        except InterlockError as error:
            self.row.violation("refused", message, repr(error))
            return self.replies[message]


async def test_one_reply_per_message_id_and_in_order(row, world, desk, folder):
    wanted = row.times(2_000, 50_000)
    async with world.served(folder, [desk], every_events=EVERY_EVENTS) as (client, items, server):
        others = [await connect(server.address) for _ in range(CLIENTS - 1)]
        clients = [client, *(Interlock(other, task_queue=client._task_queue) for other in others)]
        deliveries = Deliveries(row, clients)
        rounds = 0
        while row.injected["deliveries"] < wanted:
            names = [f"r{rounds}s{number}" for number in range(SESSIONS)]
            await asyncio.gather(*(deliveries.session(name, 32) for name in names))
            for name in names:
                await judge(row, client, deliveries, name)
            rounds += 1
        calls = Counter(asked["no"] for _, asked, _ in items.calls)
        for message, text in deliveries.texts.items():
            if text.startswith("find "):
                row.expect(calls[text.removeprefix("find ")] == 1, "calls", message, calls[text.removeprefix("find ")])
        runs = len([run async for run in client.client.list_workflows("")])
        row.notes.append(f"{len(deliveries.texts):,} messages, {sum(calls.values()):,} calls, {runs} runs")
        row.expect(runs > SESSIONS * rounds, "no run continued as new", runs)


async def judge(row, client, deliveries, session):
    """As many turns as messages, in the order of the messages."""
    messages = sorted((m for m in deliveries.texts if m.startswith(f"{session}-")), key=lambda m: int(m.split("-")[1]))
    turns = [deliveries.replies[message]["turn"] for message in messages]
    row.expect(turns == list(range(1, len(messages) + 1)), "turns", session, turns)
    status = await client.status("desk", session)
    row.expect(status["turn"] == len(messages), "turns taken", session, status["turn"], len(messages))


# -- identifiers over the real wire --------------------------------------------------------------------------------------


async def test_identifiers_are_byte_identical_over_the_real_wire(row, world, desk, folder, load):
    source = load(Path(__file__).with_name("test_faults_identifiers.py"))
    async with world.served(folder, [desk], every_events=150) as (client, items, _):
        sessions = [looked_up(row, source, client, f"w{n}", row.times(40, 2_000)) for n in range(8)]
        for said in await asyncio.gather(*sessions):
            row.hit["values"] += len(said)
        seen = Counter(asked["no"] for _, asked, _ in items.calls)
        odd = [asked for _, asked, _ in items.calls if len({asked["no"], asked["q"], asked["header"]}) > 1]
        row.expect(not odd, "places differ", odd[:3])
        row.expect(seen.total() == row.injected["values"] * 2, "calls", seen.total())


async def looked_up(row, source, client, session, count):
    """Values that came back as they were said: in the reply, in the next turn's reply from the cell, and in the record."""
    same = {}
    for number in range(count):
        value = source.an_identifier(row.dice)
        row.injected["values"] += 1
        text = source.written(row.dice, value)
        first = await client.send("desk", session, text, user=USER, id=f"{session}-{number}", timeout=60)
        again = await client.send("desk", session, "same again", user=USER, timeout=60)
        same[first["turn"]] = value
        row.expect(value in first["text"] and value in again["text"], "value lost", text, value, first, again)
    records = [one for one in (await client.record("desk", session))["turns"] if one["turn"] in same]
    row.expect(records, "no record is left")
    for record in records:
        value = same[record["turn"]]
        row.expect(f"'{value}'" in str(record["calls"]), "record", value, record["calls"])
    return same
