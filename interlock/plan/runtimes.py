"""The runtimes that a plan may name: those that are built in, and those that other packages bring as entry points."""

from functools import lru_cache
from importlib.metadata import entry_points
from typing import Any

GROUP = "interlock.runtimes"
PIPELINE, REACT = "pipeline", "react"
BUILT_IN = (PIPELINE, REACT)

METHODS = ("goes_on", "choose")
"""What a runtime must have."""


class UnusableRuntimeError(Exception):
    """There is no runtime of that name, or none that can be used; the message says why."""


def runtime_names() -> list[str]:
    """The names that a plan may use here."""
    return [*BUILT_IN, *sorted({found.name for found in entry_points(group=GROUP)} - {*BUILT_IN})]


@lru_cache(maxsize=64)
def brought(name: str) -> Any:
    """The runtime that an installed package brings under that name, loaded once. Raises UnusableRuntimeError."""
    found = {entry.value: entry for entry in entry_points(group=GROUP, name=name)}
    if not found:
        raise UnusableRuntimeError("no installed package brings it")
    if len(found) > 1:
        raise UnusableRuntimeError("several packages bring it")
    try:
        runtime = next(iter(found.values())).load()
    except Exception as error:  # noqa: BLE001 - importing a plug-in may raise anything
        raise UnusableRuntimeError(f"it cannot be loaded: {type(error).__name__}") from None
    lacking = [method for method in METHODS if not callable(getattr(runtime, method, None))]
    if lacking:
        raise UnusableRuntimeError(f"it has no {' and no '.join(f'`{method}`' for method in lacking)}")
    return runtime
