"""An immutable store of plans on disk, each named by the digest of what is in it."""

import hashlib
import os
import re
import tempfile
import zlib
from pathlib import Path

_DIGEST = re.compile(r"[0-9a-f]{64}")


class DamagedPlanError(Exception):
    """What is stored under a digest is not what the digest stands for."""


class PlanStore:
    """Canonical plan texts in one folder; nothing in it is ever changed or removed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, plan_json: str) -> str:
        """Stores a plan's canonical text and returns its digest; all of it is on disk, or nothing."""
        content = plan_json.encode()
        digest = hashlib.sha256(content).hexdigest()
        target = self._path(digest)
        if target.exists():
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

    def get(self, digest: str) -> str | None:
        """The canonical text of a digest, or none; raises DamagedPlanError if the file does not hold it."""
        if not _DIGEST.fullmatch(digest):
            return None
        try:
            content = zlib.decompress(self._path(digest).read_bytes())
        except FileNotFoundError:
            return None
        except zlib.error:
            raise DamagedPlanError(f"the stored plan {digest[:12]} is damaged") from None
        if hashlib.sha256(content).hexdigest() != digest:
            raise DamagedPlanError(f"the stored plan {digest[:12]} is damaged")
        return content.decode()

    def _path(self, digest: str) -> Path:
        return self._folder / f"{digest}.json.z"
