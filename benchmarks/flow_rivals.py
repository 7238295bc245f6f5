"""The flow of six steps as others run it: a bare loop over functions, and langgraph where it is installed."""

from collections.abc import Callable
from typing import Any, TypedDict

State = dict[str, Any]


class Weighed(TypedDict, total=False):
    """What langgraph's nodes hand on."""

    type: str
    pieces: int
    each: int
    packing: int
    kind: str
    text: str


def _pieces(_state: State) -> State:
    return {"pieces": 4}


def _each(_state: State) -> State:
    return {"each": 3}


def _packing(state: State) -> State:
    return {"packing": 2 if state["type"] == "user_chat" else 0}


def _kind(state: State) -> str:
    return "charter" if state["pieces"] > 10 else "freight"


def _says(state: State) -> State:
    return {"text": f"{state['pieces'] * state['each'] + state['packing']} kg: {state['kind']}"}


def by_hand() -> Callable[[], str]:
    """No names looked up, nothing checked, nothing recorded: the least that can be done."""

    def run() -> str:
        state: State = {"type": "user_chat"}
        for step in (_pieces, _each, _packing):
            state |= step(state)
        state["kind"] = _kind(state)
        return (state | _says(state))["text"]

    return run


def langgraph(module: Any) -> Callable[[], str]:
    """A compiled graph of six nodes, without checkpoints."""
    graph = module.StateGraph(Weighed)
    steps = {
        "weigh": _pieces,
        "each_one": _each,
        "pack": _packing,
        "charter": _named("charter"),
        "freight": _named("freight"),
    }
    for name, step in {**steps, "say": _says, "choose": lambda _state: {}}.items():
        graph.add_node(name, step)
    for start, end in ((module.START, "weigh"), ("weigh", "each_one"), ("each_one", "pack"), ("pack", "choose")):
        graph.add_edge(start, end)
    graph.add_conditional_edges("choose", _kind, {"charter": "charter", "freight": "freight"})
    for start, end in (("charter", "say"), ("freight", "say"), ("say", module.END)):
        graph.add_edge(start, end)
    compiled = graph.compile()
    return lambda: compiled.invoke({"type": "user_chat"})["text"]


def _named(kind: str) -> Callable[[State], State]:
    return lambda _state: {"kind": kind}
