"""The reader of pages, for all tests of the documentation."""

import sys
from pathlib import Path
from types import ModuleType

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # `forked` is imported by its name in the processes that it starts

import pages as reader


@pytest.fixture(scope="session")
def pages() -> ModuleType:
    """The module `pages`."""
    return reader
