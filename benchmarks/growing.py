"""What grows: memory with the number of sessions, and latency with sessions and turns, on a real Temporal server."""

import asyncio
import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import median

from benchmarks.measuring import Effort
from benchmarks.stage import HOURS, Side, Stage, set_up
from benchmarks.table import Row

AT_ONCE = 20
KIB = 1024
MEASURED = 40


def rows(effort: Effort) -> Iterator[Row]:
    """Memory for each cached session, latency beside many sessions, latency after many turns."""
    yield from asyncio.run(_rows(effort))


async def _rows(effort: Effort) -> list[Row]:
    async with set_up() as stage:
        session, turns = uuid.uuid4().hex, effort.of(2_000, 3)
        seen = await _taken(stage, session, turns)
        about, first = effort.of(MEASURED), min(100, turns)
        early = {name: median(times[first - about : first]) for name, times in seen.items()}
        late = {name: median(times[-about:]) for name, times in seen.items()}
        alone = await _latency(stage, effort)
        rows = await _memory(stage, effort)
        beside = await _latency(stage, effort)
    return [
        *rows,
        _grown(f"latency beside {effort.of(1_000, 3):,} open sessions over latency alone", alone, beside),
        _grown(f"latency at turn {turns:,} over latency at turn 100, through continue-as-new", early, late),
    ]


def _grown(work: str, before: Mapping[str, float], after: Mapping[str, float]) -> Row:
    """How many times longer turns take; the one by hand shows how much of it is the server's and the machine's."""
    ours, by_hand = (after[name] / before[name] for name in ("ours", "by hand"))
    return Row(work, ours, 1.1 * max(by_hand, 1), {"by hand on the SDK": by_hand}, "times")


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


async def _memory(stage: Stage, effort: Effort) -> list[Row]:
    """A few turns in each of many sessions, all of which the worker then holds."""
    number = effort.of(1_000, 3)
    grown = {}
    for name, side in stage.sides.items():
        if _resident(side.worker.pid) is None:
            return []
        await _open(side, AT_ONCE)
        before = _resident(side.worker.pid) or 0
        await _open(side, number)
        grown[name] = ((_resident(side.worker.pid) or 0) - before) / number / KIB
    above = grown["ours"] - grown["by hand"]
    return [
        Row("memory for a cached session above Temporal's own", above, 80, unit="KiB"),
        Row("memory for a cached session, all", grown["ours"], None, {"by hand on the SDK": grown["by hand"]}, "KiB"),
    ]


async def _open(side: Side, number: int) -> None:
    waiting = asyncio.Semaphore(AT_ONCE)

    async def opened() -> None:
        async with waiting:
            session = uuid.uuid4().hex
            for _ in range(2):
                await side.timed(session, HOURS)

    await asyncio.gather(*(opened() for _ in range(number)))


def _resident(pid: int) -> int | None:
    """Bytes that a process holds in memory; none where the system does not say."""
    status = Path(f"/proc/{pid}/status")
    if not status.exists():
        return None
    lines = status.read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) * KIB for line in lines if line.startswith("VmRSS:"))
