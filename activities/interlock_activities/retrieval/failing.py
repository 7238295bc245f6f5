"""How a search fails: one exception, and its form as an ApplicationError."""

from temporalio.exceptions import ApplicationError

from interlock.contract.retrieval import RETRIEVAL_FAILED


class RetrievalError(Exception):
    """A search without an answer. The message is safe to show: no question, no passage, no password."""

    def __init__(self, message: str, *, retryable: bool = True) -> None:
        super().__init__(message)
        self.retryable = retryable

    def for_temporal(self) -> ApplicationError:
        """Raise it `from None`: causes and their texts would enter the history."""
        return ApplicationError(str(self), type=RETRIEVAL_FAILED, non_retryable=not self.retryable)
