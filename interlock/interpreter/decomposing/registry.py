"""From the key `decompose` to what it stands for."""

from interlock.interpreter.decomposing.port import Decomposer
from interlock.plan.decomposers import decomposer
from interlock.plan.plug_ins import UnusablePlugInError


def decomposer_of(name: str) -> Decomposer:
    """The decomposer of that name. Raises UnusablePlugInError."""
    try:
        found: Decomposer = decomposer(name)
    except UnusablePlugInError as problem:
        raise UnusablePlugInError(f"decomposer {name!r}: {problem}") from None
    return found
