"""A ledger of facts on a stage: what the store holds and what the model says is for each test to say."""

from pathlib import Path

import pytest

from tests.compiled import plan_of
from tests.facts.world import Ledger, World

LEDGER = Path(__file__).with_name("ledger.yaml")


@pytest.fixture(scope="session")
def planned(tmp_path_factory):
    """The plan of the ledger, with some words of its spec exchanged for others."""
    return plan_of(LEDGER, tmp_path_factory.mktemp)


@pytest.fixture
def world():
    return World()


@pytest.fixture
def changed(planned, world):
    """Opens the ledger with some words of its spec exchanged."""
    return lambda *changes: Ledger(planned(*changes), world)


@pytest.fixture
def ledger(changed):
    return changed()
