"""Where one argument gets its value: each kind of source read once, with what is known of where it came from."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from interlock.expressions import Missing
from interlock.interpreter import cells, provenance
from interlock.interpreter.context import Context
from interlock.interpreter.turn import Filled, Found
from interlock.plan.templates import only_path, paths_in

if TYPE_CHECKING:
    from interlock.interpreter.state import Json
    from interlock.interpreter.turn import Turn
    from interlock.plan.tools import Argument

Why: TypeAlias = Literal["missing", "stale", "ambiguous", "invalid", "untraceable"]


@dataclass(frozen=True, slots=True)
class Block:
    """Why a call must not go out: which argument, the slot that would help (if any), and the reason in words."""

    why: Why
    argument: str
    reason: str
    slot: str = ""
    candidates: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class Given:
    """A value with its provenance; `paths` are the context paths it was made from."""

    value: Any
    origin: "Json"
    paths: frozenset[str]


@dataclass(frozen=True, slots=True)
class Nothing:
    """There is no value, which alone does not block: the argument may be optional or have a default."""

    why: Literal["missing", "stale"]
    reason: str
    slot: str = ""


Read: TypeAlias = Given | Nothing | Block


@dataclass(frozen=True, slots=True)
class Desk:
    """What an assembly reads from: the turn, the values of the call's own slots, and the context with both.

    `history` holds the identifier that trusted history admits, by slot; `from_history` are those that a model has
    proposed too, and `proposed` is all that it has, by argument. `results` are values of earlier actions of a checked
    plan, by argument.
    """

    turn: "Turn"
    context: Context
    slot_values: Mapping[str, Any] = field(default_factory=dict)
    history: Mapping[str, Found] = field(default_factory=dict)
    proposed: Mapping[str, Any] = field(default_factory=dict)
    from_history: frozenset[str] = frozenset()
    results: Mapping[str, "Given"] = field(default_factory=dict)

    @property
    def current(self) -> cells.Current:
        """What stands at a context path now, the call's own slots included."""
        return cells.current_in(self.context)

    def filled(self, slot: str) -> Filled | None:
        """What is known of a slot; for one the call gives itself, the finding behind its value."""
        known = self.turn.slots.get(slot)
        if slot not in self.slot_values:
            return known
        value = self.slot_values[slot]
        found = tuple(one for one in known.found if one.value == value) if known else ()
        source, turn = (known.source, known.turn) if known and found else ("message", self.turn.state.turn)
        return Filled(slot=slot, status="filled", value=value, found=found, source=source, turn=turn)


def read(desk: Desk, name: str, argument: "Argument", bind: Mapping[str, Any]) -> Read:
    """The value that the one source of `argument` gives."""
    if argument.source == "model":
        return _proposed(desk, name)
    if argument.source == "value":
        return _computed(desk, name, argument.value, "value")
    if argument.source != "caller":
        return _copied(desk, name, argument, argument.source, {})
    if name not in bind and name in desk.results:
        return desk.results[name]
    if name not in bind:
        return Nothing("missing", f"{name!r} is bound by no `with`")
    path = only_path(bind[name])
    if path:
        return _copied(desk, name, argument, path, {"by": "caller"})
    return _computed(desk, name, bind[name], "caller")


def _proposed(desk: Desk, name: str) -> Read:
    """Free text of a model; nothing that is an identifier, number or date can come this way."""
    if name not in desk.proposed:
        return Nothing("missing", "the model gives no text for it")
    return Given(desk.proposed[name], {"source": "model"}, frozenset())


def _copied(desk: Desk, name: str, argument: "Argument", path: str, origin: "Json") -> Read:
    root, _, rest = path.partition(".")
    if root == "slots":
        return _slot(desk, name, argument, path, origin)
    if root == "cells":
        return _cell(desk, argument, path, origin)
    try:
        there, value = cells.at_path(desk.context[root], rest)
    except KeyError:
        there, value = False, None
    except Missing as missing:
        return _lacking(missing)
    if not there or value is None:
        return Nothing("missing", f"`{path}` holds no value")
    known = provenance.of_path(desk.turn, desk.context, path)
    return Given(value, {**origin, "source": path, **known}, frozenset({path}))


