"""Failures found on the wire, carried through the SDK to the call that they belong to."""

import json
import secrets
from dataclasses import asdict

from interlock_activities.failures import Failure


class Refusals:
    """Writes failures as messages of errors, and knows its own again; no server can forge one."""

    def __init__(self) -> None:
        self._mark = secrets.token_hex(16)

    def told(self, failure: Failure) -> str:
        """A message that stands for the failure."""
        return self._mark + json.dumps(asdict(failure))

    def read(self, message: str) -> Failure | None:
        """The failure that a message stands for; none for what a server said."""
        if not message.startswith(self._mark):
            return None
        return Failure(**json.loads(message.removeprefix(self._mark)))
