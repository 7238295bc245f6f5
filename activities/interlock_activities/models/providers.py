"""Providers by name: those of this package, those given to the worker, those that installed packages bring."""

from collections.abc import Mapping
from typing import Final

from interlock_activities.entry_point import plugged_in
from interlock_activities.failures import misconfigured
from interlock_activities.models.chat import ChatProvider

GROUP: Final = "interlock.providers"


class Providers:
    """Each provider once; one of an installed package is loaded when it is first asked for."""

    def __init__(self, known: Mapping[str, ChatProvider]) -> None:
        self._known = dict(known)

    def named(self, name: str) -> ChatProvider:
        """The provider; raises Failure where there is none."""
        if name not in self._known:
            self._known[name] = _plugged_in(name)
        return self._known[name]


def _plugged_in(name: str) -> ChatProvider:
    found = plugged_in(GROUP, name)
    provider: ChatProvider = found() if isinstance(found, type) else found
    if not (callable(getattr(provider, "chat", None)) and isinstance(getattr(provider, "rungs", None), tuple)):
        raise misconfigured(f"entry point {name!r} is no provider: it has no `chat` and `rungs`")
    return provider
