"""Fixtures of the interpreter's tests."""

from types import ModuleType

import pytest

from tests.interpreter import calls_kit, conversation_kit


@pytest.fixture(scope="session")
def kit() -> ModuleType:
    """The builder of plans and turns for the tests of calls."""
    return calls_kit


@pytest.fixture(scope="session")
def talk() -> ModuleType:
    """The builder of plans and conversations for the tests of turns."""
    return conversation_kit
