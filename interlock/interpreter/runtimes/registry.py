"""From the key `runtime` to what it stands for."""

from collections.abc import Mapping
from typing import Final

from interlock.interpreter.runtimes.pipeline import Pipeline
from interlock.interpreter.runtimes.port import Runtime
from interlock.interpreter.runtimes.react import React
from interlock.plan.plug_ins import UnusablePlugInError
from interlock.plan.runtimes import PIPELINE, REACT, brought

_BUILT_IN: Final[Mapping[str, Runtime]] = {PIPELINE: Pipeline(), REACT: React()}


def runtime_of(name: str) -> Runtime:
    """The runtime of that name. Raises UnusablePlugInError."""
    known = _BUILT_IN.get(name)
    if known is not None:
        return known
    try:
        found: Runtime = brought(name)
    except UnusablePlugInError as problem:
        raise UnusablePlugInError(f"runtime {name!r}: {problem}") from None
    return found
