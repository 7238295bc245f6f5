"""Providers by name: those of this package, those given to the worker, those that installed packages bring."""

from collections.abc import Mapping
from typing import Final

from interlock_activities.failures import misconfigured
from interlock_activities.models.chat import ChatProvider
from interlock_activities.plug_ins import PlugInError, loaded

GROUP: Final = "interlock.providers"


class Providers:
    """Each provider once; one of an installed package is loaded when it is first asked for.

    `instead` of all others one may speak: then no service is asked, whatever a plan says.
    """

    def __init__(self, known: Mapping[str, ChatProvider], instead: str = "") -> None:
        self._known = dict(known)
        self._instead = instead

    def meant(self, name: str) -> str:
        """The name of the provider that speaks where a plan says `name`."""
        return self._instead or name

    def named(self, name: str) -> ChatProvider:
        """The provider; raises Failure where there is none."""
        if name not in self._known:
            self._known[name] = _plugged_in(name)
        return self._known[name]


def _plugged_in(name: str) -> ChatProvider:
    try:
        found = loaded(GROUP, name)
    except PlugInError as problem:
        raise misconfigured(str(problem)) from None
    provider: ChatProvider = found() if isinstance(found, type) else found
    if not (callable(getattr(provider, "chat", None)) and isinstance(getattr(provider, "rungs", None), tuple)):
        raise misconfigured(f"entry point {name!r} is no provider: it has no `chat` and `rungs`")
    return provider
