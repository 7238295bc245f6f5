"""What stands in a message in the place of a code and means none: shapes of codes, and words behind a slot's label.

Only slots that a look-up reads are watched, and those that say what their codes look like.
"""

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from interlock.interpreter.turn import Filled, Found, Turn

if TYPE_CHECKING:
    from interlock.text.hits import Hit

LONGEST_RAW = 60
"""How much behind a label may be one value."""

_SIGN = re.compile(r"\s*[:：=＝]\s*")
_CLAUSE_END = re.compile(r"[，。；！？,;!?\n]|\.(?=\s|$)")
_PARTED = re.compile(r"[、/|]|和|与|及|\b(?:and|or)\b")
_QUOTES = " \t\u3000\"'“”‘’「」『』《》()（）的"


def notice(turn: Turn, words: "Mapping[tuple[str, str], list[Hit]]", found: list[Found]) -> None:
    """Let the slots of the turn know of the words that mean none of their codes."""
    unknown: dict[str, dict[str, Found]] = {}
    for one in (*_shaped(turn, found), *_labelled(turn, words, found)):
        unknown.setdefault(one.slot, {}).setdefault(one.raw, one)
    for slot, raws in unknown.items():
        turn.slots[slot] = beside(turn, slot, tuple(raws.values()))


def beside(turn: Turn, slot: str, unknown: tuple[Found, ...]) -> Filled:
    """A slot with words that mean nothing: what else was found counts only where there may be several values."""
    known = turn.slots.get(slot)
    said_now = known is not None and known.turn == turn.state.turn and known.source == "message"
    if known is not None and said_now and known.status != "filled":
        return known
    if known is not None and said_now and turn.program.plan.slots[slot].many:
        return known._replace(unknown=unknown)
    return Filled(slot, "unrecognized", None, (), "message", turn.state.turn, unknown=unknown)


def _shaped(turn: Turn, found: list[Found]) -> Iterator[Found]:
    for hit in turn.program.finder.shaped(turn.text):
        if not any(_overlap(one, hit.start, hit.end) for one in found):
            yield Found(str(hit.tag), None, hit.raw, hit.start, hit.end)


def _labelled(turn: Turn, words: "Mapping[tuple[str, str], list[Hit]]", found: list[Found]) -> Iterator[Found]:
    for slot in turn.program.looked_up:
        mine = [one for one in found if one.slot == slot]
        for label in words.get(("label", slot), ()):
            sign = _SIGN.match(turn.text, label.end)
            if sign is not None:
                yield from _behind(slot, turn.text, sign.end(), mine, found)


def _behind(slot: str, text: str, start: int, mine: list[Found], found: list[Found]) -> Iterator[Found]:
    """The words behind a label, up to the end of the clause or to what another slot has taken."""
    ended = _CLAUSE_END.search(text, start, start + LONGEST_RAW)
    end = ended.start() if ended else min(len(text), start + LONGEST_RAW)
    end = min([end, *(one.start for one in found if one.slot != slot and start <= one.start < end)])
    is_known = any(_overlap(one, start, end) for one in mine)
    for first, last in _parts(text, start, end) if is_known else [(start, end)]:
        raw = text[first:last].strip(_QUOTES)
        if raw and not any(_overlap(one, first, last) for one in mine):
            begins = text.index(raw, first)
            yield Found(slot, None, raw, begins, begins + len(raw))


def _parts(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for mark in _PARTED.finditer(text, start, end):
        yield start, mark.start()
        start = mark.end()
    yield start, end


def _overlap(one: Found, start: int, end: int) -> bool:
    return one.start < end and start < one.end
