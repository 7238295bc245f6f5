"""Procedures move megabytes from tool to tool: what passes through the history is a reference."""

import json
import sqlite3

import pytest
from temporalio.client import WorkflowFailureError

from interlock.contract.stored import referenced
from tests.compiled import plans_in
from tests.workflows.runs import begin, comes_to, replayed

pytestmark = pytest.mark.server

COUNT = 20_000
LIBRARY = """
apiVersion: interlock/v1
kind: Library
name: tools
servers:
  archive: {sql: "sqlite:///archive.db", timeout: 10s}
tools:
  export:
    sql: SELECT id, note FROM entries ORDER BY id
    effect: read
    output: {rows: {type: list, stored: true}, count: {type: integer}}
    produces: {rows: {at: rows}, count: {at: count}}
  load:
    python: load
    effect: write
    idempotency: {argument: request}
    retry: {attempts: 2, backoff: 10ms}
    input:
      rows: {type: list, stored: true, from: input.rows}
      expected: {type: integer, from: input.count}
    output: {loaded: {type: integer}, report: {type: string, stored: true}}
    produces: {loaded: {at: loaded}}
    ensures: [{that: result.loaded == args.rows.length}]
"""
MOVE = """
apiVersion: interlock/v1
kind: Procedure
name: move
uses: [tools]
steps:
  - call: export
  - run: import
    with: {rows: "{{ cells.export.rows }}", count: "{{ cells.export.count }}"}
result: {loaded: "{{ steps.import.result.loaded }}", rows: "{{ cells.export.rows }}"}
"""
IMPORT = """
apiVersion: interlock/v1
kind: Procedure
name: import
uses: [tools]
input: {rows: {type: list, stored: true}, count: {type: integer}}
steps:
  - call: load
result: {loaded: "{{ cells.load.loaded }}"}
"""
NOTE = "工资 " + "0" * 60


@pytest.fixture
def plans(tmp_path):
    for name, text in {"tools": LIBRARY, "move": MOVE, "import": IMPORT}.items():
        (tmp_path / f"{name}.yaml").write_text(text)
    return tuple(plans_in(tmp_path).values())


@pytest.fixture
def archive(tmp_path):
    with sqlite3.connect(tmp_path / "archive.db") as database:
        database.execute("CREATE TABLE entries (id TEXT, note TEXT)")
        database.executemany("INSERT INTO entries VALUES (?, ?)", ((f"{n:020}", NOTE) for n in range(COUNT)))
    return tmp_path


def loader(seen):
    def load(rows, expected, request):
        seen.append((rows, expected, request))
        return {"loaded": len(rows), "report": "好" * 500_000}

    return load


async def test_megabytes_go_from_tool_to_tool_and_histories_stay_small(stage, archive, plans, tmp_path):
    seen = []
    values = tmp_path / "values"
    async with stage.serving(*plans, functions={"load": loader(seen)}, data=archive, values=values):
        handle = await begin(stage, "move", {})
        result = await handle.result()
        child = (await stage.plain()).get_workflow_handle(f"{handle.id}/import")
        record = await child.query("record")
    rows = [{"id": f"{n:020}", "note": NOTE} for n in range(COUNT)]
    reference, content = referenced(rows)
    assert len(content) > 1_500_000
    assert result == {"loaded": COUNT, "rows": reference}
    assert [(given, expected) for given, expected, _ in seen] == [(rows, COUNT)]
    assert reference["digest"] in json.dumps(record)
    for run in (handle, child):
        history = await run.fetch_history()
        assert sum(event.ByteSize() for event in history.events) < 40_000
        await replayed(history)


async def test_a_reference_that_no_store_knows_ends_in_words(stage, plans, tmp_path):
    seen = []
    reference, _ = referenced([1])
    given = {"rows": reference, "count": 1}
    async with stage.serving(*plans, functions={"load": loader(seen)}, values=tmp_path / "values"):
        handle = await begin(stage, "import", given)
        status = await comes_to(handle, "failed")
        await handle.terminate()
    assert f"nothing is stored here under {reference['digest'][:12]}" in status["failure"]["message"]
    assert seen == []


@pytest.mark.parametrize("rows", [[1, 2], "x", {"digest": "0" * 64}, {"digest": "../x", "bytes": 1, "length": 1}])
async def test_a_run_that_is_started_with_a_whole_value_says_what_it_wants(stage, plans, tmp_path, rows):
    async with stage.serving(*plans, functions={}, values=tmp_path / "values"):
        handle = await begin(stage, "import", {"rows": rows, "count": 2})
        with pytest.raises(WorkflowFailureError) as failure:
            await handle.result()
    assert "input.rows: not a reference to a stored list" in str(failure.value.cause)
