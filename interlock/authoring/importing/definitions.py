"""From what an MCP server says of its tools to what can be a tool of ours, and why the rest cannot."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from interlock.authoring.importing import naming, prose
from interlock.authoring.importing.nodes import Reading, TooMuchError
from interlock.authoring.importing.operations import Input, LeftOut, Shape
from interlock.authoring.importing.schemas import shape_of
from interlock.contract.definitions import digest_of
from interlock.diagnostics import Location
from interlock.source.foreign import Foreign

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from interlock.contract.calls import Json
    from interlock.source.places import KeyPath

LONGEST_NAME = 128

READS = ("read", "the server says that it only reads")
ADDS = ("write", "the server says that it only adds; `irreversible` if nothing undoes it")
UNDOES_NOTHING = ("irreversible", "nothing says that it only reads, or can be undone")


@dataclass(frozen=True, slots=True)
class Defined:
    """A tool as its server describes it, in our words."""

    name: str
    tool: str
    title: str
    description: str
    effect: tuple[str, str]
    inputs: tuple[Input, ...]
    answer: Shape | None
    digest: str
    notes: tuple[str, ...]


class _CannotCallError(Exception):
    """A tool of ours cannot make this call; the text says why."""


class _Nowhere:
    """Places in a schema that stands in no file."""

    def key(self, _path: KeyPath) -> Location:
        """Always the same."""
        return Location("schema")


def defined(definitions: Sequence[Json], only: Iterable[str]) -> tuple[list[Defined], list[LeftOut]]:
    """The tools that can be called, as far as a pattern of `only` names them, and those that are left out."""
    found: list[Defined] = []
    left_out: list[LeftOut] = []
    taken: set[str] = set()
    patterns = list(only)
    for definition in definitions:
        tool = str(definition.get("name") or "")
        name = naming.unique(naming.snake(tool, "tool"), taken)
        if patterns and not any(fnmatchcase(one, pattern) for one in (tool, name) for pattern in patterns):
            continue
        try:
            found.append(_tool(definition, tool, name, {one.tool for one in found}))
            taken.add(name)
        except _CannotCallError as problem:
            left_out.append(LeftOut(prose.line(tool, 60) or "a tool without a name", str(problem)))
    return found, left_out


def _tool(definition: Json, tool: str, name: str, others: set[str]) -> Defined:
    if tool in others:
        raise _CannotCallError("another tool has the same name")
    if not tool or len(tool) > LONGEST_NAME or not prose.is_clean(tool):
        raise _CannotCallError("its name cannot be that of a tool")
    shape = _shape(definition.get("inputSchema"), "its arguments")
    if shape.type not in ("object", ""):
        raise _CannotCallError("its arguments are no object")
    inputs, notes = _inputs(shape)
    answer, unread = _answer(definition.get("outputSchema"))
    return Defined(
        name=name,
        tool=tool,
        title=prose.line(_text(definition, "title"), 120),
        description=prose.paragraphs(_text(definition, "description")),
        effect=_effect(definition.get("annotations")),
        inputs=inputs,
        answer=answer,
        digest=digest_of(definition),
        notes=(*shape.notes, *notes, *unread),
    )


def _text(definition: Json, key: str) -> str:
    value = definition.get(key)
    return value if isinstance(value, str) else ""


def _effect(annotations: Any) -> tuple[str, str]:
    """A proposal, and what it rests on: no more than the word of the server."""
    said = annotations if isinstance(annotations, dict) else {}
    if said.get("readOnlyHint") is True:
        return READS
    return ADDS if said.get("destructiveHint") is False else UNDOES_NOTHING


def _shape(schema: Any, what: str) -> Shape:
    if not isinstance(schema, dict):
        return Shape("")
    reading = Reading(Foreign("schema", schema, _Nowhere()), follows_siblings=True)
    try:
        shape = shape_of([reading.root])
    except TooMuchError:
        raise _CannotCallError(f"the schema of {what} is too large") from None
    if reading.findings:
        raise _CannotCallError(f"the schema of {what}: {prose.line(reading.findings[0].message)}")
    return shape


def _inputs(shape: Shape) -> tuple[tuple[Input, ...], list[str]]:
    inputs: list[Input] = []
    notes: list[str] = []
    for wire, member in (shape.fields or {}).items():
        if wire and prose.is_clean(wire):
            name = naming.unique(naming.wire(wire), {one.name for one in inputs})
            inputs.append(Input(name, wire, "body", member.shape, member.required))
        elif member.required:
            raise _CannotCallError(f"it needs an argument {prose.line(wire, 60)!r}, which no tool can send")
        else:
            notes.append(f"the argument {prose.line(wire, 60)!r} is left out: no tool can send it")
    return tuple(inputs), notes


def _answer(schema: Any) -> tuple[Shape | None, list[str]]:
    """The shape of a structured answer; what to do where there is none."""
    if schema is None:
        return None, ["it does not say what it answers: declare its `output`; a text that is no JSON is `{text}`"]
    shape = _shape(schema, "its answer")
    if shape.type == "object" and shape.fields:
        return shape, []
    return None, ["its answer declares no members: nothing of it can be read until `output` says so"]
