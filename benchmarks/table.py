"""The table that a run prints: one row a piece of work, ours beside each rival, and the figure to reach."""

import os
import platform
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from math import inf, isinf
from pathlib import Path

UNITS = {"s": 1.0, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9}


@dataclass(frozen=True)
class Row:
    """One piece of work. Times are seconds; `unit` names what else is counted.

    `figure` is what ours must reach. `peer` is the rival and the cost beside which that figure was set: on another
    machine the same ratio to that rival is as good.
    """

    work: str
    ours: float
    figure: float | None = None
    rivals: Mapping[str, float] = field(default_factory=dict)
    unit: str = "s"
    more_is_better: bool = False
    peer: tuple[str, float] | None = None

    @property
    def reached(self) -> str:
        """Whether the figure is reached: as it stands, as the ratio to its peer, or not."""
        if self.figure is None:
            return ""
        if self.ours >= self.figure if self.more_is_better else self.ours <= self.figure:
            return "yes"
        if self.peer is not None and self.peer[0] in self.rivals:
            name, cost = self.peer
            wanted = self.figure / cost if self.more_is_better else cost / self.figure
            return "as a ratio" if self.better_than(name) >= wanted else "no"
        return "no"

    def better_than(self, rival: str) -> float:
        """How many times better ours is; endlessly, where one of the two is nothing."""
        best, worst = (self.ours, self.rivals[rival]) if self.more_is_better else (self.rivals[rival], self.ours)
        return best / worst if worst else inf

    def cells(self) -> tuple[str, ...]:
        """The row as text."""
        sign = "≥" if self.more_is_better else "≤"
        figure = "" if self.figure is None else f"{sign} {shown(self.figure, self.unit)}"
        rivals = "; ".join(
            f"{name} {shown(value, self.unit)} ({_times(self.better_than(name))})"
            for name, value in self.rivals.items()
        )
        return self.work, shown(self.ours, self.unit), figure, self.reached, rivals


HEAD = ("work", "ours", "figure", "reached", "rival (how many times ours is better)")


def shown(value: float, unit: str) -> str:
    """A value with its unit; times in the unit that suits them."""
    if unit != "s":
        number = f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.3g}"
        return f"{number} {unit}".strip()
    name = next((name for name, size in UNITS.items() if abs(value) >= size), "ns")
    scaled = value / UNITS[name]
    return f"{scaled:,.0f} {name}" if scaled >= 100 else f"{scaled:.3g} {name}"


def _times(ratio: float) -> str:
    if isinf(ratio):
        return "∞x"
    return f"{ratio:,.0f}x" if ratio >= 10 else f"{ratio:.2g}x"


def printed(rows: Iterable[Row]) -> str:
    """The table as Markdown."""
    lines = [HEAD, tuple("-" * 3 for _ in HEAD), *(row.cells() for row in rows)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def circumstances() -> str:
    """When, on what machine and with which versions, in one line."""
    packages = ", ".join(f"{name} {version(name)}" for name in ("interlock-engine", "temporalio"))
    machine = f"{_processor()}, {os.cpu_count()} cores, {platform.system()}"
    return f"{datetime.now(UTC).date()}: {machine}, Python {platform.python_version()}, {packages}"


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()
