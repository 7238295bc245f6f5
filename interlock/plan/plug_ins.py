"""Parts of a plan that other packages bring, by the name of an entry point."""

from importlib.metadata import entry_points
from typing import Any


class UnusablePlugInError(Exception):
    """There is nothing of that name, or nothing that can be used; the message says why."""


def names_in(group: str) -> list[str]:
    """The names that installed packages bring, in order."""
    return sorted({found.name for found in entry_points(group=group)})


def plug_in(group: str, name: str) -> Any:
    """What an installed package brings under that name. Raises UnusablePlugInError."""
    found = {entry.value: entry for entry in entry_points(group=group, name=name)}
    if not found:
        raise UnusablePlugInError("no installed package brings it")
    if len(found) > 1:
        raise UnusablePlugInError("several packages bring it")
    try:
        return next(iter(found.values())).load()
    except Exception as error:  # noqa: BLE001 - importing a plug-in may raise anything
        raise UnusablePlugInError(f"it cannot be loaded: {type(error).__name__}") from None
