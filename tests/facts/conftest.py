"""A ledger of facts on a stage: what the store holds and what the model says is for each test to say."""

from functools import cache
from pathlib import Path

import pytest

from interlock.compiler import compile_folder
from tests.facts.world import Ledger, World

LEDGER = Path(__file__).with_name("ledger.yaml").read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def planned(tmp_path_factory):
    """The plan of the ledger, with some words of its spec exchanged for others."""

    @cache
    def compiled(*changes):
        text = LEDGER
        for old, new in changes:
            assert old in text
            text = text.replace(old, new, 1)
        folder = tmp_path_factory.mktemp("ledger")
        (folder / "ledger.yaml").write_text(text, encoding="utf-8")
        found = compile_folder(folder)
        assert [str(one) for one in found.diagnostics] == []
        return found.plans["ledger"]

    return compiled


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
