"""What a Python tool is, and how it fails: all that its author needs to know of this package."""

from typing import Any, Protocol


class ToolFunction(Protocol):
    """A Python tool: keyword arguments by declared name, JSON values in, a JSON value out; plain or `async`.

    It raises `ToolError` to fail with a text and payload of its own. Any other exception is a failure too, retried as
    the tool's `retry` says; its text is neither recorded nor shown, since nobody vouches for what is in it.
    A plain function runs in a thread of its own, which cannot be stopped: past the deadline its result is dropped.
    """

    def __call__(self, **arguments: Any) -> Any:
        """The payload that the tool's `outcomes` and `unwrap` read."""


class ToolError(Exception):
    """Raised by a Python tool; `message` and `payload` enter the run's history."""

    def __init__(self, message: str, payload: Any = None, *, retryable: bool = True) -> None:
        super().__init__(message)
        self.message = message
        self.payload = payload
        self.retryable = retryable