def _slot(desk: Desk, name: str, argument: "Argument", path: str, origin: "Json") -> Read:
    _, slot, *rest = path.split(".")
    filled = desk.filled(slot)
    if filled is None and slot in desk.history and (argument.history == "single" or slot in desk.from_history):
        found = desk.history[slot]
        return Given(found.value, {**origin, **_span(found), "source": path, "from": "history"}, frozenset({path}))
    if filled is None:
        return Nothing("missing", f"nothing fills the slot {slot!r}", slot)
    sensitive = slot in desk.turn.program.sensitive_slots
    if filled.status == "invalid":
        said = "" if sensitive else filled.problem
        return Block("missing", name, said or f"the slot {slot!r} has no valid value", slot)
    if filled.status == "ambiguous":
        return several(name, slot, filled.candidates)
    if filled.status == "unrecognized":
        said = "what was said" if sensitive else repr(filled.unknown[0].raw)
        return Block("missing", name, f"{said} is no value of the slot {slot!r}", slot)
    there, value = cells.at_path(filled.value, ".".join(rest))
    if not there or value is None:
        return Nothing("missing", f"`{path}` holds no value", slot)
    if isinstance(value, list) and argument.type != "list":
        if len(value) != 1:
            return several(name, slot, value)
        value = value[0]
    spans = [_span(one) for one in filled.found]
    known = spans[0] if len(spans) == 1 else {"found": spans} if spans else {}
    where = {**origin, **known, "source": path, "from": filled.source, "turn": filled.turn}
    return Given(value, where, frozenset({path}))


def _cell(desk: Desk, argument: "Argument", path: str, origin: "Json") -> Read:
    _, tool, key, *rest = path.split(".")
    turn = desk.turn
    read_ = cells.read(turn.state, tool, key, desk.current, max_age_ms=argument.max_age_ms, now_ms=turn.now_ms)
    if read_.absent:
        return Nothing(read_.absent, read_.reason)
    there, value = cells.at_path(read_.value, ".".join(rest))
    if not there or value is None:
        return Nothing("missing", f"`{path}` holds no value")
    return Given(value, {**origin, "source": path, "receipt": read_.receipt}, frozenset({path}))


def _computed(desk: Desk, name: str, value: Any, by: str) -> Read:
    paths = paths_in(value)
    for path in sorted(paths):
        root, _, rest = path.partition(".")
        filled = desk.filled(rest.partition(".")[0]) if root == "slots" else None
        if filled is not None and filled.status == "ambiguous":
            return several(name, filled.slot, filled.candidates)
    try:
        made = desk.turn.program.value(value)(desk.context)
    except Missing as missing:
        return _lacking(missing)
    if made is None:
        slots = [path.split(".")[1] for path in sorted(paths) if path.startswith("slots.")]
        return Nothing("missing", "its template gives none", slots[0] if len(slots) == 1 else "")
    return Given(made, {"source": by, **provenance.of_paths(desk.turn, desk.context, paths)}, paths)


def _lacking(missing: Missing) -> Nothing:
    """What could not be computed for want of something, and the slot that would help."""
    slot = missing.path.split(".")[1] if missing.path.startswith("slots.") else ""
    return Nothing("missing", f"`{missing.path}` holds no value ({missing.reason})", slot)


def several(argument: str, slot: str, values: list[Any]) -> Block:
    """Several values where one is needed: a question, never a choice."""
    reason = (
        f"the slot {slot!r} saw {len(values)} values"
        if len(values) != 1
        else f"the slot {slot!r} is not the only one for it"
    )
    return Block("ambiguous", argument, reason, slot, tuple(values))


def _span(found: Found) -> "Json":
    return {"raw": found.raw, "start": found.start, "end": found.end}
