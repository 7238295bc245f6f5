"""Where values are from: followed through variables, results of steps, items of loops and templates to their ends.

An end is what no step has made of something else: `{source}`, a path of the context, and with it the `receipt` of the
call that brought it, the `event` it came with, the `run` whose result it is, the call of a `model` that wrote it, or
which step of which run has given it (`given_by`). Where something was made of it in between, the ends stand beside it,
under its name behind a sign that no expression can read.
"""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from interlock.expressions import Missing
from interlock.interpreter.cells import at_path, is_live
from interlock.plan.templates import only_path, paths_in

if TYPE_CHECKING:
    from interlock.interpreter.context import Context
    from interlock.interpreter.state import Json
    from interlock.interpreter.turn import Turn

KEPT = 16
"""Ends that are kept of one value; of more their number."""

RESULT = "@result"
"""Where a journal has the ends of a step's result."""


def beside(name: str) -> str:
    """Where the ends of what has this name stand."""
    return f"@{name}"


def ends(turn: "Turn", context: "Context", paths: Iterable[str]) -> "list[Json]":
    """The ends of what stands at these paths, each once; the last says how many `more` there are."""
    found: list[Json] = []
    more = 0
    for path in sorted(paths):
        for end in _ends_of(turn, context, path):
            if "more" in end:
                more += end["more"]
            elif end not in found:
                found.append(end)
    more += len(found[KEPT:])
    return [*found[:KEPT], {"more": more}] if more else found


def of_value(turn: "Turn", context: "Context", value: Any) -> "list[Json]":
    """The ends of what a value as written gives."""
    return ends(turn, context, paths_in(value))


def of_path(turn: "Turn", context: "Context", path: str) -> "Json":
    """What is known of a copy of what stands at a path, beside the path."""
    return _of_copy(path, ends(turn, context, [path]))


def _of_copy(path: str, found: "list[Json]") -> "Json":
    if len(found) == 1 and found[0].get("source") == path:
        return {name: known for name, known in found[0].items() if name != "source"}
    return {"made_of": found}


def of_paths(turn: "Turn", context: "Context", paths: Iterable[str]) -> "Json":
    """What is known of a value that a template makes of what stands at paths."""
    reads = sorted(paths)
    return _of_made(reads, ends(turn, context, reads))


def _of_made(reads: list[str], found: "list[Json]") -> "Json":
    return {"reads": reads} if found == [{"source": path} for path in reads] else {"reads": reads, "made_of": found}


def origin(turn: "Turn", context: "Context", value: Any, by: str) -> "Json":
    """Where what a value as written gives is from; `by` says what computes it."""
    return told(value, by, of_value(turn, context, value))


def told(value: Any, by: str, found: "list[Json]") -> "Json":
    """The same, of a value whose ends are known."""
    path = only_path(value)
    if path:
        return {"source": path, **_of_copy(path, found)}
    return {"source": by, **_of_made(sorted(paths_in(value)), found)}


def recall(steps: "Json", name: str, entry: "Json") -> None:
    """Bring the result that a journal has of a step back into the root `steps`, with its ends."""
    steps[name] = {"result": entry["result"]}
    if RESULT in entry:
        steps[beside(name)] = entry[RESULT]


def _ends_of(turn: "Turn", context: "Context", path: str) -> "Iterator[Json]":
    root, _, rest = path.partition(".")
    name, _, inner = rest.partition(".")
    if root == "decisions":
        yield {"source": path}
        yield from ends(turn, context, _copied_by(turn, name, inner))
    elif root == "cells":
        filled = turn.state.cells.get(name, {})
        if is_live(filled):
            yield {"source": path, "receipt": next(iter(filled.values()))["receipt"]}
    elif root == "conditions" or _is_there(context, root, rest):
        among = context[root] if root in ("vars", "steps") else context
        for end in among.get(beside(name if root in ("vars", "steps") else root), [{}]):
            yield {"source": path, **end}


def _is_there(context: "Context", root: str, rest: str) -> bool:
    """Whether anything stands there: what is not there, something else stands in for."""
    try:
        return at_path(context[root], rest)[1] is not None
    except (KeyError, Missing):
        return False


def _copied_by(turn: "Turn", table: str, column: str) -> frozenset[str]:
    """What the rows of a table that have hit copy, if it was asked."""
    asked = turn.decisions.get(table)
    rows = turn.program.plan.decisions[table].rows if asked is not None else ()
    outputs = [row.then for row in rows if asked is not None and row.at in asked["rows"]]
    name = column.partition(".")[0]
    return paths_in([[then[name]] if name in then else [*then.values()] for then in outputs])
