"""Cells: what fills them, what makes them stale, and what a reader is told."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.interpreter import cells
from interlock.interpreter.state import State, restored
from interlock.plan.tools import Produces, Retry, Tool


def a_tool(**produces: str) -> Tool:
    return Tool(
        at="tools.yaml:1:1",
        transport="python",
        python="x",
        effect="read",
        retry=Retry(attempts=1),
        timeout_ms=1000,
        produces={key: Produces(at=path) for key, path in produces.items()},
    )


class World:
    """A state and the values that stand at its context paths now."""

    def __init__(self) -> None:
        self.state = State(session_id="s", run_id="run", plan_digest="d", user={}, turn=1)
        self.now: dict[str, object] = {}

    def fill(self, tool: Tool, name: str, result: object, paths=(), at_ms: int = 0) -> None:
        sources = cells.made_from(self.state, paths, self.now.get)
        where = {"receipt": "run/1", "step": "f/s"}
        self.state.cells[name] = cells.made(self.state, tool, name, result, **where, sources=sources, now_ms=at_ms)

    def invalidate(self, tools: list[str], sources=()) -> tuple[list[str], dict]:
        by = {"tool": "logout", "step": "out", "receipt": "r/9"}
        return cells.invalidate(self.state, tools, dict(sources), self.now.get, by)

    def read(self, name: str, key: str, **options) -> cells.CellRead:
        return cells.read(self.state, name, key, self.now.get, **{"now_ms": 0, **options})


@pytest.fixture
def world() -> World:
    return World()


def test_a_cell_holds_its_value_and_where_it_came_from(world):
    world.fill(a_tool(no="order.no"), "get_order", {"order": {"no": "007"}})
    assert world.read("get_order", "no") == cells.CellRead(value="007", receipt="run/1")
    assert world.state.cells["get_order"]["no"] == {
        "value": "007", "producer": "get_order", "run": "run", "step": "f/s", "receipt": "run/1",
        "at_ms": 0, "scope": "run", "turn": 1, "made_from": {},
    }  # fmt: skip


def test_a_cell_nobody_filled_is_missing_and_says_who_would(world):
    read = world.read("get_order", "no")
    assert (read.absent, read.reason) == (
        "missing",
        "no successful call of 'get_order' has filled `cells.get_order.no`",
    )


@pytest.mark.parametrize("root", ["slots", "user", "config", "message", "vars"])
def test_a_cell_is_stale_once_a_value_its_call_was_made_from_has_changed(world, root):
    path = f"{root}.no"
    world.now[path] = "A"
    world.fill(a_tool(status="status"), "get_order", {"status": "open"}, [path])
    assert world.read("get_order", "status").value == "open"
    world.now[path] = "B"
    assert world.read("get_order", "status").absent == "stale"
    assert world.read("get_order", "status").reason == f"`cells.get_order.status` is stale: `{path}` has changed since"
    assert cells.live(world.state, "get_order", world.now.get) == {}
    with pytest.raises(KeyError):
        cells.Live(world.state, world.now.get)["get_order"]


def test_one_is_not_the_same_as_true_or_as_text(world):
    world.now["slots.n"] = 1
    world.fill(a_tool(x=""), "t", "v", ["slots.n"])
    world.now["slots.n"] = "1"
    assert world.read("t", "x").absent == "stale"


def test_a_slot_that_is_unfilled_now_has_not_changed_but_a_variable_has(world):
    world.now = {"slots.name": "li", "vars.name": "li"}
    world.fill(a_tool(token="token"), "login", {"token": "t"}, ["slots.name"])
    world.fill(a_tool(token="token"), "login_again", {"token": "t"}, ["vars.name"])
    world.now = {}
    assert world.read("login", "token").value == "t"
    assert world.read("login_again", "token").absent == "stale"


def test_the_clock_and_the_round_do_not_make_a_cell_stale(world):
    world.now = {"turn.round": 1, "session.id": "s"}
    world.fill(a_tool(x=""), "t", "v", ["turn.round", "session.id", "now"])
    world.now = {"turn.round": 2}
    assert world.read("t", "x").value == "v"


def test_staleness_goes_along_a_chain_of_cells(world):
    world.now["slots.user"] = "li"
    world.fill(a_tool(id="id"), "find_user", {"id": "u1"}, ["slots.user"])
    world.fill(a_tool(id="id"), "find_order", {"id": "o1"}, ["cells.find_user.id"])
    world.fill(a_tool(eta="eta"), "find_eta", {"eta": "now"}, ["cells.find_order.id"])
    assert world.read("find_eta", "eta").value == "now"
    world.now["slots.user"] = "wang"
    assert world.read("find_eta", "eta").absent == "stale"


def test_a_cell_of_a_cell_that_was_made_stale_is_stale(world):
    world.fill(a_tool(id="id"), "login", {"id": "u1"})
    world.fill(a_tool(balance="b"), "balance", {"b": 5}, ["cells.login.id"])
    assert world.invalidate(["login", "never_called"])[0] == ["login"]
    assert world.read("balance", "balance").absent == "stale"


def test_a_cell_is_stale_by_the_call_that_has_made_it_so_until_it_is_filled_again(world):
    world.fill(a_tool(id="id"), "login", {"id": "u1"})
    assert world.read("login", "other").absent == "missing"
    world.invalidate(["login"])
    assert cells.live(world.state, "login", world.now.get) == {}
    read = world.read("login", "id")
    assert (read.absent, read.value) == ("stale", None)
    assert read.reason == "`cells.login.id` is stale: the call r/9 of 'logout' at step 'out' has made it so"
    assert world.invalidate(["login"])[0] == []
    world.state = restored(world.state.as_json())
    assert world.read("login", "id").reason == read.reason
    world.fill(a_tool(id="id"), "login", {"id": "u2"})
    assert world.read("login", "id").value == "u2"


def test_two_cells_made_from_each_other_do_not_hang(world):
    world.fill(a_tool(x="x"), "a", {"x": 1})
    world.fill(a_tool(x="x"), "b", {"x": 2}, ["cells.a.x"])
    world.fill(a_tool(x="x"), "a", {"x": 1}, ["cells.b.x"])
    assert (world.read("a", "x").value, world.read("b", "x").value) == (1, 2)


def test_a_cell_made_from_a_whole_producer_depends_on_all_of_it(world):
    world.fill(a_tool(x="x", y="y"), "a", {"x": 1, "y": 2})
    world.fill(a_tool(z="z"), "b", {"z": 3}, ["cells.a"])
    assert world.read("b", "z").value == 3
    world.fill(a_tool(x="x", y="y"), "a", {"x": 1, "y": 9})
    assert world.read("b", "z").absent == "stale"


def test_a_cell_of_one_turn_ends_with_it(world):
    tool = a_tool(x="x").model_copy(update={"produces": {"x": Produces(at="x", scope="turn")}})
    world.fill(tool, "t", {"x": 1})
    assert world.read("t", "x").value == 1
    world.state.turn += 1
    assert world.read("t", "x").reason == "`cells.t.x` is stale: it was good for turn 1 only"


def test_a_cell_older_than_its_reader_allows_is_stale(world):
    world.fill(a_tool(x="x"), "t", {"x": 1}, at_ms=1000)
    assert world.read("t", "x", now_ms=1500, max_age_ms=500).value == 1
    assert world.read("t", "x", now_ms=1501, max_age_ms=500).absent == "stale"


def test_a_path_that_a_new_receipt_lacks_takes_the_old_cell_away(world):
    world.fill(a_tool(x="x", y="y"), "t", {"x": 1, "y": 2})
    world.fill(a_tool(x="x", y="y"), "t", {"x": 3})
    assert world.read("t", "x").value == 3
    assert world.read("t", "y").absent == "missing"


def test_a_long_source_is_kept_as_its_digest(world):
    world.now["message.text"] = "长" * 10_000
    world.fill(a_tool(x="x"), "t", {"x": 1}, ["message.text"])
    assert len(str(world.state.cells)) < 1000
    assert world.read("t", "x").value == 1
    world.now["message.text"] = "长" * 9_999
    assert world.read("t", "x").absent == "stale"


def test_a_cell_over_the_limit_is_told(world):
    assert cells.too_large(a_tool(x="x"), {"x": "字" * 5_000}) == ""
    assert cells.too_large(a_tool(x="x"), {"x": "字" * 6_000}) == "the cell 'x' would take 18002 bytes, more than 16384"


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("rows.0.no", (True, "1")),
        ("rows.1.no", (False, None)),
        ("rows.-1.no", (False, None)),
        ("rows.٠.no", (False, None)),
        ("rows.no", (False, None)),
        ("", (True, {"rows": [{"no": "1"}]})),
    ],
)
def test_a_path_is_dotted_and_never_computed(path, found):
    assert cells.at_path({"rows": [{"no": "1"}]}, path) == found


@given(
    st.integers(min_value=0)
    | st.text()
    | st.uuids().map(str)
    | st.sampled_from(["007", str(2**53), str(2**64), 2**128 - 1, "５５５Ｅ"])
)
def test_values_pass_through_a_cell_and_the_serialised_state_unchanged(value):
    world = World()
    world.fill(a_tool(x="x"), "t", {"x": value})
    world.state = restored(world.state.as_json())
    back = world.read("t", "x").value
    assert (type(back), back) == (type(value), value)


def test_what_a_call_invalidates_itself_has_not_changed_since_it_was_made(world):
    balance, transfer = a_tool(amount="amount"), a_tool(no="no")
    world.fill(balance, "get_balance", {"amount": 7})
    world.fill(a_tool(fee="fee"), "get_fee", {"fee": 1}, paths=["cells.get_balance.amount"])
    paths = ["cells.get_balance.amount", "cells.get_fee.fee", "vars.to"]
    sources = cells.made_from(world.state, paths, world.now.get)
    dropped, left = world.invalidate(["get_balance", "get_rate"], sources)
    assert (dropped, left) == (["get_balance"], {"vars.to": None})
    where = {"receipt": "r", "step": "s"}
    filled = cells.made(world.state, transfer, "transfer", {"no": "1"}, **where, sources=left, now_ms=0)
    world.state.cells["transfer"] = filled
    assert world.read("transfer", "no").value == "1"
    world.now["vars.to"] = "another"
    assert world.read("transfer", "no").absent == "stale"


def test_what_had_changed_before_a_call_invalidates_anything_makes_its_cells_stale(world):
    world.fill(a_tool(amount="amount"), "get_balance", {"amount": 7})
    sources = cells.made_from(world.state, ["cells.get_balance.amount"], world.now.get)
    world.fill(a_tool(amount="amount"), "get_balance", {"amount": 8})
    _, left = world.invalidate(["get_balance"], sources)
    assert left == sources
