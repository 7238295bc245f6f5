"""What can go wrong between a service and its runs, as typed errors whose words say what to do."""


class InterlockError(Exception):
    """Base of all errors of the client."""


class UnreachableError(InterlockError):
    """No Temporal server answers at the address."""


class NotPreparedError(InterlockError):
    """The namespace lacks what runs need, and this client may not put it there."""


class UnknownAgentError(InterlockError):
    """No worker knows a spec of this name."""


class NoSuchSessionError(InterlockError):
    """The session was never opened, or is older than the namespace keeps."""


class NoWorkerError(InterlockError):
    """Nothing polls the task queue, so nothing can answer."""


class DeadlineError(InterlockError):
    """No answer in time; sending the same message id again is safe and gets the first reply."""


class RejectedError(InterlockError):
    """The session refused what was sent; `kind` is the stable code."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind
