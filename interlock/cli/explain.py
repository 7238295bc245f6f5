"""`interlock explain`: what the rules decide for one message, and why, line by line."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import click

from interlock.cli.bundles import agent_named, paths_argument
from interlock.cli.options import json_object
from interlock.cli.turns import outcome_of, reply_lines, told_line, told_lines

if TYPE_CHECKING:
    from pathlib import Path

    from interlock.authoring.explaining import Explanation, Rule


@click.command("explain", epilog="Example: interlock explain logistics-support --message '555E898665 帮查一下'")
@click.argument("name")
@paths_argument
@click.option("--message", "text", required=True, help="What the user writes.")
@click.option("--type", "kind", default="user_chat", show_default=True, help="The type of the message.")
@click.option("--user", default="{}", metavar="JSON", help="Attributes of the user, as the service gives them.")
@click.option("--metadata", default="{}", metavar="JSON", help="Metadata of the message.")
@click.option("--json", "as_json", is_flag=True, help="Print rules, reply and record as JSON.")
def command(name: str, paths: tuple[Path, ...], text: str, kind: str, user: str, metadata: str, as_json: bool) -> None:
    """Say what the agent NAME decides for a first message: gates, route, arguments with their sources, and the reply.

    No tool is called: the first call that would go out is shown, and what follows depends on its answer.
    """
    from interlock.authoring.explaining import explained
    from interlock.contract.messages import Malformed, session_start
    from interlock.interpreter.opening import InvalidMessage

    plan = agent_named(name, paths)
    given, more = {"id": "explain", **json_object(user, "--user")}, json_object(metadata, "--metadata")
    try:
        session_start({"user": given, "message": {"id": "explain", "type": kind, "text": text, "metadata": more}})
        found = explained(plan, text, now_ms=time.time_ns() // 1_000_000, kind=kind, user=given, metadata=more)
    except Malformed as problem:
        raise click.UsageError(f"no agent takes such a message: {problem}.") from problem
    except InvalidMessage as problem:
        raise click.UsageError(f"the message does not fit {name}: {problem.message}") from problem
    click.echo(json.dumps(found.as_json(), ensure_ascii=False, indent=2) if as_json else _page(text, found))


def _page(text: str, found: Explanation) -> str:
    blocks = [[told_line("message", text, bold=True)], [line for rule in found.rules for line in _rule(rule)]]
    blocks.append(told_lines(line for line in found.lines if line[0] not in ("gate", "route")))
    if found.reply is None:
        blocks.append([told_line("reply", f"depends on the answer of {' and '.join(found.open_calls)}")])
    else:
        outcome = f"{outcome_of(found.reply)} by {found.record['response_source']}"
        blocks.append([told_line("outcome", outcome), *reply_lines(found.reply)])
    return "\n\n".join("\n".join(lines) for lines in blocks if lines)


def _rule(rule: Rule) -> list[str]:
    """What was asked of a gate or route: its outcome, its condition, and the values compared."""
    acts = not rule.outcome.startswith(("pass", "not met"))
    mark = click.style("●", fg="yellow") if acts else click.style("·", dim=True)
    lines = [f"{mark} {rule.kind} {click.style(rule.id, bold=acts)} ({rule.at}): {rule.outcome}"]
    lines += [f"      {click.style(rule.when, dim=True)}"] if rule.when else []
    return [*lines, *(f"        {part} = {value}" for part, value in rule.parts)]
