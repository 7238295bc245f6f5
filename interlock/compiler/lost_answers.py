"""What the undoing of a call knows of it: nothing, if its answer was lost; it may have happened all the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from interlock.compiler.check_effects import writes
from interlock.compiler.fillings import Filling

if TYPE_CHECKING:
    from interlock.compiler.units import Unit
    from interlock.compiler.walk import Written

LOST = "where the answer of this is lost it fills nothing, and is undone all the same"
LOOK_UP = "let the undoing look it up first, by what was sent; or undo by a `key` of your own, known beforehand"


def undone_by_its_own(unit: Unit, step: Written) -> Filling:
    """The cells that a call is undone with: those that it filled itself, if it has been answered."""
    tool = unit.find("tools", step.model.call)
    lasts = tool is not None and writes(tool)
    return Filling((step.path,), sure=not lasts, why=((*step.path, "call"), LOST, False) if lasts else None)


def may_be_lost(filling: Filling) -> bool:
    """Whether that is why cells may be missing."""
    return filling.why is not None and filling.why[1] == LOST
