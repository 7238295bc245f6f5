"""What a caller hands over, looked at before it leaves: ids, and bodies that JSON can hold."""

import json
from typing import Any

from interlock.client.errors import RejectedError
from interlock.contract.messages import Malformed, checked_name


def named(what: str, value: Any) -> str:
    """An id as the contract has it. Raises RejectedError `malformed` for any other."""
    try:
        return checked_name(value, (what,))
    except Malformed as problem:
        raise RejectedError("malformed", str(problem)) from None


def written(body: Any) -> str:
    """The body as JSON, keys sorted. Raises RejectedError `malformed` for what JSON cannot hold."""
    try:
        return json.dumps(body, sort_keys=True, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as problem:
        raise RejectedError("malformed", f"it cannot be sent as JSON: {problem}") from None
