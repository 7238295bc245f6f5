"""What models are writing right now, for those who watch in this process: nobody's watching holds up a call."""

import asyncio
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from interlock_activities.failures import failed, repeated
from interlock_activities.repeating import held_back, repeats

TAIL_BYTES = 4_096
"""How much of a text goes into a heartbeat."""

_DRAFTS_KEPT = 16
"""How many drafts wait for one who watches and does not read; the oldest are dropped."""

Ending: TypeAlias = Literal["", "whole", "broken"]


@dataclass(frozen=True, slots=True)
class Piece:
    """More of a draft. An `attempt` begins anew; `ending` is told once, when nothing more of it comes."""

    call_id: str
    attempt: int
    text: str
    ending: Ending = ""


class Draft:
    """What one attempt has written so far. What may be the beginning of a credential is held back."""

    def __init__(self, call_id: str, attempt: int, secrets: Sequence[str], max_bytes: int) -> None:
        self.call_id = call_id
        self.attempt = attempt
        self.pieces: list[str] = []
        self.ending: Ending = ""
        self._watching: list[_Watching] = []
        self._secrets = tuple(secrets)
        self._left = max_bytes
        self._held = ""
        self._tail = ""
        self._length = 0

    def add(self, piece: str) -> None:
        """Shows one piece more; raises Failure for a credential, and for more than there may be."""
        self._left -= len(piece.encode(errors="replace"))
        if self._left < 0:
            raise failed("an answer that is larger than it may be", retryable=False)
        held = self._held + piece
        if repeats(held, self._secrets):
            raise repeated(200)
        safe = len(held) - held_back(held, self._secrets)
        self._held = held[safe:]
        self._show(held[:safe])

    def details(self) -> tuple[dict[str, Any], ...]:
        """For heartbeats: the end of the text so far, and how many characters it has in all."""
        tail = self._tail.encode(errors="replace")[-TAIL_BYTES:].decode(errors="ignore")
        return ({"text": tail, "length": self._length},) if self._length else ()

    def end(self, ending: Ending) -> None:
        """Tells those who watch that nothing more comes."""
        if ending == "whole":
            self._show(self._held)
        self.ending = ending
        self._tell()

    def watched_by(self, watching: "_Watching") -> None:
        """Tells one more from now on; what is written already is to be read."""
        self._watching.append(watching)
        watching.drafts.append([self, 0])
        watching.news.set()

    def left_by(self, watching: "_Watching") -> None:
        """Tells one less."""
        self._watching = [one for one in self._watching if one is not watching]

    def _show(self, text: str) -> None:
        if text:
            self.pieces.append(text)
            self._tail = (self._tail + text)[-TAIL_BYTES:]
            self._length += len(text)
            self._tell()

    def _tell(self) -> None:
        for one in self._watching:
            one.news.set()


class _Watching:
    """One who watches a run: the drafts not read to their end, with how many pieces of each are read."""

    def __init__(self, call_id: str) -> None:
        self.call_id = call_id
        self.news = asyncio.Event()
        self.drafts: deque[list[Any]] = deque(maxlen=_DRAFTS_KEPT)

    def wants(self, draft: Draft) -> bool:
        """Whether it is one of those watched."""
        return self.call_id in ("", draft.call_id)

    def read(self) -> Iterator[Piece]:
        """All that is new."""
        for entry in list(self.drafts):
            draft, known = entry
            entry[1], ending = len(draft.pieces), draft.ending
            text = "".join(draft.pieces[known:])
            if ending:
                self.drafts.remove(entry)
            if text or ending:
                yield Piece(draft.call_id, draft.attempt, text, ending)


class Drafts:
    """The drafts of a worker, by run. For one event loop, that of the worker."""

    def __init__(self) -> None:
        self._live: defaultdict[str, list[Draft]] = defaultdict(list)
        self._watching: defaultdict[str, list[_Watching]] = defaultdict(list)

    @contextmanager
    def begun(self, run_id: str, draft: Draft) -> Iterator[None]:
        """Shows a draft to those who watch its run until the block is left; an exception breaks it off."""
        self._live[run_id].append(draft)
        for one in self._watching.get(run_id, ()):
            if one.wants(draft):
                draft.watched_by(one)
        try:
            yield
            draft.end("whole")
        except BaseException:
            draft.end("broken")
            raise
        finally:
            _drop(self._live, run_id, draft)

    async def follow(self, run_id: str, call_id: str = "") -> AsyncIterator[Piece]:
        """What is written in a run, or by one call of it, from now on and what of it stands already; until closed."""
        watching = _Watching(call_id)
        self._watching[run_id].append(watching)
        for draft in filter(watching.wants, self._live.get(run_id, ())):
            draft.watched_by(watching)
        try:
            while True:
                await watching.news.wait()
                watching.news.clear()
                for piece in watching.read():
                    yield piece
        finally:
            _drop(self._watching, run_id, watching)
            for draft in self._live.get(run_id, ()):
                draft.left_by(watching)


def _drop(kept: defaultdict[str, list[Any]], run_id: str, one: Any) -> None:
    kept[run_id].remove(one)
    if not kept[run_id]:
        del kept[run_id]
