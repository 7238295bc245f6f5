"""Cells: values of successful receipts with where they came from; read, filled, invalidated, and found stale.

A cell is stale when a value that its call was made from has changed since, or is older than a reader allows.
A slot that is unfilled now has not changed: a login by name in one turn still stands in the next.
"""

import hashlib
import json
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from interlock.expressions.outcomes import Several
from interlock.interpreter.state import Json, State
from interlock.plan.marks import Marks
from interlock.plan.tools import Tool

CELL_BYTES = 16 * 1024
"""The most that one cell, or the arguments in one receipt, may take in the state."""

KEPT_AS_IS = 256

SOURCES = frozenset({"slots", "user", "cells", "config", "message", "vars"})
"""The context roots whose change makes a cell stale."""

Absence: TypeAlias = Literal["missing", "stale"]
Current: TypeAlias = Callable[[str], Any]
"""The value that stands at a context path now; None where there is none."""


@dataclass(frozen=True, slots=True)
class CellRead:
    """What a reader finds: a value with its receipt, or why there is none."""

    value: Any = None
    receipt: str = ""
    absent: Absence | None = None
    reason: str = ""


def read(
    state: State, tool: str, key: str, current: Current, *, max_age_ms: int | None = None, now_ms: int
) -> CellRead:
    """The cell `tool.key` if it is there, in scope, made from what still holds, and young enough."""
    cell = state.cells.get(tool, {}).get(key)
    if cell is None:
        return CellRead(absent="missing", reason=f"no successful call of {tool!r} has filled `cells.{tool}.{key}`")
    changed = _invalidated(cell) or _out_of_date(state, tool, key, cell, current)
    if changed:
        return CellRead(absent="stale", reason=f"`cells.{tool}.{key}` is stale: {changed}", receipt=cell["receipt"])
    age_ms = now_ms - cell["at_ms"]
    if max_age_ms is not None and age_ms > max_age_ms:
        reason = f"`cells.{tool}.{key}` is stale: {age_ms} ms old, {max_age_ms} ms are allowed"
        return CellRead(absent="stale", reason=reason, receipt=cell["receipt"])
    return CellRead(value=cell["value"], receipt=cell["receipt"])


class Live(dict[str, dict[str, Any]]):
    """The context root `cells`: what may be read at the moment it is asked, so that a stale cell is missing."""

    def __init__(self, state: State, current: Current) -> None:
        super().__init__()
        self._state = state
        self._current = current

    def __missing__(self, tool: str) -> dict[str, Any]:
        found = live(self._state, tool, self._current)
        if not found:
            raise KeyError(tool)
        return found


def live(state: State, tool: str, current: Current) -> dict[str, Any]:
    """The cells of one tool that are neither stale nor out of scope."""
    cells = state.cells.get(tool, {})
    return {
        key: cell["value"]
        for key, cell in cells.items()
        if not (_invalidated(cell) or _out_of_date(state, tool, key, cell, current))
    }


def current_in(context: Mapping[str, Any]) -> Current:
    """What stands at a path of `context` now; not for cells, whose own state tells what they were made from."""

    def current(path: str) -> Any:
        root, _, rest = path.partition(".")
        try:
            value = at_path(context[root], rest)[1]
        except KeyError:
            return None
        return list(value) if isinstance(value, Several) else value

    return current


def made_from(state: State, paths: Collection[str], current: Current) -> Json:
    """What `paths` hold now, in the form that cells keep; long values as their digest."""
    return {
        path: kept(_stored(state, path)[1] if path.startswith("cells.") else current(path))
        for path in sorted(paths)
        if path.partition(".")[0] in SOURCES
    }


def made(
    state: State, tool: Tool, name: str, result: Any, *, receipt: str, step: str, sources: Json, now_ms: int
) -> Json:
    """The cells of `tool` that `result` fills; a key whose path is not there has none."""
    return {
        key: {
            "value": value,
            "producer": name,
            "run": state.run_id,
            "step": step,
            "receipt": receipt,
            "at_ms": now_ms,
            "scope": tool.produces[key].scope,
            "turn": state.turn,
            "made_from": sources,
        }
        for key, value in produced(tool, result)
    }


def produced(tool: Tool, result: Any) -> Iterator[tuple[str, Any]]:
    """Key and value of every cell that `result` fills."""
    for key, produces in tool.produces.items():
        there, value = at_path(result, produces.at)
        if there:
            yield key, value


def shown(marks: Marks | None, tool: Tool, name: str, result: Any) -> Json:
    """The cells that `result` fills, by `tool.key`, as the record has them: masked, long values as their digest."""
    filled = produced(tool, result)
    return {
        f"{name}.{key}": kept(value if marks is None else marks.masked(("cells", name, key), value))
        for key, value in filled
    }


