"""How a run has come to its end: by itself, or cut off by Temporal, which its own answers cannot tell."""

from temporalio import exceptions
from temporalio.client import WorkflowExecutionStatus, WorkflowFailureError
from temporalio.exceptions import ApplicationError, CancelledError, TerminatedError

from interlock.client.delivery import rejected
from interlock.client.errors import InterlockError, RejectedError
from interlock.contract.calls import FINISHED

CUT_OFF = {WorkflowExecutionStatus.TERMINATED: "terminated", WorkflowExecutionStatus.TIMED_OUT: "timed_out"}
"""A run that Temporal has ended hears nothing of it: it still answers where it stood, and undoes nothing."""

OVER = FINISHED.union(CUT_OFF.values())
"""Statuses of a run that nothing changes any more."""

WORDS = {
    WorkflowExecutionStatus.COMPLETED: "it has completed",
    WorkflowExecutionStatus.FAILED: "it has failed",
    WorkflowExecutionStatus.CANCELED: "it was cancelled",
    WorkflowExecutionStatus.TERMINATED: "it was terminated",
    WorkflowExecutionStatus.TIMED_OUT: "it has timed out",
}


def failed(failure: WorkflowFailureError) -> InterlockError:
    """The error for whoever waits for the result of a run that gives none."""
    match failure.cause:
        case ApplicationError() as cause:
            return rejected(cause)
        case TerminatedError() as cause:
            return RejectedError("terminated", f"Temporal was told to end the run where it stood: {cause}")
        case exceptions.TimeoutError():
            return RejectedError("timed_out", "Temporal has ended the run where it stood: its time was over")
        case CancelledError():
            return RejectedError("cancelled", "the run was cancelled")
        case cause:
            return RejectedError("failed", str(cause))
