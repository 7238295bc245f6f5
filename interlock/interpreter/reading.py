"""What a message says: values for slots and whether intents hold, from its words and the session's trusted history."""

from collections.abc import Iterator
from operator import attrgetter
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from interlock.interpreter import unrecognized
from interlock.interpreter.slots import kept, root
from interlock.interpreter.spans import outside_identifiers, owned
from interlock.interpreter.trusted import CHAT, EDGES, expected, is_short, shown, shows_anything
from interlock.interpreter.turn import Filled, Found, Turn
from interlock.interpreter.valid import problem_of
from interlock.text.extractors import extract
from interlock.text.hits import Hit, named
from interlock.text.patterns import normalised

if TYPE_CHECKING:
    from interlock.interpreter.program import Program

Groups = dict[tuple[str, str], list[Hit]]

LONGEST_BARE = 100

_start = attrgetter("start")


def read(turn: Turn) -> None:
    """Fill `turn.slots` and `turn.intents` from the masked text; the turn is read once."""
    turn.read = True
    program, text = turn.program, turn.text
    words, shapes = program.finder.words(text), program.finder.shapes(text)
    found = _found(turn, text, words, shapes)
    if program.bare:
        found += _bare(turn, words, found)
    turn.intents = program.no_intents.copy()
    if turn.intents:
        _read_intents(turn, words, shapes, found)
    turn.slots = kept(turn) if turn.state.slots else {}
    if found:
        _read_slots(turn, words, found)
    if program.watches:
        unrecognized.notice(turn, words, found)
    turn.context["intents"] = turn.intents
    turn.context["slots"] = root(turn)


def values_of(turn: Turn, slot: str, text: str) -> list[Found]:
    """The values that `slot` reads in another text than the message."""
    finder = turn.program.finder
    return [one for one in _found(turn, text, finder.words(text), finder.shapes(text)) if one.slot == slot]


def _found(turn: Turn, text: str, words: Groups, shapes: Groups) -> list[Found]:
    """The values of all slots: only those slots are looked at for which something was found."""
    program = turn.program
    found: list[Found] = []
    for (kind, name), hits in shapes.items():
        if kind == "slot":
            rules = program.plan.slots[name].normalise
            for _, start, end, raw, value in hits:
                found.append(named(Found, (name, normalised(value, rules) if rules else value, raw, start, end)))
    for (kind, name), hits in words.items():
        if kind == "vocabulary":
            for reader in program.slots_of.get(name, ()):
                for wanted, start, end, raw, _ in hits:
                    found.append(named(Found, (reader, wanted.code, raw, start, end)))
    for name in program.extracted:
        slot, now = program.plan.slots[name], turn.context["now"]
        here = now.astimezone(ZoneInfo(slot.timezone)) if slot.timezone else now
        found += [
            Found(name, one.value, text[one.start : one.end], one.start, one.end)
            for one in extract(slot.extract, text, here)
        ]
    return found


def _bare(turn: Turn, words: Groups, found: list[Found]) -> list[Found]:
    """Values that count only because the conversation waits for them and the message holds nothing else."""
    if turn.message.type != CHAT or len(turn.text) > LONGEST_BARE:
        return []
    if turn.state.flow is None and not shows_anything(turn):
        return []
    slots = [name for name in turn.program.bare if expected(turn, name) and all(one.slot != name for one in found)]
    if not slots:
        return []
    return list(dict.fromkeys(one for name, one in accepted_bare(turn.program, turn.text, words) if name in slots))


def accepted_bare(program: "Program", text: str, words: Groups) -> Iterator[tuple[str, Found]]:
    """Slot and value of every `in_context` pattern that is all of `text`, but for a label of that slot in front."""
    starts: dict[int, str] = {0: ""}
    for (kind, name), hits in words.items():
        if kind == "label" and not text[: hits[0].start].strip(EDGES):
            starts[hits[0].end] = name
    for start, only in starts.items():
        lead = start + len(text[start:]) - len(text[start:].lstrip(EDGES))
        for hit in program.finder.bare(text[lead:].rstrip(EDGES)):
            name = str(hit.tag)
            if only in ("", name):
                value = normalised(hit.value, program.plan.slots[name].normalise)
                yield name, Found(name, value, hit.raw, lead + hit.start, lead + hit.end)


def _read_slots(turn: Turn, words: Groups, found: list[Found]) -> None:
    certain, contended = found, list[Found]()
    if len(found) > 1 and not _apart(found):
        asked = turn.state.flow["asked"] if turn.state.flow is not None else ()
        labels = {name: hits for (kind, name), hits in words.items() if kind == "label"}
        certain, contended = owned(outside_identifiers(found, turn.program.identifiers), labels, turn.text, asked)
    fill(turn, certain, contended)


def fill(turn: Turn, certain: list[Found], contended: list[Found]) -> None:
    """Fill slots with what is certainly theirs; one that has only what others may have too is ambiguous."""
    turn.contended = contended
    by_slot = _by_slot(certain)
    for name, mine in by_slot.items():
        turn.slots[name] = as_filled(turn, name, mine)
    for name, mine in _by_slot(contended).items() if contended else ():
        if name not in by_slot:
            turn.slots[name] = as_filled(turn, name, mine, certain=False)


def _by_slot(found: list[Found]) -> dict[str, list[Found]]:
    """The distinct values of each slot."""
    by_slot: dict[str, list[Found]] = {}
    for one in found:
        mine = by_slot.get(one.slot)
        if mine is None:
            by_slot[one.slot] = [one]
        elif all(other.value != one.value for other in mine):
            mine.append(one)
    return by_slot


def _apart(found: list[Found]) -> bool:
    """Whether no two values share words, so that nothing contends."""
    end = 0
    for one in sorted(found, key=_start):
        if one.start < end:
            return False
        end = one.end
    return True


def as_filled(turn: Turn, name: str, found: list[Found], certain: bool = True) -> Filled:
    """What distinct values of one slot make of it: filled, ambiguous, or not valid by the slot's checks."""
    slot = turn.program.plan.slots[name]
    is_one = len(found) == 1
    values = tuple(found) if is_one else tuple(sorted(found, key=_start))
    if not (certain and (is_one or slot.many)):
        return Filled(name, "ambiguous", None, values, "message", turn.state.turn)
    if slot.checks:
        problem = next(filter(None, (problem_of(turn, name, one.value) for one in values)), "")
        if problem:
            return Filled(name, "invalid", None, values, "message", turn.state.turn, problem)
    value = [one.value for one in values] if slot.many else values[0].value
    return named(Filled, (name, "filled", value, values, "message", turn.state.turn, "", ()))


def _read_intents(turn: Turn, words: Groups, shapes: Groups, found: list[Found]) -> None:
    plan = turn.program.plan
    for groups in (words, shapes):
        for kind, name in groups:
            if kind == "intent":
                turn.intents[name] = True
    if turn.message.type != CHAT:
        return
    for name in turn.program.followed:
        hits = words.get(("vocabulary", plan.intents[name].follow_up))
        if hits and is_short(turn.text, hits, found):
            turn.follow_ups.add(name)
            turn.intents[name] = turn.intents[name] or shown(turn, name)
