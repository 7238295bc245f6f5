"""References to values that stay outside a run: how one is made, and told from any other value."""

import hashlib
import re
from typing import Any, Final

from interlock.contract import strict_json
from interlock.contract.calls import Json

STORABLE: Final = ("string", "list", "object")
"""Types of values that can be large."""

_PARTS = frozenset({"digest", "bytes", "length"})
_DIGEST = re.compile(r"[0-9a-f]{64}")


def referenced(value: Any) -> tuple[Json, bytes]:
    """The reference to a text, list or object, and the content that is stored under its `digest`.

    `bytes` is the length of that content; `length` counts characters, items or keys.
    """
    content = strict_json.dumps(value)
    return {"digest": hashlib.sha256(content).hexdigest(), "bytes": len(content), "length": len(value)}, content


def is_reference(value: Any) -> bool:
    """Whether `value` is a reference; whether anything is stored under it, only the store knows."""
    return (
        type(value) is dict
        and value.keys() == _PARTS
        and type(value["digest"]) is str
        and _DIGEST.fullmatch(value["digest"]) is not None
        and all(type(value[part]) is int and value[part] >= 0 for part in ("bytes", "length"))
    )
