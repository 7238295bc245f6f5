"""The only readers of files and YAML: plain data, and the line and column of everything in it."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from interlock.source.bundle import Bundle, read_bundle
    from interlock.source.document import Document, read_document
    from interlock.source.folders import bundle_names, find_bundles
    from interlock.source.places import KeyPath, MovedPlaces, Places
    from interlock.source.sheet import Sheet

__all__ = [
    "Bundle",
    "Document",
    "KeyPath",
    "MovedPlaces",
    "Places",
    "Sheet",
    "bundle_names",
    "find_bundles",
    "read_bundle",
    "read_document",
]

_HOMES = {
    "bundle": ("Bundle", "read_bundle"),
    "document": ("Document", "read_document"),
    "folders": ("bundle_names", "find_bundles"),
    "places": ("KeyPath", "MovedPlaces", "Places"),
    "sheet": ("Sheet",),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Imported when first used: whoever only looks for folders does not load a YAML parser."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
