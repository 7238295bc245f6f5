"""The six figures: complete for a real run, and each of them falls when a record is not as it must be."""

import copy
import json
from textwrap import dedent

import pytest

from interlock.authoring.auditing import Run, audited
from interlock.compiler.compile import compile_folder
from interlock.interpreter.commands import CallTool
from interlock.interpreter.events import ToolReturned
from interlock.interpreter.program import link
from interlock.interpreter.work.machine import WorkMachine
from interlock.interpreter.work.receiving import started

SPEC = """
apiVersion: interlock/v1
kind: Procedure
name: main
servers: {s: {http: "https://example.org"}}
input: {group: {type: string}}
tools:
  look:
    http: GET /things/{group}
    effect: read
    input: {group: {type: string, from: input.group}}
    output: {id: {type: string}, secret: {type: string, sensitive: true}}
    produces: {id: {at: id}, secret: {at: secret}}
  pay:
    http: POST /pay
    effect: write
    idempotency: {header: Idempotency-Key}
    input:
      id: {type: string, from: cells.look.id}
      secret: {type: string, from: cells.look.secret, sensitive: true}
      note: {type: string, value: "for {{ input.group }}"}
    output: {paid: {type: boolean}}
    ensures: [{that: result.paid}]
steps:
  - call: look
  - call: pay
"""

PROVENANCE = "arguments of writes with provenance"
VERBATIM = "values of cells that arrived verbatim"
LINKED = "calls linked to what they read and wrote"


@pytest.fixture
def ran(tmp_path):
    """The plans and the records of one run whose second call answers with `paid`."""
    (tmp_path / "main.yaml").write_text(dedent(SPEC))
    plans = dict(compile_folder(tmp_path).plans)

    def run(paid=True, looked=None, status=200):
        program = link(plans["main"])
        state = started(program, run_id="r", given={"group": "007"}, now_ms=1)
        machine = WorkMachine(program, state)
        payloads = {
            "look": {"id": "00" + "9" * 36, "secret": "s3cret"} if looked is None else looked,
            "pay": {"paid": paid},
        }
        commands = machine.begin(1)
        while calls := [one for one in commands if isinstance(one, CallTool)]:
            (call,) = calls
            code = status if call.tool == "pay" else 200
            commands = machine.handle(
                ToolReturned(call.call_id, "returned", 2, status=code, payload=payloads[call.tool])
            )
        return json.loads(json.dumps(state.records))

    return plans, run


def named(run, records, spec="main"):
    return Run(run, spec, f"first of {run}", records)


def test_every_figure_is_complete_for_a_run_that_went_well(ran):
    plans, run = ran
    audit = audited([named("one", run()), named("two", run())], plans)
    assert (audit.runs, audit.calls, audit.masked) == (2, 4, 2)
    shares = {name: (share.part, share.whole) for name, share in audit.shares()}
    assert shares == {
        "inputs with a source": (4, 4),
        "cells with one producer": (4, 4),
        "arguments of writes with provenance": (6, 6),
        "values of cells that arrived verbatim": (2, 2),
        "bad arguments stopped before the call": (0, 0),
        "calls linked to what they read and wrote": (4, 4),
    }


@pytest.mark.parametrize(
    ("change", "figures"),
    [
        (lambda pay: pay["arguments"].update(id="09"), [VERBATIM]),
        (lambda pay: pay["sources"].pop("note"), [PROVENANCE]),
        (lambda pay: pay["sources"]["id"].update(receipt="other/1"), [PROVENANCE, LINKED]),
        (lambda pay: pay.update(filled={"look.id": "1"}), ["cells with one producer"]),
    ],
)
def test_a_figure_falls_where_a_record_is_not_as_it_must_be(ran, change, figures):
    plans, run = ran
    records = copy.deepcopy(run())
    change(records[1]["calls"][0])
    fallen = {name: share.others for name, share in audited([named("r-1", records)], plans).shares() if share.others}
    assert list(fallen) == figures
    assert all(others[0].startswith("r-1 ") for others in fallen.values())


def test_bad_arguments_are_counted_whether_they_were_stopped_or_refused(ran):
    plans, run = ran
    stopped = audited([named("r", run(looked={}))], plans).bad_arguments_stopped
    refused = audited([named("r", run(paid=False)), named("s", run(status=422))], plans).bad_arguments_stopped
    assert (stopped.part, stopped.whole) == (0, 0)
    assert (refused.part, refused.whole) == (0, 2)


def test_what_a_run_has_begun_is_told_apart_and_missed_where_it_is_not_there(ran):
    plans, run = ran
    begins = [
        {"step": "book", "child": {"procedure": "main", "run": "first of p/book", "ending": "done"}},
        {"step": "lost", "child": {"procedure": "gone", "run": "f-2", "ending": "failed"}},
        {"step": "never", "child": {"procedure": "main", "run": "", "ending": "failed"}},
        {"turn": 3, "runs": [{"procedure": "main", "run": "3/trip"}, {"procedure": "other", "run": "3/away"}]},
    ]
    runs = [named("p", begins, "parent"), named("p/book", run()), named("p/3/trip", run())]
    audit = audited(runs, plans)
    assert (dict(audit.of), audit.calls) == ({"parent": 1, "main": 2}, 4)
    assert audit.missing == ["gone, run by p at lost", "other, run by p in turn 3"]
    assert audited(runs[1:], plans).missing == []


def test_runs_that_temporal_has_ended_are_named(ran):
    plans, run = ran
    audit = audited([named("a", run()), named("b", [*run(), {"event": "timed_out", "at_ms": 5}])], plans)
    assert audit.cut_off == {"b": "timed_out"}
    assert audit.missing == []
