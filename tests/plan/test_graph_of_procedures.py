"""Graphs of procedures: every action, what runs side by side, what repeats, and what undoes, held against a golden file.

`INTERLOCK_UPDATE_GOLDEN=1 pytest tests/plan/test_graph_of_procedures.py` writes it anew.
"""

import os
from pathlib import Path

import pytest

from interlock.plan.graph import mermaid
from interlock.plan.graph_steps import span
from interlock.plan.plan import Plan, Work
from interlock.plan.steps import (
    Branch,
    CallStep,
    Catch,
    DoStep,
    EndStep,
    FailStep,
    ForEachStep,
    Lane,
    ParallelStep,
    ReceiveStep,
    Repeat,
    RunStep,
    SetStep,
    SwitchStep,
    WaitStep,
)
from interlock.plan.tools import Retry, Tool

from .test_graph import Graph, needs_mermaid, parsed

AT = "a.yaml:1:1"
GOLDEN = Path(__file__).with_name("procedure.mmd")


def call(name, **more):
    return CallStep(at=AT, id=name, action="call", tool=name, **more)


def plan_of(*steps, **work):
    title = {"en": "Pay out", "zh": "付款"}
    pay = Tool(
        at=AT, transport="python", python="pay", effect="write", title=title, retry=Retry(attempts=1), timeout_ms=1
    )
    return Plan(
        kind="Procedure",
        bundle="b",
        name="pay-run",
        languages=("en", "zh"),
        tools={"pay": pay},
        work=Work(steps=steps, **work),
    )


def graph(*steps, **work):
    return Graph(mermaid(plan_of(*steps, **work)))


MONEY = call("pay", compensate=(call("take_back"), call("tell")), catch=(Catch(at=AT, errors=("unknown",)),))
HIRES = ForEachStep(
    at=AT,
    id="hires",
    action="for_each",
    each="{{ cells.look.hires }}",
    variable="hire",
    max_parallel=5,
    do=(
        call("onboard", when="hire.new"),
        RunStep(at=AT, id="badge", action="run", procedure="print-badge", digest="d"),
    ),
)
EVERY_STEP = (
    call("look", repeat=Repeat(until="result.state != 'RUNNING'", every_ms=60_000, timeout_ms=7_200_000)),
    SwitchStep(
        at=AT,
        id="choose",
        action="switch",
        branches=(
            Branch(
                at=AT,
                when="cells.look.state == 'FAILED'",
                do=(FailStep(at=AT, id="f", action="fail", text={"en": "No."}, compensate=True),),
            ),
            Branch(
                at=AT,
                when="cells.look.state == 'NONE'",
                do=(EndStep(at=AT, id="e", action="end", gives={"status": "none"}),),
            ),
        ),
    ),
    ParallelStep(
        at=AT, id="both", action="parallel", lanes=(Lane(name="money", do=(MONEY,)), Lane(name="hires", do=(HIRES,)))
    ),
    WaitStep(at=AT, id="w", action="wait", duration_ms=3_600_000),
    WaitStep(at=AT, id="u", action="wait", time="{{ input.day }}"),
    ReceiveStep(at=AT, id="approved", action="receive", event="approved", timeout_ms=172_800_000),
    DoStep(
        at=AT,
        id="group",
        action="do",
        do=(SetStep(at=AT, id="s", action="set", values={"a": 1}),),
        compensate=(call("tidy"),),
    ),
)


def test_a_procedure_is_drawn_as_the_golden_file_has_it():
    text = mermaid(plan_of(*EVERY_STEP, gives={"status": "paid"}))
    Graph(text)
    if os.environ.get("INTERLOCK_UPDATE_GOLDEN"):
        GOLDEN.write_text(text, encoding="utf-8")
    assert text == GOLDEN.read_text(encoding="utf-8")


def test_what_undoes_a_step_hangs_on_a_dotted_edge_and_leads_nowhere():
    found = graph(call("make", compensate=(call("unmake"),)), call("after"))
    [(start, label, end)] = found.undo
    assert (found.nodes[start], label, found.nodes[end]) == ("call make", "undo", "call unmake")
    assert found.from_("call make") == [("", "call after")]
    assert found.from_("call unmake") == []


def test_lanes_come_together_but_for_those_that_end():
    end = EndStep(at=AT, id="e", action="end", gives={})
    both = ParallelStep(
        at=AT,
        id="both",
        action="parallel",
        lanes=(Lane(name="a", do=(call("x"),)), Lane(name="b", do=(call("y"), end))),
    )
    found = graph(both, call("after"))
    assert found.from_("both") == [("a", "call x"), ("b", "call y")]
    assert found.from_("call x") == [("", "all of them")]
    assert found.from_("all of them") == [("", "call after")]
    ended = graph(ParallelStep(at=AT, id="both", action="parallel", lanes=(Lane(name="a", do=(end,)),)))
    assert "all of them" not in ended.nodes.values()
    assert "done" not in ended.nodes


def test_a_loop_leads_back_for_the_next_item_and_on_after_the_last():
    found = graph(HIRES)
    assert found.from_("for each hire, 5 at once") == [("each hire", "hire.new"), ("after the last", "done")]
    assert found.from_("hire.new") == [("yes", "call onboard"), ("no", "run print-badge")]
    assert found.from_("run print-badge") == [("next", "for each hire, 5 at once")]


def test_a_call_that_repeats_leads_back_to_itself():
    found = graph(call("look", repeat=Repeat(until="result.ok", every_ms=90_000, timeout_ms=1)))
    assert found.from_("call look") == [("every 90s until result.ok", "call look"), ("", "done")]


def test_a_group_that_is_bounded_or_undone_as_one_has_a_node():
    inner = (call("x"),)
    assert "g" not in graph(DoStep(at=AT, id="g", action="do", do=inner)).nodes.values()
    assert "g, at most 2h" in graph(DoStep(at=AT, id="g", action="do", do=inner, timeout_ms=7_200_000)).nodes.values()
    assert "g" in graph(DoStep(at=AT, id="g", action="do", do=inner, compensate=inner)).nodes.values()


@pytest.mark.parametrize(
    ("ms", "text"),
    [(500, "500ms"), (1_000, "1s"), (90_000, "90s"), (60_000, "1m"), (7_200_000, "2h"), (172_800_000, "2d")],
)
def test_durations_are_shown_as_authors_write_them(ms, text):
    assert span(ms) == text


@needs_mermaid
def test_mermaid_itself_parses_the_graph(tmp_path):
    status, kind, complaint = parsed(GOLDEN.read_text(encoding="utf-8"), tmp_path)
    assert (status, kind) == (0, "flowchart-v2"), complaint
