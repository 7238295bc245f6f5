"""Durable turns on a real Temporal server, beside the same work written by hand on the SDK; wall time."""

import asyncio
import itertools
import uuid
from collections.abc import Iterator, Sequence
from statistics import median
from time import perf_counter

from benchmarks.measuring import Effort, ratio_with_bound
from benchmarks.stage import HOURS, LOOKUP, Side, Stage, set_up
from benchmarks.table import Row

CALLERS = 16
PAIRS = 200


def rows(effort: Effort) -> Iterator[Row]:
    """Latency of a turn without and with a call, throughput, and the events that a turn leaves."""
    yield from asyncio.run(_rows(effort))


async def _rows(effort: Effort) -> list[Row]:
    async with set_up() as stage:
        return [
            *await _latency(stage, "turn of one gate", HOURS, effort),
            *await _latency(stage, "turn with one call over HTTP", LOOKUP, effort),
            await _throughput(stage, "turns of one gate, 16 callers", HOURS, effort),
            await _throughput(stage, "turns with one call, 16 callers", LOOKUP, effort),
        ]


async def _latency(stage: Stage, work: str, text: str, effort: Effort) -> list[Row]:
    session = uuid.uuid4().hex
    seen: dict[str, list[float]] = {name: [] for name in stage.sides}
    for number in range(-effort.of(5, 1), effort.of(PAIRS)):
        sides = list(stage.sides.items())
        for name, side in sides if number % 2 else reversed(sides):
            taken = await side.timed(session, text)
            if number >= 0:
                seen[name].append(taken)
    events = {name: await _events(stage, side, session, text) for name, side in stage.sides.items()}
    ratio, bound = ratio_with_bound(seen["ours"], seen["by hand"])
    ours = {name: median(times) for name, times in seen.items()}
    return [
        Row(f"{work}: latency", ours["ours"], None, {"by hand on the SDK": ours["by hand"]}),
        Row(f"{work}: ratio of medians, {len(seen['ours'])} pairs", ratio, 1.05, unit="of by hand"),
        Row(f"{work}: its upper bound (97.5 %)", bound, 1.10, unit="of by hand"),
        Row(f"{work}: history", events["ours"], events["by hand"], {"by hand on the SDK": events["by hand"]}, "events"),
    ]


async def _events(stage: Stage, side: Side, session: str, text: str) -> int:
    before = await stage.events(side.workflow_id(session))
    await side.timed(session, text)
    return len(await stage.events(side.workflow_id(session))) - len(before)


async def _throughput(stage: Stage, work: str, text: str, effort: Effort) -> Row:
    """Each caller has a session of its own; the sides take turns, a batch each."""
    sessions = [uuid.uuid4().hex for _ in range(CALLERS)]
    seen: dict[str, list[float]] = {name: [] for name in stage.sides}
    turns = effort.of(20)
    for number in itertools.count(-1):
        if number == effort.of(7):
            break
        for name, side in stage.sides.items():
            taken = await _batch(side, sessions, text, turns)
            if number >= 0:
                seen[name].append(CALLERS * turns / taken)
    a_second = {name: median(rates) for name, rates in seen.items()}
    by_hand = a_second["by hand"]
    return Row(
        f"{work} (≥ 0.95 of by hand)",
        a_second["ours"],
        0.95 * by_hand,
        {"by hand on the SDK": by_hand},
        unit="turns/s",
        more_is_better=True,
    )


async def _batch(side: Side, sessions: Sequence[str], text: str, turns: int) -> float:
    async def caller(session: str) -> None:
        for _ in range(turns):
            await side.timed(session, text)

    started = perf_counter()
    await asyncio.gather(*(caller(session) for session in sessions))
    return perf_counter() - started
