"""What grows: memory with the number of sessions, and latency with sessions and turns, on a real Temporal server."""

import asyncio
import uuid
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median

from benchmarks.measuring import Effort
from benchmarks.stage import HOURS, Side, Stage, set_up
from benchmarks.table import Row

AT_ONCE = 20
KIB = 1024
MEASURED = 100
OPEN, IDLE = 1_000, 5_000
"""Sessions that a worker holds in memory (its cache has room for that many), and sessions that are open in all."""


def rows(effort: Effort) -> Iterator[Row]:
    """Memory for each cached session, latency beside many sessions, latency after many turns."""
    yield from asyncio.run(_rows(effort))


async def _rows(effort: Effort) -> list[Row]:
    opened, idle, turns = effort.of(OPEN, 3), effort.of(IDLE, 6), effort.of(2_000, 3)
    async with set_up() as stage:
        early, late = await _turns(stage, turns, effort)
        alone = await _latency(stage, effort)
        first = {name: _names(opened) for name in stage.sides}
        memory = await _memory(stage, first)
        beside = await _latency(stage, effort)
        for side in stage.sides.values():
            await _open(side, _names(idle - opened), turns=1)
        beside_idle = await _latency(stage, effort)
        woken = {name: await _woken(side, first[name][: effort.of(MEASURED)]) for name, side in stage.sides.items()}
    left_memory = {"by hand on the SDK": woken.pop("by hand")}
    return [
        *memory,
        _grown(f"latency beside {opened:,} open sessions over latency alone", alone, beside),
        _grown(f"latency beside {idle:,} idle sessions over latency alone", alone, beside_idle),
        Row(f"message to one of {idle:,} idle sessions that has left memory", woken["ours"], None, left_memory),
        _grown(f"latency at turn {turns:,} over latency at turn 100, through continue-as-new", early, late),
    ]


def _grown(work: str, before: Mapping[str, float], after: Mapping[str, float]) -> Row:
    """How many times longer turns take; the one by hand shows how much of it is the server's and the machine's."""
    ours, by_hand = (after[name] / before[name] for name in ("ours", "by hand"))
    return Row(work, ours, 1.1 * max(by_hand, 1), {"by hand on the SDK": by_hand}, "times")


async def _turns(stage: Stage, turns: int, effort: Effort) -> tuple[dict[str, float], dict[str, float]]:
    """Latency early and late in one session of so many turns."""
    seen = await _taken(stage, uuid.uuid4().hex, turns)
    about, first = effort.of(MEASURED), min(100, turns)
    early = {name: median(times[first - about : first]) for name, times in seen.items()}
    return early, {name: median(times[-about:]) for name, times in seen.items()}


async def _latency(stage: Stage, effort: Effort) -> dict[str, float]:
    session = uuid.uuid4().hex
    await _taken(stage, session, 1)
    return {name: median(times) for name, times in (await _taken(stage, session, effort.of(MEASURED))).items()}


async def _taken(stage: Stage, session: str, turns: int) -> dict[str, list[float]]:
    """The seconds of so many turns of one session, the sides taking turns."""
    seen: dict[str, list[float]] = {name: [] for name in stage.sides}
    for _ in range(turns):
        for name, side in stage.sides.items():
            seen[name].append(await side.timed(session, HOURS))
    return seen


async def _memory(stage: Stage, sessions: Mapping[str, Sequence[str]]) -> list[Row]:
    """A few turns in each of many sessions, all of which the worker then holds."""
    grown = {}
    for name, side in stage.sides.items():
        await _open(side, _names(AT_ONCE), turns=2)
        before = _resident(side.worker.pid)
        await _open(side, sessions[name], turns=2)
        after = _resident(side.worker.pid)
        if before is not None and after is not None:
            grown[name] = (after - before) / len(sessions[name]) / KIB
    if not grown:
        return []
    above = grown["ours"] - grown["by hand"]
    return [
        Row("memory for a cached session above Temporal's own", above, 80, unit="KiB"),
        Row("memory for a cached session, all", grown["ours"], None, {"by hand on the SDK": grown["by hand"]}, "KiB"),
    ]


def _names(number: int) -> list[str]:
    return [uuid.uuid4().hex for _ in range(number)]


async def _open(side: Side, sessions: Sequence[str], *, turns: int) -> None:
    waiting = asyncio.Semaphore(AT_ONCE)

    async def opened(session: str) -> None:
        async with waiting:
            for _ in range(turns):
                await side.timed(session, HOURS)

    await asyncio.gather(*map(opened, sessions))


async def _woken(side: Side, sessions: Sequence[str]) -> float:
    """The seconds until a session answers that has been idle for longest."""
    return median([await side.timed(session, HOURS) for session in sessions])


def _resident(pid: int) -> int | None:
    """Bytes that a process holds in memory; none where the system does not say."""
    status = Path(f"/proc/{pid}/status")
    if not status.exists():
        return None
    lines = status.read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) * KIB for line in lines if line.startswith("VmRSS:"))
