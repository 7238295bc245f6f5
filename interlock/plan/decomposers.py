"""The decomposers that a call may name: other packages bring them as entry points."""

from functools import lru_cache
from typing import Any

from interlock.plan.plug_ins import UnusablePlugInError, names_in, plug_in

GROUP = "interlock.decomposers"


def decomposer_names() -> list[str]:
    """The names that a plan may use here."""
    return names_in(GROUP)


@lru_cache(maxsize=64)
def decomposer(name: str) -> Any:
    """The decomposer that an installed package brings under that name, loaded once. Raises UnusablePlugInError."""
    found = plug_in(GROUP, name)
    if not callable(found):
        raise UnusablePlugInError("it cannot be called")
    return found
