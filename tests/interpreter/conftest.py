"""Fixtures of the interpreter's tests."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="session")
def kit() -> ModuleType:
    """The builder of plans and turns for the tests of calls."""
    spec = importlib.util.spec_from_file_location("calls_kit", Path(__file__).with_name("calls_kit.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def talk() -> ModuleType:
    """The builder of plans and conversations for the tests of turns."""
    spec = importlib.util.spec_from_file_location("conversation_kit", Path(__file__).with_name("conversation_kit.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
