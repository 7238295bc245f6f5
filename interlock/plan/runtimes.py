"""The runtimes that a plan may name: those that are built in, and those that other packages bring as entry points."""

from functools import lru_cache
from typing import Any

from interlock.plan.plug_ins import UnusablePlugInError, names_in, plug_in

GROUP = "interlock.runtimes"
PIPELINE, REACT = "pipeline", "react"
BUILT_IN = (PIPELINE, REACT)

METHODS = ("goes_on", "choose")
"""What a runtime must have."""


def runtime_names() -> list[str]:
    """The names that a plan may use here."""
    return [*BUILT_IN, *(name for name in names_in(GROUP) if name not in BUILT_IN)]


@lru_cache(maxsize=64)
def brought(name: str) -> Any:
    """The runtime that an installed package brings under that name, loaded once. Raises UnusablePlugInError."""
    runtime = plug_in(GROUP, name)
    lacking = [method for method in METHODS if not callable(getattr(runtime, method, None))]
    if lacking:
        raise UnusablePlugInError(f"it has no {' and no '.join(f'`{method}`' for method in lacking)}")
    return runtime
