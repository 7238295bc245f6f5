"""`interlock chat`: a conversation in the terminal, with what decided every turn."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
import time
import uuid
from typing import TYPE_CHECKING, Any

import click

from interlock.cli.bundles import paths_argument
from interlock.cli.failing import told_plainly
from interlock.cli.options import json_object

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from interlock.client import Interlock
    from interlock.plan.plan import Plan

HELP = """  /why            show or hide what decided each turn
  /takeover       a person takes over; /release gives back
  /agent TEXT     write as that person
  /record         the whole record of the last turn, as JSON
  /quit           end (so does Ctrl-D)"""


@click.command("chat", epilog='Example: interlock chat logistics-support --user \'{"tier": "vip"}\'')
@click.argument("name")
@paths_argument
@click.option("--address", help="Talk to a worker on this Temporal server, instead of starting both here.")
@click.option("--session", default="", help="Go on with this session; a new one if not given.")
@click.option("--user", default="{}", metavar="JSON", help="Attributes of the user, as the service gives them.")
@click.option("--brief", is_flag=True, help="Show replies alone.")
@told_plainly
def command(name: str, paths: tuple[Path, ...], address: str | None, session: str, user: str, brief: bool) -> None:
    """Talk to the agent NAME. Lines come from the terminal, or from standard input.

    Without --address an in-memory Temporal server and a worker are started for the time of the conversation.
    """
    given = {"id": "chat", **json_object(user, "--user")}
    chat = Chat(name, session or f"chat-{uuid.uuid4().hex[:8]}", given, why=not brief)
    asyncio.run(_run(chat, paths, address))


async def _run(chat: Chat, paths: tuple[Path, ...], address: str | None) -> None:
    from interlock.client import Interlock

    if address is not None:
        await chat.talk(await Interlock.connect(address))
        return
    from interlock.cli.bundles import plan_named
    from interlock.cli.logs import log_for_people

    log_for_people()
    async with embedded(plan_named(chat.agent, paths)) as desk:
        await chat.talk(desk)


@contextlib.asynccontextmanager
async def embedded(plan: Plan) -> AsyncIterator[Interlock]:
    """A client of a server and a worker that live as long as the block."""
    from interlock.cli.server import EmbeddedServer
    from interlock.cli.serving import environment, serve_plans, settings_of
    from interlock.client import Interlock

    stop = asyncio.Event()
    async with EmbeddedServer() as server:
        environ = environment()
        worker = asyncio.create_task(serve_plans(settings_of(environ, [plan]), stop, environ, address=server.address))
        try:
            yield await Interlock.connect(server.address)
        finally:
            stop.set()
            await worker


class Chat:
    """One conversation: reads lines, sends them, shows what came of them."""

    def __init__(self, agent: str, session: str, user: dict[str, Any], *, why: bool) -> None:
        self.agent, self.session, self.user, self.why = agent, session, user, why
        self.last: dict[str, Any] | None = None

    async def talk(self, desk: Interlock) -> None:
        """Until the lines end or the reader quits."""
        people = sys.stdin.isatty()
        if people:
            click.echo(f"session {self.session} of {self.agent}; /help lists the commands")
        while (line := await self._line(people=people)) is not None:
            if line == "/quit":
                return
            if line:
                await self._take(desk, line)

    async def _line(self, *, people: bool) -> str | None:
        if people:
            click.echo(click.style("you> ", bold=True), nl=False)
        line = await asyncio.to_thread(sys.stdin.readline)
        return line.strip() if line else None

    async def _take(self, desk: Interlock, line: str) -> None:
        from interlock.client.errors import RejectedError

        try:
            await (self._command(desk, line) if line.startswith("/") else self._say(desk, line))
        except RejectedError as problem:
            click.echo(click.style(f"  refused: {problem} ({problem.kind})", fg="red"))

    async def _command(self, desk: Interlock, line: str) -> None:
        word, _, rest = line[1:].partition(" ")
        match word:
            case "why":
                self.why = not self.why
            case "takeover" | "release":
                status = await getattr(desk, word)(self.agent, self.session, by="chat")
                click.echo(f"  status: {status['status']}")
            case "agent":
                await self._shown(
                    desk, rest, time.perf_counter(), await desk.agent_message(self.agent, self.session, rest)
                )
            case "record":
                click.echo(json.dumps(self.last, ensure_ascii=False, indent=2))
            case _:
                click.echo(HELP)

    async def _say(self, desk: Interlock, line: str) -> None:
        started = time.perf_counter()
        reply = await desk.send(self.agent, self.session, line, user=self.user)
        await self._shown(desk, line, started, reply)

    async def _shown(self, desk: Interlock, line: str, started: float, reply: dict[str, Any]) -> None:
        from interlock.cli.turns import shown_turn

        elapsed_ms = (time.perf_counter() - started) * 1000
        turn = reply["turn"]
        self.last = await desk.record(self.agent, self.session, turn) if turn is not None else None
        click.echo(
            shown_turn(line, reply, self.last, elapsed_ms) if self.why else reply["text"] or f"({reply['outcome']})"
        )
