"""The immutable store of plans: canonical texts, each named by the plan's digest."""

from pathlib import Path

from interlock_activities.content_store import ContentStore


class PlanStore:
    """Plans in one folder; nothing in it is ever changed or removed."""

    def __init__(self, folder: Path) -> None:
        self._contents = ContentStore(folder, "plan")

    def put(self, plan_json: str) -> str:
        """Stores a plan's canonical text and returns its digest."""
        return self._contents.put(plan_json.encode())

    def get(self, digest: str) -> str | None:
        """The canonical text of a digest, or none; raises DamagedContentError if the file does not hold it."""
        content = self._contents.get(digest)
        return None if content is None else content.decode()
