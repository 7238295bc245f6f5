"""Following a run on the terminal: every step as it ends, what runs just now, and how it came out."""

from __future__ import annotations

import json
import shutil
import sys
from typing import TYPE_CHECKING, Any

import click

from interlock.authoring.telling_work import told_step
from interlock.cli.turns import told_lines
from interlock.client.procedures import followed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from interlock.client.procedures import Procedures

SHOWN_RUNNING = 3


async def follow(desk: Procedures, run: str, *, brief: bool = False) -> dict[str, Any]:
    """Show a run until it has ended or stands still; its last status."""
    status: dict[str, Any] = {}
    async for status, records in followed(desk, run):
        _clear()
        for record in records:
            lines = told_step(record)
            click.echo("\n".join(told_lines(lines[:1] if brief else lines)))
        _show_running(status)
    _clear()
    return status


def outcome_lines(run: str, status: dict[str, Any], address: str | None) -> Iterable[str]:
    """How the run came out, and what can be done about it on the server at `address`; none if that ends now."""
    failure = status.get("failure") or {}
    match status["status"]:
        case "done":
            yield click.style("done", fg="green", bold=True)
            yield json.dumps(status["result"], ensure_ascii=False, indent=2)
        case "failed":
            yield click.style(f"stands still at {failure.get('step')}: {failure.get('message')}", fg="red", bold=True)
            yield from (f"  {block['argument']}: {block['reason']}" for block in failure.get("missing") or ())
            yield _remedy(run, status["unresolved"], address)
        case "cancelled":
            yield click.style("cancelled", fg="yellow", bold=True)
        case "terminated" | "timed_out" as cut_off:
            said = f"{cut_off.replace('_', ' ')}: Temporal has ended the run where it stood, and nothing is undone"
            yield click.style(said, fg="red", bold=True)
        case _:
            yield click.style(f"failed: {failure.get('message')}", fg="red", bold=True)
    if status.get("effects") and status["status"] != "done":
        yield f"not undone: {', '.join(status['effects'])}"


def _remedy(run: str, unresolved: Iterable[str], address: str | None) -> str:
    if address is None:
        return "its server ends now, and nothing is left to retry: start `interlock dev`, and run it there by --address"
    unknown = "".join(f" --resolved {step}=happened|did_not_happen" for step in unresolved)
    return f"once the cause is mended: interlock retry {run}{unknown} --address {address}"


def _show_running(status: dict[str, Any]) -> None:
    if not sys.stdout.isatty():
        return
    names = [one["step"] for one in status["running"]]
    more = f" and {len(names) - SHOWN_RUNNING} more" if len(names) > SHOWN_RUNNING else ""
    text = f"  … {', '.join(names[:SHOWN_RUNNING])}{more}" if names else f"  … {status['status']}"
    click.echo(text[: shutil.get_terminal_size().columns - 1], nl=False)


def _clear() -> None:
    if sys.stdout.isatty():
        click.echo("\r\x1b[2K", nl=False)
