"""What whoever talks to runs has in common: a connection, one delivery of each call, and questions."""
# ruff: noqa: ASYNC109 - `timeout` bounds all tries together

from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Self, TypeAlias, TypeVar

from temporalio.client import Client, WorkflowQueryFailedError
from temporalio.common import QueryRejectCondition
from temporalio.service import RPCError, RPCStatusCode

from interlock.client.connection import TASK_QUEUE, connect
from interlock.client.delivery import delivered
from interlock.client.errors import NoSuchSessionError, RejectedError
from interlock.contract.calls import BEING_OPENED

Json: TypeAlias = dict[str, Any]
T = TypeVar("T")

TIMEOUT = 30.0


class Runs(ABC):
    """Talks to runs; every call ends with an answer or a typed error of `interlock.client.errors`."""

    def __init__(self, client: Client, *, task_queue: str = TASK_QUEUE) -> None:
        self.client = client
        self._task_queue = task_queue

    @classmethod
    async def connect(cls, address: str | None = None, *, task_queue: str = TASK_QUEUE) -> Self:
        """As `interlock.client.connect`."""
        return cls(await connect(address), task_queue=task_queue)

    async def _delivered(self, attempt: Callable[[], Coroutine[Any, Any, T]], timeout: float) -> T:
        return await delivered(self.client, self._task_queue, attempt, timeout)

    async def _asked(
        self,
        where: str,
        query: str,
        arguments: Sequence[Any] = (),
        run: str | None = None,
        unless: QueryRejectCondition | None = None,
    ) -> Any:
        """The answer of a query; RPCError `UNAVAILABLE` for one that came too early, which passes.

        Raises WorkflowQueryRejectedError for a run that is as `unless` says.
        """
        handle = self.client.get_workflow_handle(where, run_id=run)
        try:
            return await handle.query(query, args=arguments, reject_condition=unless)
        except WorkflowQueryFailedError as error:
            if BEING_OPENED in str(error):
                raise RPCError(BEING_OPENED, RPCStatusCode.UNAVAILABLE, b"") from error
            raise RejectedError("query_failed", str(error)) from error
        except RPCError as error:
            if error.status is RPCStatusCode.NOT_FOUND:
                raise NoSuchSessionError(self._nowhere(where)) from error
            raise

    @staticmethod
    @abstractmethod
    def _nowhere(where: str) -> str:
        """The message for a run that is not there."""
