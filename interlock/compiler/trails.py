"""Ways through a procedure on which something has not been asserted, each told place by place."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from interlock.diagnostics import Location

Trail: TypeAlias = "tuple[Trail, Location, str] | tuple[()]"
"""What must have happened to come here unproved, the last thing first."""

OF_ITS_OWN = "this asserts it of the"
"""How a trail tells of an assertion that counts for the procedure that makes it, and not for the guard's."""

Standing: TypeAlias = "Trail | None"
"""None: the condition has been asserted. Otherwise a way on which it has not."""


class Ended:
    """No way leads on; told by the class itself."""


def any_of(ends: Iterable[Standing | type[Ended]]) -> Standing | type[Ended]:
    """Whichever way was taken; the first that is unproved counts."""
    going = [end for end in ends if not isinstance(end, type)]
    if not going:
        return Ended
    return next((end for end in going if end is not None), None)


def places(trail: Trail) -> Iterator[tuple[Location, str]]:
    """A trail in the order in which it is walked."""
    found = []
    while trail:
        trail, place, words = trail
        found.append((place, words))
    return reversed(found)
