"""A turn on the terminal: what was said, what decided it, and the reply."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from interlock.authoring.telling import told

if TYPE_CHECKING:
    from collections.abc import Iterable

COLOURS = {
    "gate": "yellow",
    "route": "blue",
    "table": "blue",
    "call": "magenta",
    "source": "magenta",
    "search": "magenta",
    "choice": "blue",
    "model": "cyan",
    "dropped": "red",
    "problem": "red",
    "catch": "red",
    "reply": "green",
}
SPEAKERS = {"user": "user", "agent": "colleague"}
MARGIN = 11
INDENT = MARGIN + 2
"""Where what is told of a subject begins."""

NARRATIVE = "narrative"
SAYS_NOTHING = "(says nothing)"


def shown_turn(
    text: str,
    reply: dict[str, Any],
    record: dict[str, Any] | None,
    elapsed_ms: float,
    *,
    speaker: str = "user",
    said: bool = False,
) -> str:
    """The turn as lines: the message (if any), why it was answered so, the reply with its outcome and source.

    A reply whose words stand on the screen already (`said`) is not told again.
    """
    source = f" by {record['response_source']}" if record else ""
    lines = [
        *([told_line(SPEAKERS[speaker], text, bold=True)] if text else []),
        *told_lines(told(record or {})),
        told_line("outcome", f"{outcome_of(reply)}{source}, {elapsed_ms:.0f} ms"),
        *(option_lines(reply) if said else reply_lines(reply)),
        *(source_lines(record) if record and record["response_source"] == NARRATIVE else ()),
    ]
    return "\n".join(lines)


def outcome_of(reply: dict[str, Any]) -> str:
    """The outcome, with the author's reason for it."""
    return f"{reply['outcome']} ({reply['reason']})" if reply["reason"] else str(reply["outcome"])


def reply_lines(reply: dict[str, Any]) -> list[str]:
    """What is said to the user, and the options offered."""
    return [told_line("reply", reply["text"] or SAYS_NOTHING, bold=bool(reply["text"])), *option_lines(reply)]


def option_lines(reply: dict[str, Any]) -> list[str]:
    """The options offered, if any."""
    return [told_line("options", " · ".join(reply["options"]))] if reply["options"] else []


def source_lines(record: dict[str, Any]) -> list[str]:
    """The passages that the reply rests on, by the numbers that a model cites them with."""
    passages = [source for search in record["retrievals"] for source in search.get("sources") or ()]
    return told_lines(("sources", f"[{number}] {_passage(one)}") for number, one in enumerate(passages, 1))


def _passage(source: dict[str, str]) -> str:
    return ", ".join(source[key] for key in ("document", "locator") if key in source) or source.get("title", "?")


def told_lines(lines: Iterable[tuple[str, str]]) -> list[str]:
    """The lines of a record, a subject said once for lines that follow each other."""
    shown, before = [], ""
    for subject, line in lines:
        shown.append(told_line("" if subject == before else subject, line, colour=COLOURS.get(subject)))
        before = subject
    return shown


def told_line(subject: str, line: str, *, colour: str | None = None, bold: bool = False) -> str:
    """One line under its subject; further lines of a text stand below the first."""
    first, *rest = line.splitlines() or [""]
    said = f"{head(subject, colour=colour, bold=bold)}{first}".rstrip()
    return "\n".join([said, *(f"{' ' * INDENT}{one}".rstrip() for one in rest)])


def head(subject: str, *, colour: str | None = None, bold: bool = False) -> str:
    """The subject, before what is told of it."""
    colour, dim = colour or COLOURS.get(subject), subject == "outcome"
    return click.style(subject.rjust(MARGIN), fg=colour, bold=bold or None, dim=dim or None) + "  "
