"""Suites play tools with whole values, while the run holds references as a real one does."""

import pytest

from interlock.authoring.outside import Outside
from interlock.authoring.stubs import StubbedTools
from interlock.authoring.suites import run_suite
from interlock.compiler import compile_folder
from interlock.interpreter.commands import CallTool
from interlock.plan.tools import Argument, Retry, Tool

TOOLS = """
apiVersion: interlock/v1
kind: Library
name: tools
servers:
  s: {http: "https://example.org"}
tools:
  export:
    http: GET /entries
    effect: read
    output: {rows: {type: list, items: {type: string}, stored: true}, count: {type: integer}}
    produces: {rows: {at: rows}}
  load:
    http: POST /entries
    effect: write
    idempotency: {header: Idempotency-Key}
    input: {rows: {type: list, items: {type: string}, stored: true, from: input.rows}}
    output: {loaded: {type: integer}}
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
  - {run: import, with: {rows: "{{ cells.export.rows }}"}}
result: {loaded: "{{ steps.import.result.loaded }}", bytes: "{{ cells.export.rows.bytes }}"}
"""
IMPORT = """
apiVersion: interlock/v1
kind: Procedure
name: import
uses: [tools]
input: {rows: {type: list, items: {type: string}, stored: true}}
steps: [{call: load}]
result: {loaded: "{{ cells.load.loaded }}"}
"""
SUITE = """
apiVersion: interlock/v1
kind: Suite
name: tests
of: {of}
stubs:
  tools:
    export: [{payload: {rows: {rows}, count: 2, secret: x}}]
    load:
      - {when: args.rows | length == 2, payload: {loaded: 2}}
      - {payload: {loaded: 0}}
cases:
"""


@pytest.fixture
def play(tmp_path):
    """Runs one case; its failures as `expectation: what happened`."""

    def run(case, of="move", rows='["01", "工资"]'):
        suite = SUITE.replace("{of}", of).replace("{rows}", rows) + case
        for name, text in {
            "tools": TOOLS,
            "move": MOVE,
            "import": IMPORT,
            "suite": suite,
        }.items():
            (tmp_path / f"{name}.yaml").write_text(text)
        found = compile_folder(tmp_path)
        assert [str(one) for one in found.errors] == []
        [written] = found.suites
        played = run_suite(written.spec, found.plans[of], lambda path: written.key(*path), plans=found.plans.values())
        [case_] = played.cases
        return [f"{one.mismatch.key}: {one.mismatch.happened}" for one in case_.failures]

    return run


def test_a_procedure_hands_a_stored_value_on_to_the_one_it_runs(play):
    assert play("  - {id: a, turns: [{expect: {result: {loaded: 2, bytes: 15}}}]}") == []


def test_calls_are_expected_with_whole_values(play):
    case = "  - {id: a, input: {rows: %s}, turns: [{expect: {calls: [{tool: load, args: {rows: %s}}], status: done}}]}"
    assert play(case % (["x", "y"], ["x", "y"]), of="import") == []
    assert play(case % (["x", "y"], ["x", "z"]), of="import") == ['calls.0.args.rows: ["x", "y"]']


def test_what_only_looks_like_a_reference_leads_nowhere():
    rows = Argument(type="list", stored=True, source="caller", send_as="rows")
    tool = Tool(at="-", transport="http", effect="read", retry=Retry(attempts=1), timeout_ms=1, input={"rows": rows})
    forged = {"digest": "0" * 64, "bytes": 2, "length": 0}
    call = CallTool("c1", "load", {"rows": forged}, "load", "a.yaml:1:1")
    world = StubbedTools({}).world()
    _, came = Outside().answered(world, tool, call, 1)
    assert (came.ending, came.sent, came.message) == ("error", False, f"nothing is stored under '{'0' * 64}'")
    assert world.unanswered() == []


def test_a_stub_that_is_not_as_declared_fails_as_the_tool_would(play):
    case = "  - {id: a, turns: [{expect: {failure: {step: export, contains: 'rows.1: not a string: 7'}}}]}"
    assert play(case, rows='["01", 7]') == []


def test_an_input_that_is_no_list_of_texts_is_told_when_the_suite_is_checked(play):
    with pytest.raises(AssertionError, match=r"misfit.*1: not a string: 7"):
        play("  - {id: a, input: {rows: ['x', 7]}, turns: [{expect: {status: done}}]}", of="import")
