"""The rows of the fault and attack table: sizes, seeds, counts, and the line that each prints whatever comes of it.

`INTERLOCK_FAULTS` is empty (small), `ci` or `long`; `INTERLOCK_SEED` repeats a run.
"""

import asyncio
import importlib.util
import inspect
import os
import random
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

HERE = Path(__file__).parent
TESTS = HERE.parent
SIZES = ("", "ci", "long")
SHOWN = 5
LINE = "fault row"


class Row:
    """One row: `injected` and `hit` are counted by kind, `violations` hold what should not have been."""

    def __init__(self, name):
        self.name = name
        self.seed = int(os.environ.get("INTERLOCK_SEED") or random.SystemRandom().randrange(10**9))
        self.dice = random.Random(self.seed)
        self.size = os.environ.get("INTERLOCK_FAULTS", "")
        assert self.size in SIZES, f"INTERLOCK_FAULTS is one of {SIZES}"
        self.injected, self.hit, self.violations, self.notes = Counter(), Counter(), [], []
        self._started = time.monotonic()

    @property
    def long(self):
        """Whether the nightly size is wanted."""
        return self.size == "long"

    def times(self, small, long, ci=None):
        """How often, in this size."""
        return {"": small, "ci": ci or small, "long": long}[self.size]

    def violation(self, *what):
        """Keep what must not be."""
        self.violations.append(what)

    def expect(self, held, *what):
        """Count a violation where something does not hold."""
        if not held:
            self.violation(*what)

    def line(self):
        """The row in one line."""
        hits = self.hit.total()
        kinds = ", ".join(f"{kind} {count:,}" for kind, count in sorted(self.hit.items()) if kind)
        notes = "".join(f"; {note}" for note in self.notes)
        seconds = time.monotonic() - self._started
        return (
            f"{self.name}: seed {self.seed}, injected {self.injected.total():,}, hit {hits:,}"
            f"{f' ({kinds})' if kinds else ''}, violations {len(self.violations)}{notes} [{seconds:.0f} s]"
        )

    def check(self):
        """Fail on a violation, and on a run in which nothing hit."""
        assert not self.violations, f"{self.line()}\n" + "\n".join(map(repr, self.violations[:SHOWN]))
        assert self.hit.total(), f"{self.line()}\nnothing hit, so nothing was shown"


@pytest.fixture
def row(request):
    """The row of this test."""
    return Row(request.node.name.removeprefix("test_").replace("_", " "))


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    """Run a test, coroutines in a loop of their own; then judge and keep its row."""
    arguments = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
    judged = arguments.get("row")
    try:
        result = pyfuncitem.obj(**arguments)
        if inspect.isawaitable(result):
            asyncio.run(result)
        if judged is not None:
            judged.check()
    finally:
        if judged is not None:
            pyfuncitem.user_properties.append((LINE, judged.line()))
    return True


def pytest_terminal_summary(terminalreporter):
    """Show every row, of tests that passed too."""
    reports = [*terminalreporter.stats.get("passed", []), *terminalreporter.stats.get("failed", [])]
    lines = [value for report in reports for name, value in report.user_properties if name == LINE]
    if lines:
        terminalreporter.section("faults and attacks")
        for line in sorted(set(lines)):
            terminalreporter.write_line(line)


def loaded(path):
    """A module of the tests, by its file: they are no package."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def load():
    """Loads a module of the tests by its file."""
    return loaded


@pytest.fixture(scope="session")
def world():
    """Servers, workers and tool services: see `world.py`."""
    return loaded(HERE / "world.py")


@pytest.fixture(scope="session")
def talk():
    """Conversations over the machine alone, as the interpreter's own tests hold them."""
    return loaded(TESTS / "interpreter" / "conversation_kit.py")


@pytest.fixture(scope="session")
def bounded():
    """What measures this machine: see `bounded.py`."""
    return loaded(HERE / "bounded.py")


@pytest.fixture(scope="session")
def bindings():
    """The bindings that the interpreter's own tests attack with."""
    return loaded(TESTS / "interpreter" / "test_arguments_identifiers.py")


@pytest.fixture(scope="session")
def screening():
    """The disguises and the benign corpus of the text tests."""
    return loaded(TESTS / "text" / "test_text_screening.py")


@pytest.fixture(scope="session")
def plans():
    """The plans of the agents under `specs/desk`, by name."""
    from interlock.compiler import compile_folder

    return compile_folder(HERE / "specs" / "desk").plans


@pytest.fixture
def desk(plans):
    """The agent that looks numbers up."""
    return plans["desk"]


@pytest.fixture
def batch(plans):
    """The agent that takes many numbers."""
    return plans["batch"]


@pytest.fixture
def folder(tmp_path):
    """A folder for databases and logs."""
    return tmp_path
