"""Which slot a value in the text belongs to, when several could have read it from the same words."""

from collections.abc import Collection, Mapping, Sequence

from interlock.interpreter.turn import Found
from interlock.text.hits import Hit

BETWEEN = " \t\u3000:：#＃.=＝-是为號号nNoO"
"""What may stand between a label and its value."""


def outside_identifiers(found: Sequence[Found], identifiers: Collection[str]) -> list[Found]:
    """`found` without what only stands inside a longer identifier: the digits of a number are no amount."""
    spans = {(one.start, one.end) for one in found if one.slot in identifiers}
    return [one for one in found if not any(_inside(one, start, end) for start, end in spans)]


def _inside(one: Found, start: int, end: int) -> bool:
    return start <= one.start and one.end <= end and (start, end) != (one.start, one.end)


def owned(
    found: Sequence[Found], labels: Mapping[str, Sequence[Hit]], text: str, asked: Sequence[str]
) -> tuple[list[Found], list[Found]]:
    """`found` parted in what is certain and what several slots still contend for.

    A label beside the value decides, one before it first; else the slot that was asked for; else a slot that has
    a value of its own leaves the contended one to the others.
    """
    certain: list[Found] = []
    contended: list[list[Found]] = []
    for rivals in _by_span(found).values():
        chosen = rivals if len({one.slot for one in rivals}) == 1 else _chosen(rivals, labels, text, asked)
        if len({one.slot for one in chosen}) == 1:
            certain += chosen
        else:
            contended.append(chosen)
    return _eliminated(certain, contended)


def decided(contended: Sequence[Found], needed: Collection[str]) -> tuple[list[Found], list[Found]]:
    """Contended values parted in those of which one slot alone is needed, and so certain, and those still contended."""
    certain: list[Found] = []
    left: list[list[Found]] = []
    for rivals in _by_span(contended).values():
        theirs = [one for one in rivals if one.slot in needed]
        if len({one.slot for one in theirs}) == 1:
            certain += theirs
        else:
            left.append(rivals)
    return _eliminated(certain, left)


def _by_span(found: Sequence[Found]) -> dict[tuple[int, int], list[Found]]:
    by_span: dict[tuple[int, int], list[Found]] = {}
    for one in found:
        by_span.setdefault((one.start, one.end), []).append(one)
    return by_span


def _chosen(rivals: list[Found], labels: Mapping[str, Sequence[Hit]], text: str, asked: Sequence[str]) -> list[Found]:
    before = [one for one in rivals if any(_leads(label, one, text) for label in labels.get(one.slot, ()))]
    if before:
        return before
    behind = [one for one in rivals if any(_follows(label, one, text) for label in labels.get(one.slot, ()))]
    if behind:
        return behind
    wanted = next((name for name in asked if any(one.slot == name for one in rivals)), None)
    return [one for one in rivals if one.slot == wanted] if wanted else rivals


def _leads(label: Hit, value: Found, text: str) -> bool:
    return label.end <= value.start and not text[label.end : value.start].strip(BETWEEN)


def _follows(label: Hit, value: Found, text: str) -> bool:
    return value.end <= label.start and not text[value.end : label.start].strip()


def _eliminated(certain: list[Found], contended: list[list[Found]]) -> tuple[list[Found], list[Found]]:
    settled = {one.slot for one in certain}
    left: list[Found] = []
    for rivals in contended:
        open_ = [one for one in rivals if one.slot not in settled] or rivals
        if len({one.slot for one in open_}) == 1:
            certain += open_
        else:
            left += open_
    return certain, left
