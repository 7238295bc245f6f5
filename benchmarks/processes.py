"""Commands as people run them: `interlock check` over a thousand specs, and the start of the command line."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from time import perf_counter

from benchmarks.check_rival import check_by_hand
from benchmarks.measuring import Effort
from benchmarks.specs import write
from benchmarks.table import Row

ROOT = Path(__file__).parents[1]
INTERLOCK = "from interlock.cli import main; main()"
BYTECODE = "PYTHONDONTWRITEBYTECODE"
"""Where this is set, every start would compile its modules anew; users have them compiled, so it is not passed on."""

SAMPLE = 20
"""How many specs the rival checks; its time for all is scaled from them, for they are all of one size."""


def check(effort: Effort) -> Iterator[Row]:
    """Cold, and unchanged."""
    number = effort.of(1_000, 30)
    with tempfile.TemporaryDirectory(prefix="interlock-bench-") as folder:
        files = write(Path(folder, "specs"), number)
        command = [sys.executable, "-c", INTERLOCK, "check", "specs"]
        _seconds([*command[:-1], str(files[0].parent)], folder)  # compiles the modules, which is not what is measured
        cold, theirs, unchanged = [], [], []
        for _ in range(effort.of(3)):
            shutil.rmtree(Path(folder, ".interlock"), ignore_errors=True)
            cold.append(_seconds(command, folder))
            theirs.append(_by_hand(files[:: max(1, number // SAMPLE)][:SAMPLE]) * number)
            unchanged += [_seconds(command, folder) for _ in range(effort.of(3))]
    rival = {"ruamel + jinja2 + jsonschema, plain loop, scaled from 20": median(theirs)}
    work = f"`check` of {number:,} specs of 200 lines"
    peer = (next(iter(rival)), 40.0)
    yield Row(f"{work}, cold, {os.cpu_count()} cores", median(cold), 4.0 * number / 1_000, rival, peer=peer)
    yield Row(f"{work}, unchanged", median(unchanged), 0.1, rival)


def start(effort: Effort) -> Iterator[Row]:
    """The time to the first word of help."""
    commands = {
        "ours": [sys.executable, "-c", INTERLOCK, "--help"],
        "importing click": [sys.executable, "-c", "import click"],
        "Python itself": [sys.executable, "-c", "pass"],
    }
    times = _interleaved(commands, effort.of(15))
    yield Row("start of `interlock --help`", times.pop("ours"), None, times)


def _by_hand(files: Sequence[Path]) -> float:
    started = perf_counter()
    check_by_hand(files)
    return (perf_counter() - started) / len(files)


def _interleaved(commands: Mapping[str, Sequence[str]], rounds: int) -> dict[str, float]:
    seen: dict[str, list[float]] = {name: [] for name in commands}
    for command in commands.values():
        _seconds(command, str(ROOT))  # compiles the modules, which is not what is measured
    for _ in range(rounds):
        for name, command in commands.items():
            seen[name].append(_seconds(command, str(ROOT)))
    return {name: median(times) for name, times in seen.items()}


def _seconds(command: Sequence[str], folder: str) -> float:
    environment = {name: value for name, value in os.environ.items() if name != BYTECODE}
    started = perf_counter()
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    taken = perf_counter() - started
    assert done.returncode == 0, done.stdout + done.stderr
    return taken
