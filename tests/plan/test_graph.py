"""Graphs: Mermaid that parses, every part of a plan drawn once, and labels that show what was written."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.plan.graph import mermaid, run_order
from interlock.plan.graph_lines import LABEL_LENGTH, escaped
from interlock.plan.plan import Plan
from interlock.plan.rules import Gate, Route
from interlock.plan.steps import (
    Branch,
    CallStep,
    Catch,
    CollectStep,
    DoStep,
    FlowStep,
    HandoffStep,
    RefuseStep,
    ReplyStep,
    RespondStep,
    SetStep,
    SwitchStep,
)

AT = "a.yaml:1:1"
TEXT = {"en": "Hello", "zh": "你好"}

LABEL = r'"[^"]*"'
SHAPE = rf"(\(\[{LABEL}\]\)|\{{\{{{LABEL}\}}\}}|\[\[{LABEL}\]\]|\[/{LABEL}/\]|\[{LABEL}\]|\{{{LABEL}\}})"
NODE = re.compile(rf"(\w+)({SHAPE}|\{{\w+\}})(:::\w+)?")
EDGE = re.compile(rf"(\w+) (?:-- ({LABEL}) )?--> (\w+)")
UNDO = re.compile(rf"(\w+) -\. ({LABEL}) \.-> (\w+)")
JUMP = re.compile(r"(\w+) -\.-> (\w+)")


def reply(step_id, **more):
    return ReplyStep(at=AT, id=step_id, action="reply", text=TEXT, **more)


def plan_of(*steps, gates=(), routes=None, **flows):
    flow = tuple(steps) or (reply("said"),)
    found = routes or (Route(at=AT, id="rest", flow="main"),)
    return Plan(
        bundle="b", name="desk", languages=("en", "zh"), gates=tuple(gates), routes=found, flows={"main": flow, **flows}
    )


class Graph:
    """What a flowchart says: labels of nodes, edges with their labels, jumps into other flows."""

    def __init__(self, text):
        first, *lines = text.splitlines()
        assert first == "flowchart TD"
        self.nodes, self.edges, self.jumps, self.undo, depth = {}, [], [], [], 0
        for line in map(str.strip, lines):
            if line.startswith("subgraph "):
                assert re.fullmatch(rf"subgraph (sub|pass)_\w+\[{LABEL}\]", line)
                depth += 1
            elif line == "end":
                depth -= 1
            elif node := NODE.fullmatch(line):
                assert node[1] not in self.nodes
                self.nodes[node[1]] = re.sub(r'^[\[({/]+"?|"?[\])}/]+$', "", node[2])
            elif edge := EDGE.fullmatch(line):
                self.edges.append((edge[1], edge[2] or "", edge[3]))
            elif undo := UNDO.fullmatch(line):
                self.undo.append((undo[1], undo[2].strip('"'), undo[3]))
            elif jump := JUMP.fullmatch(line):
                self.jumps.append((jump[1], jump[2]))
            else:
                assert line.startswith("classDef "), line
        assert depth == 0
        assert {end for edge in (*self.edges, *self.undo) for end in (edge[0], edge[2])} <= set(self.nodes)
        assert {end for jump in self.jumps for end in jump} <= set(self.nodes)

    def from_(self, label):
        """Where the edges of the node with that label lead: edge label to node label."""
        [node] = [name for name, text in self.nodes.items() if text == label]
        return [(text.strip('"'), self.nodes[end]) for start, text, end in self.edges if start == node]


def graph(*steps, language="", **parts):
    return Graph(mermaid(plan_of(*steps, **parts), language))


EVERY_STEP = (
    CollectStep(at=AT, id="ask", action="collect", slots=("no", "day")),
    CallStep(
        at=AT,
        id="find",
        action="call",
        tool="find",
        catch=(Catch(at=AT, errors=("error", "timeout"), do=(reply("no"),)),),
    ),
    CallStep(at=AT, id="each", action="call", tool="find", expand=("no",)),
    SetStep(at=AT, id="set", action="set", values={"a": 1, "b": 2}),
    RespondStep(at=AT, id="show", action="respond", response="short", when="vars.a == 1"),
    FlowStep(at=AT, id="sub", action="flow", flow="other"),
    SwitchStep(
        at=AT,
        id="choose",
        action="switch",
        branches=(
            Branch(at=AT, when="user.tier == 'vip'", do=(HandoffStep(at=AT, id="h", action="handoff", text=TEXT),)),
            Branch(at=AT, when="intents.no", do=(RefuseStep(at=AT, id="r", action="refuse", text=TEXT),)),
        ),
    ),
    DoStep(at=AT, id="group", action="do", do=(reply("one"), reply("two")), when="conditions.ok"),
)


def test_every_step_is_drawn_with_what_it_does():
    labels = list(graph(*EVERY_STEP, other=(reply("o"),)).nodes.values())
    for label in (
        "collect no, day",
        "call find",
        "call find for each no",
        "set a, b",
        "respond short",
        "flow other",
        "choose",
        "reply: Hello",
        "handoff: Hello",
        "refuse: Hello",
    ):
        assert label in labels


def test_a_step_with_a_condition_hangs_on_a_question_that_can_be_passed():
    found = graph(reply("first", when="user.vip", title={"en": "greet"}), reply("second", title={"en": "end"}))
    assert found.from_("user.vip") == [("yes", "greet"), ("no", "end")]
    assert found.from_("greet") == [("", "end")]


def test_conditions_in_a_row_are_asked_one_after_the_other():
    steps = [reply(f"s{n}", when=f"vars.c{n}", title={"en": f"step {n}"}) for n in range(4)]
    found = graph(*steps)
    assert found.from_("vars.c0") == [("yes", "step 0"), ("no", "vars.c1")]
    assert found.from_("step 0") == [("", "vars.c1")]
    assert len(found.edges) == 3 + 4 + 2 * 3


def test_a_catch_is_a_branch_that_goes_on_with_the_flow():
    call = CallStep(
        at=AT,
        id="find",
        action="call",
        tool="find",
        catch=(
            Catch(at=AT, errors=("timeout",), do=(RefuseStep(at=AT, id="r", action="refuse", text=TEXT),)),
            Catch(at=AT, do=(reply("sorry", title={"en": "sorry"}),)),
        ),
    )
    found = graph(call, reply("end", title={"en": "end"}))
    assert found.from_("call find") == [
        ("on timeout", "refuse: Hello"),
        ("on any failure", "sorry"),
        ("", "end"),
    ]
    assert found.from_("sorry") == [("", "end")]
    assert found.from_("refuse: Hello") == []


def test_a_catch_without_steps_leads_on():
    call = CallStep(at=AT, id="find", action="call", tool="find", catch=(Catch(at=AT, errors=("error",)),))
    found = graph(call, reply("end", title={"en": "end"}))
    assert found.from_("call find") == [("", "end"), ("on error", "end")]


def test_a_switch_without_an_otherwise_can_be_passed_and_one_with_it_cannot():
    def switch(last):
        branches = (Branch(at=AT, when="a", do=(reply("x", title={"en": "x"}),)), last)
        return SwitchStep(at=AT, id="choose", action="switch", branches=branches)

    y = (reply("y", title={"en": "y"}),)
    end = reply("end", title={"en": "end"})
    assert graph(switch(Branch(at=AT, when="b", do=y)), end).from_("choose") == [
        ("a", "x"),
        ("b", "y"),
        ("otherwise", "end"),
    ]
    assert graph(switch(Branch(at=AT, do=y)), end).from_("choose") == [("a", "x"), ("otherwise", "y")]


def test_a_group_is_its_steps_and_one_with_a_catch_has_a_node():
    steps = (reply("one", title={"en": "one"}), reply("two", title={"en": "two"}))
    assert "group" not in graph(DoStep(at=AT, id="group", action="do", do=steps)).nodes.values()
    caught = DoStep(
        at=AT, id="group", action="do", do=steps, catch=(Catch(at=AT, do=(reply("x", title={"en": "x"}),)),)
    )
    assert graph(caught).from_("group") == [("", "one"), ("on any failure", "x")]


def test_an_inline_flow_is_a_dotted_edge_and_the_flow_goes_on():
    found = graph(FlowStep(at=AT, id="sub", action="flow", flow="other"), reply("end"), other=(reply("o"),))
    assert [end for _, end in found.jumps] == ["flow_other"]
    assert found.from_("flow other") == [("", "reply: Hello")]


def gate(gate_id, verdict="reply", **more):
    return Gate(at=AT, id=gate_id, verdict=verdict, text=TEXT, **more)


def test_gates_stand_in_the_order_they_run():
    gates = (gate("b", when="x"), gate("a", screen="words", when="y"), gate("c", prefix="#c", title={"en": "Third"}))
    assert [one.id for one in run_order(gates)] == ["a", "b", "c"]
    found = graph(gates=gates)
    assert found.from_("message") == [("", "a")]
    assert found.from_("a") == [("screen words and y", "reply: Hello"), ("", "b")]
    assert found.from_("b") == [("x", "reply: Hello"), ("", "Third")]
    assert found.from_("Third") == [("begins with #35;c", "reply: Hello"), ("", "route")]


@pytest.mark.parametrize(
    ("one", "label", "goes_on"),
    [
        (gate("g", "call", call="find", respond="short"), "call find, respond short", False),
        (gate("g", "call", call="find"), "call find", False),
        (gate("g", "assume", assume={"day": 1, "no": 2}), "assume day, no", True),
        (gate("g", "skip", skip=("find",)), "skip find", True),
        (gate("g", "handoff"), "handoff: Hello", False),
    ],
)
def test_a_gate_says_what_it_does_and_whether_the_turn_goes_on(one, label, goes_on):
    found = graph(gates=(one,))
    assert found.from_("g") == [("always", label), ("", "route")]
    assert found.from_(label) == ([("", "route")] if goes_on else [])


def test_names_of_gates_cannot_collide():
    graph(gates=(gate("x"), gate("x_then"), gate("x_acts"), gate("end"), gate("route")))


def test_routes_lead_to_their_flows():
    routes = (Route(at=AT, id="vip", when="user.vip", flow="other"), Route(at=AT, id="rest", flow="main"))
    found = graph(reply("said"), routes=routes, other=(reply("o"),))
    assert found.from_("route") == [("vip: user.vip", "other"), ("rest: otherwise", "main")]


def test_texts_are_in_the_language_asked_for_or_the_first():
    assert "reply: 你好" in graph(language="zh").nodes.values()
    assert "reply: Hello" in graph().nodes.values()
    assert "reply: Hallo" in graph(ReplyStep(at=AT, id="x", action="reply", text={"*": "Hallo"})).nodes.values()


def test_equal_plans_give_equal_graphs():
    assert mermaid(plan_of(*EVERY_STEP, other=(reply("o"),))) == mermaid(plan_of(*EVERY_STEP, other=(reply("o"),)))


@given(st.text(max_size=200))
def test_any_label_is_one_short_line_that_ends_no_string_and_begins_no_markup(text):
    label = escaped(text)
    assert not set('"<>&`\\\n\r') & set(label)
    assert len(re.sub(r"#\d+;", "x", label)) <= LABEL_LENGTH
    shown = re.sub(r"#(\d+);", lambda code: chr(int(code[1])), label)
    line = " ".join(text.split())
    assert shown == line or (shown.endswith("…") and line.startswith(shown[:-1]))


MERMAID = os.environ.get("INTERLOCK_MERMAID", "")
"""A folder in which the npm packages mermaid and jsdom are installed."""


def parsed(text, folder):
    """What Mermaid itself makes of a graph: the exit status, the kind of diagram, and its complaint."""
    path = folder / "graph.mmd"
    path.write_text(text, encoding="utf-8")
    parser = Path(__file__).with_name("parse_mermaid.mjs")
    done = subprocess.run(["node", parser, path], cwd=MERMAID, capture_output=True, text=True, timeout=120, check=False)
    return done.returncode, done.stdout.strip(), done.stderr


needs_mermaid = pytest.mark.skipif(not MERMAID or not shutil.which("node"), reason="needs node, and INTERLOCK_MERMAID")


@needs_mermaid
@pytest.mark.parametrize("name", ["every", "odd"])
def test_mermaid_itself_parses_the_graph(tmp_path, name):
    odd = '"x" <b>&amp; `code` #35; ]) }} --> end 1. list\n- item {{ slots.no }} 状态；“引号” %% |'
    plans = {
        "every": plan_of(*EVERY_STEP, other=(reply("o"),), gates=(gate("end"), gate("skip", "skip", skip=("find",)))),
        "odd": plan_of(reply("x", when=odd, title={"*": odd}), end=(reply("y"),), gates=(gate("g", when=odd),)),
    }
    status, kind, complaint = parsed(mermaid(plans[name]), tmp_path)
    assert (status, kind) == (0, "flowchart-v2"), complaint
