"""Contents on disk, each under its digest: written whole or not at all, never changed, proved when they are read."""

import hashlib
import os
import re
import tempfile
import zlib
from pathlib import Path

_DIGEST = re.compile(r"[0-9a-f]{64}")


class DamagedContentError(Exception):
    """What is stored under a digest is not what the digest stands for."""


class ContentStore:
    """One folder of compressed files. `kind` names what is stored, in messages.

    With `marks_use` a file's time of change says when its content was last stored or read; the folder must then be
    writable for readers too.
    """

    def __init__(self, folder: Path, kind: str, *, marks_use: bool = False) -> None:
        self._folder = folder
        self._kind = kind
        self._marks_use = marks_use

    def put(self, content: bytes) -> str:
        """Stores a content and returns its SHA-256 in hex; all of it is on disk, or nothing. Raises OSError."""
        digest = hashlib.sha256(content).hexdigest()
        target = self._path(digest)
        if target.exists():
            self._mark(target)
            return digest
        self._folder.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=self._folder, prefix=".new-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(zlib.compress(content))
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(target)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
        return digest

    def get(self, digest: str) -> bytes | None:
        """The content of a digest, or none. Raises DamagedContentError, and OSError."""
        if not _DIGEST.fullmatch(digest):
            return None
        path = self._path(digest)
        try:
            content = zlib.decompress(path.read_bytes())
            self._mark(path)
        except FileNotFoundError:
            return None
        except zlib.error:
            raise self._damaged(digest) from None
        if hashlib.sha256(content).hexdigest() != digest:
            raise self._damaged(digest)
        return content

    def _path(self, digest: str) -> Path:
        return self._folder / f"{digest}.json.z"

    def _mark(self, path: Path) -> None:
        if self._marks_use:
            os.utime(path)

    def _damaged(self, digest: str) -> DamagedContentError:
        return DamagedContentError(f"the stored {self._kind} {digest[:12]} is damaged")
