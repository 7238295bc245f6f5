"""A desk with a model, and the servers that it asks."""

import pytest

from tests.activities.wire import wires
from tests.compiled import plans_in
from tests.workflows.models.desk import SECRET, folder_of


@pytest.fixture
def desk(tmp_path):
    """The plan, with a time-out of its models."""

    def build(timeout="20s"):
        return plans_in(folder_of(tmp_path / f"specs-{timeout}", timeout))["desk"]

    return build


@pytest.fixture
def serve(monkeypatch):
    """Starts the server that models answer at, and tells workers of it."""
    monkeypatch.setenv("LLM_KEY", SECRET)
    monkeypatch.setenv("INTERLOCK_ALLOW_ADDRESSES", "127.0.0.0/8")
    with wires() as start:

        def started(answers=None, **words):
            wire = start(answers, **words)
            monkeypatch.setenv("LLM_URL", f"http://127.0.0.1:{wire.port}/v1")
            return wire

        started.start = start
        yield started
