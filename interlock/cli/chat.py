"""`interlock chat`: a conversation in the terminal, with what decided every turn."""

from __future__ import annotations

import asyncio
import sys
import threading
import uuid
from typing import TYPE_CHECKING

import click

from interlock.cli.bundles import paths_argument
from interlock.cli.failing import told_plainly
from interlock.cli.options import json_object

if TYPE_CHECKING:
    from collections.abc import Awaitable
    from pathlib import Path

    from interlock.cli.conversation import Conversation
    from interlock.plan.plan import Plan


@click.command("chat", epilog='Example: interlock chat logistics-support --user \'{"tier": "vip"}\'')
@click.argument("name")
@paths_argument
@click.option("--address", help="Talk to a worker on this Temporal server, instead of starting both here.")
@click.option("--session", help="Go on with this session; a new one if not given.")
@click.option("--user", default="{}", metavar="JSON", help="Attributes of the user, as the service gives them.")
@click.option("--model", metavar="JSON", help="The one model for all of a new session, if the agent allows it.")
@click.option("--brief", is_flag=True, help="Show replies alone.")
@told_plainly
def command(
    name: str,
    paths: tuple[Path, ...],
    address: str | None,
    session: str | None,
    user: str,
    model: str | None,
    brief: bool,
) -> None:
    """Talk to the agent NAME. Lines come from the terminal, or from standard input; /help lists the commands.

    Without --address an in-memory Temporal server and a worker are started for the time of the conversation, and what a
    model writes is shown as it writes, unless it has to be judged first (`grounding`).

    A model is named as a service names it: '{"model": "qwen-max"}', with `server`, `temperature` and `max_tokens` where
    they differ from those of `general`.
    """
    from interlock.cli.conversation import Conversation
    from interlock.cli.logs import log_for_people
    from interlock.client.sent import named

    given = {"id": "chat", **json_object(user, "--user")}
    session = f"chat-{uuid.uuid4().hex[:8]}" if session is None else named("session", session)
    named_model = None if model is None else json_object(model, "--model")
    conversation = Conversation(name, session, given, why=not brief, model=named_model)
    log_for_people()
    if address is None:
        from interlock.cli.bundles import agent_and_others, folders

        asyncio.run(_on_embedded(conversation, agent_and_others(name, paths)[1], folders(paths)))
    else:
        asyncio.run(_at(conversation, address))


async def _at(conversation: Conversation, address: str) -> None:
    from interlock.cli.serving import environment, stop_on_signals, tracing
    from interlock.client import Interlock

    stop, environ = stop_on_signals(), environment()
    with tracing(environ):
        desk = await Interlock.connect(address, task_queue=environ["INTERLOCK_TASK_QUEUE"])
        await _first_of(stop.wait(), conversation.talk(desk, lines_of_stdin()))


async def _on_embedded(conversation: Conversation, plans: list[Plan], bundles: list[Path]) -> None:
    """A server and a worker that live as long as the conversation; what its models write is shown at once."""
    from interlock.cli.server import EmbeddedServer
    from interlock.cli.serving import environment, serve_plans, settings_for, stop_on_signals
    from interlock.client import Interlock
    from interlock_activities.models.drafts import Drafts

    stop, ended, environ = stop_on_signals(), asyncio.Event(), environment()
    conversation.drafts = drafts = Drafts()
    async with EmbeddedServer() as server:
        settings = settings_for(environ, plans, bundles)
        worker = asyncio.create_task(serve_plans(settings, ended, environ, address=server.address, drafts=drafts))
        try:
            desk = await Interlock.connect(server.address, task_queue=environ["INTERLOCK_TASK_QUEUE"])
            await _first_of(stop.wait(), asyncio.shield(worker), conversation.talk(desk, lines_of_stdin()))
        finally:
            ended.set()
            await worker


async def _first_of(*work: Awaitable[object]) -> None:
    """Until one of them ends; the others are cancelled."""
    tasks = [asyncio.ensure_future(one) for one in work]
    done, rest = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in rest:
        task.cancel()
    await asyncio.gather(*rest, return_exceptions=True)
    for task in done:
        task.result()


def lines_of_stdin() -> asyncio.Queue[str | None]:
    """The lines of standard input as they come, then None.

    A thread of its own reads them: a wait for the keyboard cannot be cancelled, and must not hold up the end.
    """
    loop, lines = asyncio.get_running_loop(), asyncio.Queue[str | None]()

    def read() -> None:
        for line in iter(sys.stdin.buffer.readline, b""):
            loop.call_soon_threadsafe(lines.put_nowait, line.decode("utf-8", "replace").strip())
        loop.call_soon_threadsafe(lines.put_nowait, None)

    threading.Thread(target=read, daemon=True).start()
    return lines
