"""The only readers of files and YAML: plain data, and the line and column of everything in it."""

from interlock.source.bundle import Bundle, find_bundles, read_bundle
from interlock.source.document import Document, read_document
from interlock.source.places import KeyPath, Places
from interlock.source.sheet import Sheet

__all__ = ["Bundle", "Document", "KeyPath", "Places", "Sheet", "find_bundles", "read_bundle", "read_document"]
