"""What the checker lets pass without a word never stops for a value that is missing, whichever way it goes."""

import json

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from interlock.compiler import compile_bundle
from interlock.source import Bundle, read_document

INPUT = "input: {thing_id: {type: string}, a: {type: boolean}, b: {type: boolean}}\n"
SILENT_ABOUT = frozenset({"no-effect", "catch-never", "unused", "unreachable"})
FLAGS = [{"a": a, "b": b} for a in (True, False) for b in (True, False)]
TOOLS = {
    "look": [{"id": "007", "state": "open"}],
    "make": [lambda args: {"made": f"made {args['name']}"}],
    "unmake": [{"gone": True}],
    "pay": [(400, {})],
}


class Steps:
    """Draws steps; every one has an id of its own."""

    def __init__(self, draw):
        self.draw, self.number = draw, 0

    def named(self, step):
        self.number += 1
        return {"id": f"s{self.number}", **step}

    def several(self, depth, *, may_fail=False):
        return [self.one(depth, may_fail=may_fail) for _ in range(self.draw(st.integers(1, 3)))]

    def one(self, depth, *, may_fail):
        kinds = ["make", "make", "unmake", "look", "made", "state"] + ["pay"] * may_fail
        kinds += ["when", "switch", "parallel", "for_each", "do", "caught", "undone"] if depth else []
        return self.named(getattr(self, "_" + self.draw(st.sampled_from(kinds)))(depth))

    def _make(self, _):
        return {"call": "make", "with": {"name": self.draw(st.sampled_from(["x", "y"]))}}

    def _unmake(self, _):
        return {"call": "unmake"}

    def _look(self, _):
        return {"call": "look"}

    def _pay(self, _):
        return {"call": "pay"}

    def _made(self, _):
        return {"set": {"v": "{{ cells.make.made }}"}}

    def _state(self, _):
        return {"set": {"v": "{{ cells.look.state }}"}}

    def _when(self, depth):
        return {
            "when": self.draw(st.sampled_from(["input.a", "not input.a", "input.b"])),
            "do": self.several(depth - 1),
        }

    def _switch(self, depth):
        branches = [{"when": "input.a", "do": self.several(depth - 1)}]
        branches += [{"when": "input.b", "do": self.several(depth - 1)}] if self.draw(st.booleans()) else []
        branches += [{"do": self.several(depth - 1)}] if self.draw(st.booleans()) else []
        return {"switch": branches}

    def _parallel(self, depth):
        return {"parallel": {"one": self.several(depth - 1), "two": self.several(depth - 1)}}

    def _for_each(self, depth):
        self.number += 1
        loop = {"items": ["p", "q"], "as": f"it{self.number}", "key": f"{{{{ it{self.number} }}}}"}
        return {"for_each": {**loop, "do": self.several(depth - 1)}}

    def _do(self, depth):
        return {"do": self.several(depth - 1)}

    def _caught(self, depth):
        handled = {"do": self.several(depth - 1)} if self.draw(st.booleans()) else {}
        return {"do": self.several(depth - 1, may_fail=True), "catch": [{"errors": ["error"], **handled}]}

    def _undone(self, depth):
        return {**self._make(depth), "compensate": [self.named(self._unmake(depth))]}


@st.composite
def procedures(draw):
    steps = Steps(draw).several(2)
    end = [{"fail": "Enough.", "compensate": True}] if draw(st.booleans()) else []
    return json.dumps(steps + end)


def is_clean(library, text):
    read = [read_document(one.encode(), f"{name}.yaml")[0] for name, one in (("tools", library), ("main", text))]
    found = compile_bundle(Bundle("b", None, tuple(read), {}), plans=False).diagnostics
    return {finding.code for finding in found} <= SILENT_ABOUT


@settings(
    max_examples=100,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.filter_too_much],
)
@given(procedures())
def test_what_is_checked_never_lacks_a_value(play, library, steps):
    head = "apiVersion: interlock/v1\nkind: Procedure\nname: main\nuses: [tools]\n"
    if not is_clean(library, f"{head}{INPUT}steps: {steps}\n"):
        return
    for flags in FLAGS:
        run = play(
            f"{INPUT}steps: {steps}\n", {"thing_id": "007", **flags}, {name: list(one) for name, one in TOOLS.items()}
        )
        assert run.state.status in ("done", "ended"), run.state.failure
        assert run.state.undo_failures == []


ASKED = ["conditions.ok", "not conditions.ok", "input.b", "input.b and conditions.ok", "input.b or conditions.ok"]


class Asking(Steps):
    """Draws steps that write, and ask for a condition here and there."""

    def one(self, depth, *, may_fail):
        kinds = ["make", "look", "end", "end"] + ["pay"] * may_fail
        kinds += ["when", "when", "switch", "parallel", "for_each", "do", "caught"] if depth else []
        return self.named(getattr(self, "_" + self.draw(st.sampled_from(kinds)))(depth))

    def _asked(self):
        return self.draw(st.sampled_from(ASKED))

    def _end(self, _):
        return {"when": self._asked(), "fail": "No."}

    def _pay(self, _):
        return {"call": "refuse"}

    def _make(self, depth):
        return {**super()._make(depth), **({"when": self._asked()} if self.draw(st.booleans()) else {})}

    def _when(self, depth):
        return {"when": self._asked(), "do": self.several(depth - 1)}

    def _switch(self, depth):
        branches = [
            {"when": asked, "do": self.several(depth - 1)}
            for asked in self.draw(st.sets(st.sampled_from(ASKED), min_size=1))
        ]
        return {"switch": branches + ([{"do": self.several(depth - 1)}] if self.draw(st.booleans()) else [])}


@st.composite
def asking(draw):
    return json.dumps(Asking(draw).several(2))


GUARD = "guard: [{effect: write, by: ok}]\nconditions: {ok: {that: input.a}}\n"
REFUSE = "  refuse:\n    http: GET /no\n    effect: read\n"


@settings(
    max_examples=100,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.filter_too_much],
)
@given(asking())
def test_a_guard_that_is_proved_is_never_passed_by(play, library, steps):
    head = "apiVersion: interlock/v1\nkind: Procedure\nname: main\nuses: [tools]\n"
    text = f"{INPUT}{GUARD}servers: {{t: {{http: 'https://example.org'}}}}\ntools:\n{REFUSE}steps: {steps}\n"
    if not is_clean(library, head + text):
        return
    for b in (True, False):
        tools = {**{name: list(one) for name, one in TOOLS.items()}, "refuse": [(400, {})]}
        run = play(text, {"thing_id": "007", "a": False, "b": b}, tools)
        assert not [tool for tool, _ in run.world.calls if tool == "make"]
