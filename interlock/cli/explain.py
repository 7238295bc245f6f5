"""`interlock explain`: what the rules decide for one message, and why, line by line."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import click

from interlock.cli.bundles import paths_argument, plan_named

if TYPE_CHECKING:
    from pathlib import Path

    from interlock.authoring.explaining import Explanation


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

    No tool is called: a call that would go out is shown, and then ends as an error.
    """
    from interlock.authoring.explaining import explained
    from interlock.interpreter.opening import InvalidMessage

    plan = plan_named(name, paths)
    given = {"id": "explain", **json_object(user, "--user")}
    try:
        found = explained(
            plan,
            text,
            now_ms=time.time_ns() // 1_000_000,
            kind=kind,
            user=given,
            metadata=json_object(metadata, "--metadata"),
        )
    except InvalidMessage as problem:
        raise click.UsageError(f"the message does not fit {name}: {problem.message}") from problem
    click.echo(json.dumps(found.as_json(), ensure_ascii=False, indent=2) if as_json else _page(text, found))


def json_object(text: str, option: str) -> dict[str, Any]:
    """The JSON object given to an option; wrong usage if it is none."""
    try:
        value = json.loads(text)
    except ValueError as error:
        raise click.UsageError(f"{option} is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise click.UsageError(f'{option} takes a JSON object, such as {{"locale": "zh"}}.')
    return value


def _page(text: str, found: Explanation) -> str:
    lines = [f"{click.style('message', bold=True)}  {text}", ""]
    for rule in found.rules:
        acts = rule.outcome.split(" ")[0] not in ("pass", "not")
        mark = click.style("●", fg="yellow") if acts else click.style("·", dim=True)
        lines.append(f"{mark} {rule.kind} {click.style(rule.id, bold=acts)} ({rule.at}): {rule.outcome}")
        if rule.when:
            lines.append(f"      {click.style(rule.when, dim=True)}")
        lines += [f"        {part} = {value}" for part, value in rule.parts]
    lines += ["", *(f"{subject:>8}  {line}" for subject, line in found.lines), ""]
    if found.open_calls:
        return "\n".join(
            [*lines, f"{click.style('reply', bold=True)}    depends on what {', '.join(found.open_calls)} answers"]
        )
    lines += [f"{click.style('outcome', bold=True)}  {found.reply['outcome']} by {found.record['response_source']}"]
    lines += [
        f"{click.style('reply', bold=True)}    {line}"
        for line in (found.reply["text"] or "(says nothing)").splitlines()
    ]
    return "\n".join(lines)
