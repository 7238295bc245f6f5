"""What an MCP server says of its tools, and the digest by which one description is known again."""

import hashlib
import json
from typing import Any, Final

from interlock.contract.calls import Json

TELLING: Final = ("name", "title", "description", "inputSchema", "outputSchema", "annotations")
"""The keys of a definition that say what a call does; icons and `_meta` do not."""


def digest_of(definition: Json) -> str:
    """SHA-256 of what a definition says, in hex; neither the order of its keys nor an absent one makes a difference."""
    said: dict[str, Any] = {key: definition[key] for key in TELLING if definition.get(key) is not None}
    text = json.dumps(said, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
