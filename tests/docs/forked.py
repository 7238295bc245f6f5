"""Runs one command of a page in a process of its own that is forked from one in which our modules are loaded already.

That is the command as a reader runs it, without the seconds that every new Python needs to load Temporal's client.
"""

import contextlib
import multiprocessing
import os
import runpy
import sys
from collections.abc import Iterator
from pathlib import Path

FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(
    ["interlock.cli.serving", "interlock.cli.chat", "interlock.cli.server", "interlock.client"]
)
SECONDS = 60


def run(words: list[str], folder: Path, environment: dict[str, str], given: str) -> tuple[int, str]:
    """Exit code and output of `interlock …` or `python FILE …` with `given` as standard input."""
    output, source = folder / ".output", folder / ".input"
    source.write_text(given, encoding="utf-8")
    process = FORKS.Process(target=_child, args=(words, folder, environment, source, output))
    process.start()
    process.join(SECONDS)
    assert process.exitcode is not None, f"{words} does not end"
    return process.exitcode, output.read_text(encoding="utf-8")


def _child(words: list[str], folder: Path, environment: dict[str, str], source: Path, output: Path) -> None:
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.path[:0] = [path for path in environment.get("PYTHONPATH", "").split(os.pathsep) if path]
    with _streams(source, output):
        if words[0] == "interlock":
            from interlock.cli import main

            sys.argv = words
            main()
        else:
            sys.argv = words[1:]
            sys.path.insert(0, str(Path(words[1]).resolve().parent))  # as `python FILE` does
            runpy.run_path(words[1], run_name="__main__")


@contextlib.contextmanager
def _streams(source: Path, output: Path) -> Iterator[None]:
    with source.open("rb") as reading, output.open("wb") as writing:
        os.dup2(reading.fileno(), 0)
        os.dup2(writing.fileno(), 1)
        os.dup2(writing.fileno(), 2)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - it lives as long as the process
    sys.stdout = open(1, "w", encoding="utf-8", buffering=1, closefd=False)  # noqa: SIM115 - likewise
    sys.stderr = open(2, "w", encoding="utf-8", buffering=1, closefd=False)  # noqa: SIM115 - likewise
    yield
    sys.stdout.flush()
