"""Ordered rules: an entry without `when` always holds, so nothing after it is ever reached."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from interlock.compiler.findings import Findings
    from interlock.diagnostics import Location


def check_order(what: str, entries: Sequence[tuple[Location, str | None]], findings: Findings) -> None:
    """Entries that an earlier one always forestalls: one without `when`, or one of the same condition."""
    open_end: Location | None = None
    seen: dict[str, Location] = {}
    for place, when in entries:
        same = seen.get(normal(when)) if when is not None else None
        if open_end is not None:
            message = f"this {what} is never reached: an earlier one always holds"
            hint = "an entry without `when` stands last"
            findings.error("unreachable", message, place, also=((open_end, "it has no `when`"),), hint=hint)
        elif same is not None:
            message = f"this {what} is never reached: an earlier one has the same `when`"
            findings.error("unreachable", message, place, also=((same, "the earlier one"),))
        if when is None:
            open_end = open_end or place
        else:
            seen.setdefault(normal(when), place)


def normal(when: str) -> str:
    """A condition without what makes no difference to it."""
    return " ".join(when.split())
