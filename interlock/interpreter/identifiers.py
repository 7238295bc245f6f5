"""Identifiers: which arguments hold one, and the proof that it stands in the user's words or in a declared source.

An identifier is copied, never computed, assumed or defaulted. An argument holds one when it copies a slot with
`patterns`; or when its name or format, or that of a member, says so and its template reads what the user may have
put there: then the value must be equal to one at the paths read, or to an identifier that was found.
"""

import unicodedata
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from interlock.expressions import Missing
from interlock.interpreter import cells, provenance
from interlock.plan.fields import same
from interlock.plan.naming import names_identifier
from interlock.plan.templates import only_path

if TYPE_CHECKING:
    from interlock.interpreter.sources import Desk, Given
    from interlock.interpreter.turn import Filled
    from interlock.plan.base import Field
    from interlock.plan.plan import Plan
    from interlock.plan.tools import Argument

FREE_ROOTS = frozenset({"message", "slots", "vars"})
"""Context roots that may hold what the user said, or a model; a variable is one where nothing is known of its ends."""

PROSE = ("message", "message.text", "error", "error.message")
"""Paths of what people and the engine have said, which proves nothing."""

_NO_DASHES = str.maketrans("", "", "-‐‑‒–—―−")


def copied_slots(inputs: Mapping[str, "Argument"], bind: Mapping[str, Any]) -> dict[str, str]:
    """Argument to slot, for every argument that copies a slot."""
    copied = {name: only_path(bind.get(name)) if one.source == "caller" else one.source for name, one in inputs.items()}
    return {name: path.split(".")[1] for name, path in copied.items() if path.startswith("slots.")}


def slots_of(plan: "Plan", inputs: Mapping[str, "Argument"], bind: Mapping[str, Any]) -> dict[str, str]:
    """Argument to slot, for every argument that copies an identifier."""
    return {name: slot for name, slot in copied_slots(inputs, bind).items() if is_identifier(plan, slot)}


def is_identifier(plan: "Plan", slot: str) -> bool:
    """Whether a slot holds identifiers: values found by `patterns`."""
    return slot in plan.slots and plan.slots[slot].kind == "patterns"


def untraceable(desk: "Desk", name: str, argument: "Argument", given: "Given", slot: str) -> str:
    """Why the value may not reach a tool; empty when it is traceable, or is no identifier."""
    if slot:
        values = given.value if isinstance(given.value, list) else [given.value]
        traced = all(from_words(desk, slot, value) for value in values)
        return "" if traced else f"{name!r} holds an identifier that the user did not say"
    ends = frozenset(end.get("source", "vars") for end in provenance.ends(desk.turn, desk.context, given.paths))
    if not any(path.partition(".")[0] in FREE_ROOTS or path in PROSE or _by_model(desk, path) for path in ends):
        return ""
    claimed = list(_claimed(name, argument, given.value))
    sound = list(_sound_values(desk, given.paths | ends)) if claimed else []
    if all(any(same(value, one) for one in sound) for value in claimed):
        return ""
    return f"{name!r} names an identifier, but its value was computed: copy it from a slot, a cell or the user"


def _claimed(name: str, field: "Field | None", value: Any) -> Iterator[str]:
    """The texts in `value` that are identifiers by their name or format."""
    if isinstance(value, Mapping):
        members = (field.fields if field is not None else None) or {}
        for key, part in value.items():
            yield from _claimed(key, members.get(key), part)
    elif isinstance(value, list):
        for part in value:
            yield from _claimed(name, field.items if field is not None else None, part)
    elif isinstance(value, str) and (names_identifier(name) or (field is not None and field.format == "uuid")):
        yield value


def from_words(desk: "Desk", slot: str, value: Any) -> bool:
    """Whether `value` of an identifier slot was read from the user's words: current, kept, or admitted ones."""
    if not isinstance(value, str):
        return False
    filled = desk.filled(slot)
    if filled is None:
        return slot in desk.history and desk.history[slot].value == value
    if filled.found:
        return any(one.value == value and _reads(desk, filled, one.raw, value) for one in filled.found)
    return slot in desk.slot_values and squashed(value) in squashed(desk.turn.message.text)


def _reads(desk: "Desk", filled: "Filled", raw: str, value: str) -> bool:
    if filled.source not in ("message", "kept"):
        return False
    if raw != value and squashed(raw) != squashed(value):
        return False
    return filled.source != "message" or raw in desk.turn.message.text


def squashed(text: str, *, exact_case: bool = False) -> str:
    """What stays of an identifier under every normalisation: width folded, letters raised, no white space or dashes."""
    folded = unicodedata.normalize("NFKC", text)
    return "".join((folded if exact_case else folded.upper()).split()).translate(_NO_DASHES)


def _sound_values(desk: "Desk", paths: frozenset[str]) -> Iterator[Any]:
    """Values that prove an identifier in a template over `paths`."""
    for path in paths:
        yield from _leaves(_proof(desk, path))
    if any(path == "message.text" or path.startswith("vars.") or _by_model(desk, path) for path in paths):
        for slot in desk.turn.slots:
            yield from _leaves(_proof(desk, f"slots.{slot}"))
        for tool in desk.turn.state.cells:
            yield from _leaves(cells.live(desk.turn.state, tool, desk.current))
        for given in ("user", "input"):
            yield from _leaves(_value_at(desk, given))


def _proof(desk: "Desk", path: str) -> Any:
    root, _, rest = path.partition(".")
    if root == "vars" or path in PROSE or _by_model(desk, path):
        return None
    value = _value_at(desk, path)
    slot = rest.partition(".")[0]
    if root == "slots":
        filled = desk.filled(slot)
        if filled is None or filled.status != "filled":
            return None
        if is_identifier(desk.turn.program.plan, slot):
            return [one for one in _leaves(value) if from_words(desk, slot, one)]
    return value


def _by_model(desk: "Desk", path: str) -> bool:
    """Whether a model wrote what stands there: the result of a step that asked it."""
    root, _, rest = path.partition(".")
    return root == "steps" and rest.partition(".")[0] in desk.turn.program.written


def _value_at(desk: "Desk", path: str) -> Any:
    root, _, rest = path.partition(".")
    if root == "cells":
        tool, _, key = rest.partition(".")
        return cells.at_path(cells.live(desk.turn.state, tool, desk.current), key)[1]
    try:
        return cells.at_path(desk.context[root], rest)[1]
    except (KeyError, Missing):
        return None


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, Mapping):
        for part in value.values():
            yield from _leaves(part)
    elif isinstance(value, list):
        for part in value:
            yield from _leaves(part)
    elif value is not None:
        yield value