def too_large(tool: Tool, result: Any) -> str:
    """The first cell that is over the limit, in words; empty if none is."""
    for key, value in produced(tool, result):
        size = 0 if is_short(value) else len(json.dumps(value, ensure_ascii=False).encode())
        if size > CELL_BYTES:
            return f"the cell {key!r} would take {size} bytes, more than {CELL_BYTES}"
    return ""


def invalidate(
    state: State, tools: Collection[str], sources: Json, current: Current, by: Json
) -> tuple[list[str], Json]:
    """Take the values of the cells of `tools`; the names of those that had any, and what of `sources` still holds.

    What a call makes stale itself has not changed since it was made. `by` is the call: `{tool, step, receipt}`.
    """
    before = _changed_among(state, sources, current)
    dropped = [tool for tool in tools if is_live(state.cells.get(tool, {}))]
    for layer in state.layers:
        layer.update((tool, _without_values(layer[tool], by)) for tool in dropped if is_live(layer.get(tool, {})))
    own = _changed_among(state, sources, current) - before
    return dropped, {path: then for path, then in sources.items() if path not in own}


def _without_values(filled: Mapping[str, Json], by: Json) -> dict[str, Json]:
    """Cells that the call `by` has made stale: what they held is gone, and why."""
    return {key: {**cell, "value": None, "made_from": {}, "invalidated": by} for key, cell in filled.items()}


def is_live(filled: Mapping[str, Json]) -> bool:
    """Whether no call has made these cells of a tool stale since they were filled; not where there are none."""
    return bool(filled) and not any("invalidated" in cell for cell in filled.values())


def _changed_among(state: State, sources: Json, current: Current) -> set[str]:
    cells = ((path, then) for path, then in sources.items() if path.startswith("cells."))
    return {path for path, then in cells if _cell_changed(state, path, then, current, frozenset())}


def at_path(value: Any, path: str) -> tuple[bool, Any]:
    """Whether the dotted `path` is there in `value`, and what stands at it; the empty path is the whole."""
    for part in path.split(".") if path else ():
        if isinstance(value, Mapping):
            try:
                value = value[part]  # what is computed when it is asked for is in no map before
            except KeyError:
                return False, None
        elif isinstance(value, list) and part.isascii() and part.isdigit() and int(part) < len(value):
            value = value[int(part)]
        else:
            return False, None
    return True, value


def _invalidated(cell: Json) -> str:
    by = cell.get("invalidated")
    return f"the call {by['receipt']} of {by['tool']!r} at step {by['step']!r} has made it so" if by else ""


def _out_of_date(state: State, tool: str, key: str, cell: Json, current: Current) -> str:
    if cell["scope"] == "turn" and cell["turn"] != state.turn:
        return f"it was good for turn {cell['turn']} only"
    path = _changed_source(state, cell, current, frozenset({(tool, key)}))
    return f"`{path}` has changed since" if path else ""


def _changed_source(state: State, cell: Json, current: Current, seen: frozenset[tuple[str, str]]) -> str:
    sources: Json = cell["made_from"]
    for path, then in sources.items():
        if path.startswith("cells."):
            changed = _cell_changed(state, path, then, current, seen)
        else:
            now = current(path)
            changed = kept(now) != then and not (now is None and path.startswith("slots."))
        if changed:
            return path
    return ""


def _cell_changed(state: State, path: str, then: Any, current: Current, seen: frozenset[tuple[str, str]]) -> bool:
    there, now = _stored(state, path)
    if not there or kept(now) != then:
        return True
    _, tool, *rest = path.split(".")
    keys = rest[:1] or list(state.cells[tool])
    return any(
        _changed_source(state, state.cells[tool][key], current, seen | {(tool, key)})
        for key in keys
        if (tool, key) not in seen
    )


def _stored(state: State, path: str) -> tuple[bool, Any]:
    _, tool, *rest = path.split(".")
    values = {key: cell["value"] for key, cell in state.cells.get(tool, {}).items() if "invalidated" not in cell}
    return at_path(values, ".".join(rest))


def is_short(value: Any) -> bool:
    """Whether a value is plainly small enough to keep as it is, without writing it out."""
    return len(value) <= KEPT_AS_IS if isinstance(value, str) else value is None or isinstance(value, int | float)


def kept(value: Any) -> Any:
    """A value as cells and records keep it: itself, or the digest of a long one."""
    if is_short(value):
        return value
    text = json.dumps(value, ensure_ascii=False, sort_keys=True)
    return value if len(text) <= KEPT_AS_IS else {"sha256": hashlib.sha256(text.encode()).hexdigest()}
