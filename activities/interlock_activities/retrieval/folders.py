"""Where a worker finds the documents of a bundle: in the folder that it serves, or beside one."""

from collections.abc import Iterable
from pathlib import Path

from interlock_activities.retrieval.failing import RetrievalError


class BundleFolders:
    """The folders of the bundles that are served; a Library's bundle may lie beside that which uses it."""

    def __init__(self, folders: Iterable[Path]) -> None:
        self._folders = [folder.resolve() for folder in folders]

    def of(self, bundle: str, documents: str) -> Path:
        """The folder of documents of a bundle, whether or not it is there; raises RetrievalError."""
        served = {folder for folder in self._folders if folder.name == bundle}
        found = served or {folder.parent / bundle for folder in self._folders if (folder.parent / bundle).is_dir()}
        if len(found) > 1:
            raise RetrievalError(f"several bundles are called {bundle!r}: rename one of them", retryable=False)
        if not found:
            raise RetrievalError(f"this worker does not serve the bundle {bundle!r}")
        root = found.pop()
        folder = (root / documents).resolve()
        if not folder.is_relative_to(root):
            raise RetrievalError(f"the documents of {bundle!r} lie outside of the bundle", retryable=False)
        return folder


def index_name(bundle: str, documents: str) -> str:
    """The name of the index of a folder: retrievers that search the same folder share it."""
    return f"{bundle}/{documents}"
