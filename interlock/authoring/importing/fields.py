"""Shapes as Fields of a spec: arguments, members, outputs, with what a person should know beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from interlock.authoring.importing import naming, prose
from interlock.source.written import Block

if TYPE_CHECKING:
    from collections.abc import Mapping

    from interlock.authoring.importing.operations import Member, Shape


ORDER = ("enum", "pattern", "format", "min", "max", "max_length", "sensitive", "schema")


def argument_of(shape: Shape, *, required: bool, extra: Mapping[str, Any]) -> tuple[Block, list[str]]:
    """A Field for a value that is sent, and comments on it. It has no source: that is for the author to say."""
    field, notes = _field(shape, sent=True)
    if not required:
        field["optional"] = True
    field.update(extra)
    return field, notes


def begun(title: str, description: str) -> Block:
    """A tool with the words that its service has for it, none of them twice."""
    tool = Block()
    if title:
        tool["title"] = prose.inert(title)
    if description and description != title:
        tool["description"] = description
    return tool


def put_output(tool: Block, answer: Shape | None) -> None:
    """The Fields of an answer into a tool, with what cannot be among them."""
    if answer is None:
        return
    output, notes = _members(answer.fields or {}, sent=False)
    if output:
        tool["output"] = output
        output.flat = False
    if notes:
        tool.say("output" if output else "effect", *notes)


def _field(shape: Shape, *, sent: bool) -> tuple[Block, list[str]]:
    field = Block(flat=True)
    notes = [prose.note(note) for note in shape.notes]
    if not shape.type:
        notes.append("proposed: text; the document allows other types")
    field["type"] = shape.type or "string"
    if shape.description:
        field["description"] = shape.description
    field.update((key, shape.facts[key]) for key in ORDER if key in shape.facts)
    if shape.items is not None:
        notes += _item(field, shape.items, sent=sent)
    if shape.fields is not None:
        members, missing = _members(shape.fields, sent=sent)
        if members and not (missing and sent):  # what is not declared would not be sent
            field["fields"] = members
        notes += missing
    return field, notes


def _item(field: Block, item: Shape, *, sent: bool) -> list[str]:
    """The shape of the items, if they have one."""
    if not item.type:
        return ["its items are of no one type: left open"]
    field["items"], notes = _field(item, sent=sent)
    return [f"items: {note}" for note in notes]


def _members(members: Mapping[str, Member], *, sent: bool) -> tuple[Block, list[str]]:
    """The members that can be declared, and notes about the others."""
    made, missing = Block(flat=True), []
    for name, member in members.items():
        shape = member.shape
        if shape.received_only if sent else shape.sent_only:
            continue
        if not naming.is_wire(name):
            missing.append(prose.note(f"{name} is left out: it cannot be the name of a field"))
        elif not shape.type and not sent:
            missing.append(prose.note(f"{name} is left out: {', '.join(shape.notes) or 'its type is not known'}"))
        else:
            made[name], notes = _field(shape, sent=sent)
            if not member.required or shape.nullable:
                made[name]["optional"] = True
            if notes:
                made.say(name, *notes)
    return made, missing
