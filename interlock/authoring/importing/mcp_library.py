"""Writes what an MCP server offers as a Library to be reviewed: proposals are marked, and no argument has a source."""

from __future__ import annotations

from typing import TYPE_CHECKING

from interlock.authoring.importing import Imported, prose
from interlock.authoring.importing.definitions import defined
from interlock.authoring.importing.fields import argument_of, begun, put_output
from interlock.authoring.importing.library import left_out_of
from interlock.source import read_document
from interlock.source.document import MOST_BYTES
from interlock.source.written import Block, length, written

if TYPE_CHECKING:
    from collections.abc import Sequence

    from interlock.authoring.importing.definitions import Defined
    from interlock.contract.calls import Json


class NothingToImportError(Exception):
    """No Library can be made; the text says why."""


def import_mcp(
    definitions: Sequence[Json], server: Block, *, name: str, source: str, called: str = "", only: Sequence[str] = ()
) -> Imported:
    """The Library `name` of the tools of a server. Raises NothingToImportError.

    `server` are its keys in the Library, `source` says what it was made from, `called` is the name of the server there.
    """
    tools, left_out = defined(definitions, only)
    if not tools:
        raise NothingToImportError(_nothing(definitions, only, [f"{one.call}: {one.why}" for one in left_out]))
    tree = Block([("apiVersion", "interlock/v1"), ("kind", "Library"), ("name", name)])
    tree["servers"] = Block([(called or name.replace("-", "_"), server)])
    tree["tools"] = Block([(one.name, _tool(one)) for one in tools])
    for index, one in enumerate(tools):
        if lines := [*([""] if index else []), *map(prose.note, one.notes)]:
            tree["tools"].say(one.name, *lines)
    for key in ("servers", "tools"):
        tree.say(key, "")
    text = written(tree, _head(source)) + left_out_of(left_out) if length(tree) <= MOST_BYTES else ""
    if not text or read_document(text.encode(), "library.yaml")[1]:
        raise NothingToImportError("the Library cannot be written, or is too large: take some of the tools with --only")
    return Imported(text, (), len(tools), sum(len(one.inputs) for one in tools), len(left_out))


def _nothing(definitions: Sequence[Json], only: Sequence[str], left_out: Sequence[str]) -> str:
    if not definitions:
        return "the server offers no tools"
    if left_out:
        return f"no tool can be imported; {left_out[0]}"
    return f"no tool fits {', '.join(map(repr, only))}"


def _head(source: str) -> list[str]:
    return [
        prose.note(f"Imported from {source}. To be reviewed:"),
        "- every argument needs its source: `from: slots.x`, `cells.tool.x`, `caller` …, or a `value`",
        "- what is marked `proposed` rests on the word of the server, or on none",
        "- titles and descriptions are the server's: read them as a stranger's",
        "- every write says how a repeated request is known (`idempotency`) and what must hold after it (`ensures`)",
        "- `definition` pins what was imported: a tool that is described otherwise is not called",
        "- take out the tools and the fields that you do not use",
    ]


def _tool(one: Defined) -> Block:
    tool = begun(one.title, one.description)
    tool["mcp"] = one.tool
    tool["definition"] = one.digest
    tool["effect"], why = one.effect
    tool.beside["effect"] = f"proposed: {why}"
    if one.inputs:
        tool["input"] = Block()
        for given in one.inputs:
            extra = {"send_as": given.wire} if given.wire != given.name else {}
            tool["input"][given.name], notes = argument_of(given.shape, required=given.required, extra=extra)
            if notes:
                tool["input"].say(given.name, *notes)
    put_output(tool, one.answer)
    return tool
