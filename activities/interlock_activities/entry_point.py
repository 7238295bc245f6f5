"""What installed packages plug in, by entry point."""

from importlib.metadata import entry_points
from typing import Any

from interlock_activities.failures import misconfigured


def plugged_in(group: str, name: str) -> Any:
    """The object that one package declares under that name; raises Failure for none, several and broken ones."""
    found = list(entry_points(group=group, name=name))
    if not found:
        raise misconfigured(f"no installed package declares {name!r} under {group!r}")
    if len({entry.value for entry in found}) > 1:
        raise misconfigured(f"several packages declare {name!r} under {group!r}")
    try:
        return found[0].load()
    except Exception as error:  # noqa: BLE001 - importing a plug-in may raise anything
        raise misconfigured(f"entry point {name!r} cannot be loaded: {type(error).__name__}") from None
