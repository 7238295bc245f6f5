"""For all tests: what is drawn at random is drawn alike where the run says so, as CI does by its seed; long ones first.

What tests have left in memory is set aside after each file: a worker of Temporal that runs in this process must not
stand still for the collector, since a workflow that yields for two seconds to nobody counts as stuck.
"""

import gc
import os
import sys

import pytest
import structlog
from hypothesis import settings

settings.register_profile("drawn-alike", derandomize=True)
if "INTERLOCK_SEED" in os.environ:
    settings.load_profile("drawn-alike")

LONG = ("tests/faults/", "tests/docs/test_pages.py", "tests/workflows/test_carrying.py", "tests/benchmarks/")
"""Files that take a minute or more: begun last, one of them would keep all others waiting."""


def pytest_collection_modifyitems(items):
    """Begin with the long files, in the order in which they stand."""
    items.sort(key=lambda item: not item.nodeid.startswith(LONG))


@pytest.fixture(scope="module", autouse=True)
def apart():
    """Begin each file with the log as it is without the command line, and with nothing for the collector to look at."""
    structlog.reset_defaults()
    gc.collect()
    gc.freeze()


@pytest.fixture
def installed(tmp_path_factory, monkeypatch):
    """Puts a package on the path, as an installer would: one module, and what it brings by entry points of a group."""
    folder = tmp_path_factory.mktemp("installed")
    monkeypatch.syspath_prepend(str(folder))
    modules = set()

    def install(distribution, module, entries, group="interlock.tools"):
        name = distribution.replace("-", "_")
        modules.add(name)
        (folder / f"{name}.py").write_text(module, encoding="utf-8")
        info = folder / f"{name}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n", encoding="utf-8")
        (info / "entry_points.txt").write_text(f"[{group}]\n{entries}\n", encoding="utf-8")

    yield install
    for name in modules:
        sys.modules.pop(name, None)
