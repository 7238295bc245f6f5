"""What a model is writing, shown in the terminal as it comes; whether it is said in the end, the reply decides."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from interlock_activities.models.drafts import Drafts, Piece

BETWEEN = "\n\n"
"""Stands between the parts of a reply."""

BROKEN_OFF, NOT_SAID, WHOLE = "(broken off)", "(not said)", "(the whole reply)"
"""What stands below words that are not the reply, or not the beginning of it."""


class Screen:
    """The words of a reply that stand on the screen already, below `head`; further lines of theirs begin with `margin`.

    White space waits for the word behind it: at its end a reply has none.
    """

    def __init__(self, head: str = "", margin: str = "") -> None:
        self.begun = False
        self._head = head
        self._margin = margin
        self._said = self._space = ""
        self._bare = True
        self._writing: tuple[str, int] | None = None

    def take(self, piece: Piece) -> None:
        """Show what is new of a draft."""
        if self._writing != (piece.call_id, piece.attempt):
            self._writing = (piece.call_id, piece.attempt)
            self._space, self._bare = BETWEEN if self._said else "", True
        text = piece.text.lstrip() if self._bare else piece.text
        self._bare = self._bare and not text
        words = (self._space + text).rstrip()
        self._space = (self._space + text)[len(words) :]
        self._write(words)
        if piece.ending == "broken" and self._said:
            self._leave(BROKEN_OFF)

    def completes(self, reply: str) -> bool:
        """Whether the whole reply stands there: what it lacks is added. If not, that is told."""
        if not self._said:
            return False
        if not reply.startswith(self._said):
            self._leave(WHOLE if self._said in reply else NOT_SAID)
            return False
        self._write(reply[len(self._said) :])
        click.echo()
        return True

    def _write(self, words: str) -> None:
        if words:
            head = "" if self._said else self._head if not self.begun else self._margin
            click.echo(head + words.replace("\n", f"\n{self._margin}"), nl=False)
            self._said += words
            self.begun = True

    def _leave(self, why: str) -> None:
        click.echo(f"\n{self._margin}{click.style(why, dim=True)}")
        self._said = self._space = ""


@contextlib.asynccontextmanager
async def watched(drafts: Drafts, run: str, screen: Screen) -> AsyncIterator[None]:
    """Show on `screen` what is written in a run while the block lasts."""

    async def follow() -> None:
        async for piece in drafts.follow(run):
            screen.take(piece)

    following = asyncio.create_task(follow())
    try:
        yield
    finally:
        following.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await following
