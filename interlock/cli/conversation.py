"""One conversation in the terminal: what is typed is a message or a command, what comes of it is shown."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
import time
from typing import TYPE_CHECKING, Any

import click

from interlock.cli.options import json_object
from interlock.cli.turns import INDENT, SPEAKERS, head, shown_turn, told_line
from interlock.cli.watching import Screen, watched
from interlock.client.errors import NoSuchSessionError, RejectedError

if TYPE_CHECKING:
    from asyncio import Queue
    from contextlib import AbstractAsyncContextManager

    from interlock.client import Interlock
    from interlock_activities.models.drafts import Drafts

HELP = """  /why            show or hide what decided each turn
  /type NAME      the type of the messages from now on, such as form
  /model JSON     the one model for the messages from now on, such as {"model": "qwen-max"}; {} for none
  /takeover       a person takes over; /release gives back
  /agent TEXT     write as that person
  /close          end the session
  /record         the whole record of the last turn, as JSON
  /quit           end (so does Ctrl-D)"""

LISTEN_EVERY = 0.5
"""Seconds between two looks at the outbox while a procedure runs."""

NEEDS = {"type": "the name of a type", "model": "a JSON object", "agent": "a text"}
PEOPLE = ("takeover", "release", "close")


class Conversation:
    """Reads lines, sends them, shows what came of them.

    With `drafts`, those of a worker in this process, what a model writes is shown as it writes.
    """

    drafts: Drafts | None = None

    def __init__(
        self, agent: str, session: str, user: dict[str, Any], *, why: bool, model: dict[str, Any] | None = None
    ) -> None:
        self.agent, self.session, self.user, self.why = agent, session, user, why
        self.type = "user_chat"
        self._model_of_session = model
        self._model: dict[str, Any] | None = None
        self.last: dict[str, Any] | None = None
        self._heard: int | None = None
        self._run = ""
        self._people = sys.stdin.isatty()

    async def talk(self, desk: Interlock, lines: Queue[str | None]) -> None:
        """Until the lines end or the reader quits. Raises RejectedError where the session may not have its model."""
        if self._model_of_session is not None:
            await self._open_with(desk, self._model_of_session)
        if self._people:
            click.echo(f"session {self.session} of {self.agent}; /help lists the commands")
        while (line := await self._next(desk, lines)) not in (None, "/quit"):
            if line:
                await self._take(desk, line)

    async def _open_with(self, desk: Interlock, model: dict[str, Any]) -> None:
        status = await desk.open(self.agent, self.session, user=self.user, model=model)
        if status["turn"]:
            told = f"session {self.session!r} has begun without `--model`; /model names one for its next messages"
            raise RejectedError("begun", told)
        self._run = status["run"]

    async def _next(self, desk: Interlock, lines: Queue[str | None]) -> str | None:
        """The next line; until it comes, what is said after a procedure has ended."""
        if self._people:
            click.echo(click.style("you> ", bold=True), nl=False)
        typed = asyncio.ensure_future(lines.get())
        while self._heard is not None and not (await asyncio.wait([typed], timeout=LISTEN_EVERY))[0]:
            await self._listen(desk, self._heard)
        return await typed

    async def _listen(self, desk: Interlock, after: int) -> None:
        status = await desk.status(self.agent, self.session)
        said = await desk.outbox(self.agent, self.session, after)
        for entry in said:
            click.echo(f"\n{told_line('later', entry['text'], bold=True)}")
        waits = bool(status["procedures"])
        self._heard = (said[-1]["number"] if said else after) if waits else None

    async def _take(self, desk: Interlock, line: str) -> None:
        try:
            await (self._command(desk, line) if line.startswith("/") else self._say(desk, line))
        except RejectedError as problem:
            click.echo(click.style(f"  refused: {problem} ({problem.kind})", fg="red"))
        except NoSuchSessionError:
            click.echo(click.style("  the session begins with the first message; nothing was said yet", fg="red"))

    async def _command(self, desk: Interlock, line: str) -> None:
        word, _, rest = line[1:].partition(" ")
        rest = rest.strip()
        if word == "why":
            self.why = not self.why
            click.echo(f"  what decided each turn is {'shown' if self.why else 'hidden'}")
        elif word == "record":
            click.echo(json.dumps(self.last, ensure_ascii=False, indent=2) if self.last else "  there is no record yet")
        elif word in PEOPLE:
            status = await getattr(desk, word)(self.agent, self.session, by="chat")
            click.echo(f"  status: {status['status']}")
        elif word in NEEDS and not rest:
            click.echo(f"  /{word} needs {NEEDS[word]}")
        elif word == "type":
            self.type = rest
            click.echo(f"  messages are of type {rest} now")
        elif word == "model":
            self._name(rest)
        elif word == "agent":
            started = time.perf_counter()
            reply = await desk.agent_message(self.agent, self.session, rest, by="chat")
            await self._shown(desk, rest, started, reply, speaker="agent")
        else:
            click.echo(HELP if word == "help" else f"  no such command: {line}\n{HELP}")

    def _name(self, written: str) -> None:
        """The one model for the messages from now on."""
        try:
            self._model = json_object(written, "/model") or None
        except click.UsageError as wrong:
            click.echo(f"  {wrong.message}")
        else:
            click.echo(f"  messages name {written if self._model else 'no model'} now")

    async def _say(self, desk: Interlock, line: str) -> None:
        started, screen = time.perf_counter(), self._screen(line)
        async with await self._watching(desk, screen):
            reply = await desk.send(self.agent, self.session, line, user=self.user, type=self.type, model=self._model)
        said = screen.completes(reply["text"])
        await self._shown(desk, "" if screen.begun else line, started, reply, said=said)

    async def _watching(self, desk: Interlock, screen: Screen) -> AbstractAsyncContextManager[None]:
        if self.drafts is None:
            return contextlib.nullcontext()
        if not self._run:
            self._run = (await desk.open(self.agent, self.session, user=self.user))["run"]
        return watched(self.drafts, self._run, screen)

    def _screen(self, line: str) -> Screen:
        """Where the words of a model come to stand: below the message, unless that was typed there."""
        if not self.why:
            return Screen()
        above = "" if self._people else told_line(SPEAKERS["user"], line, bold=True) + "\n"
        return Screen(above + head("reply", bold=True), " " * INDENT)

    async def _shown(
        self,
        desk: Interlock,
        line: str,
        started: float,
        reply: dict[str, Any],
        speaker: str = "user",
        *,
        said: bool = False,
    ) -> None:
        """What came of a line; `said` is whether the reply stands on the screen already."""
        elapsed_ms = (time.perf_counter() - started) * 1000
        if reply["outcome"] == "queued" and self._heard is None:
            self._heard = (await desk.status(self.agent, self.session))["outbox"]
        turn = reply["turn"]
        record = await desk.record(self.agent, self.session, turn) if turn is not None else None
        self.last = record or self.last
        if self.why:
            typed = "" if self._people and speaker == "user" else line
            click.echo(shown_turn(typed, reply, record, elapsed_ms, speaker=speaker, said=said) + "\n")
        elif not said:
            click.echo(reply["text"] or f"({reply['outcome']})")
