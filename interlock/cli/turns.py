"""A turn on the terminal: what was said, what decided it, and the reply."""

from __future__ import annotations

from typing import Any

import click

from interlock.authoring.telling import told

COLOURS = {
    "gate": "yellow",
    "route": "blue",
    "call": "magenta",
    "source": "magenta",
    "problem": "red",
    "catch": "red",
}
SPEAKERS = {"user": "user", "agent": "colleague"}


def shown_turn(
    text: str, reply: dict[str, Any], record: dict[str, Any] | None, elapsed_ms: float, *, speaker: str = "user"
) -> str:
    """The turn as lines: the message, why it was answered so, the reply with its outcome and source."""
    lines = [f"  {click.style(f'{SPEAKERS[speaker]:>9}', bold=True)}  {text}"]
    lines += [
        f"  {click.style(f'{subject:>9}', fg=COLOURS.get(subject))}  {line}" for subject, line in told(record or {})
    ]
    source = (record or {}).get("response_source") or "no rule"
    lines.append(f"  {click.style('outcome'.rjust(9), dim=True)}  {reply['outcome']} by {source}, {elapsed_ms:.0f} ms")
    said = reply["text"] or "(says nothing)"
    colour = "green" if reply["text"] else None
    lines += [
        f"  {click.style(('reply' if n == 0 else '').rjust(9), bold=True, fg='green')}  {click.style(part, fg=colour)}"
        for n, part in enumerate(said.splitlines())
    ]
    if reply.get("options"):
        lines.append(f"  {'options':>9}  {' · '.join(reply['options'])}")
    return "\n".join(lines)
