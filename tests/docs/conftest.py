"""The reader of pages, for all tests of the documentation."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest


def _load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("docs_pages", Path(__file__).with_name("pages.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["docs_pages"] = module
    spec.loader.exec_module(module)
    return module


PAGES = _load()


@pytest.fixture(scope="session")
def pages() -> ModuleType:
    """The module `pages`."""
    return PAGES
