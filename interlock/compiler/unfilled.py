"""Why no step can have filled a cell or variable where it is read, though the procedure has one, and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from interlock.compiler.apart import loops_around, relation, stands_in
from interlock.compiler.fillings import MOST_STEPS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from interlock.compiler.cell_reads import CellRead
    from interlock.compiler.units import Unit
    from interlock.compiler.written import Path

STALE = "this makes it stale"
FAILED = "this has failed, and fills nothing"
OWN = "this is the step itself"
AT_ONCE = "this runs at the same time"
INSTEAD = "this runs in another branch"
IN_A_LOOP = "what this fills belongs to one pass of the loop"
LATER = "this runs later, if at all"
UNDOES = "this runs only to undo a step"

LIKELIEST = (AT_ONCE, IN_A_LOOP, INSTEAD, LATER, FAILED, UNDOES, OWN)
"""Which call was most likely meant, where there are several."""

REMEDIES = {
    STALE: "call {name!r} again before this",
    AT_ONCE: "write the step that needs it after the branches, or into the same branch",
    IN_A_LOOP: "do within the loop whatever needs it",
}


def reason(unit: Unit, step: Path, calls: Sequence[Path]) -> tuple[Path, str]:
    """The call that was most likely meant, and why it does not fill the cell here."""
    likely = (_beside(step, calls) or calls)[:MOST_STEPS]
    return min(((call, _why(unit, step, call)) for call in likely), key=lambda one: LIKELIEST.index(one[1]))


def _beside(step: Path, calls: Sequence[Path]) -> list[Path]:
    """The calls that undo the same as the step does."""
    at = next((at for at in range(len(step)) if stands_in(step[:at], "compensate")), 0)
    return [call for call in calls if at and call[:at] == step[:at]]


def remedy(read: CellRead, why: str) -> str:
    """What to do about it."""
    root, name = read.filled
    otherwise = "call {name!r} before this" if root == "cells" else "`set` {name!r} before this"
    return REMEDIES.get(why, otherwise).format(name=name)


def _why(unit: Unit, step: Path, call: Path) -> str:
    if call == step:
        return OWN
    if step[: len(call) + 1] == (*call, "catch"):
        return FAILED
    if stands_in(call, "compensate") and not stands_in(step, "compensate"):
        return UNDOES
    around = loops_around(unit, step)
    if any(loop not in around for loop in loops_around(unit, call)):
        return IN_A_LOOP
    match relation(unit, call, step):
        case "parallel":
            return AT_ONCE
        case "exclusive":
            return INSTEAD
        case _:
            return LATER
