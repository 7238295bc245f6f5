"""The sandbox as Temporal ships it, but quicker to say what a payload belongs to.

For every payload of every task the worker asks the instance that, and Temporal's sandboxed one compiles and runs a
piece of source each time: a third of what a turn costs. A payload that comes with no command belongs to the run itself.
"""

from typing import Any

from temporalio.bridge.proto.workflow_activation import WorkflowActivation
from temporalio.bridge.proto.workflow_completion import WorkflowActivationCompletion
from temporalio.converter import (
    SerializationContext,
    StorageDriverStoreContext,
    StorageDriverWorkflowInfo,
    WorkflowSerializationContext,
)
from temporalio.worker import WorkflowInstance, WorkflowInstanceDetails
from temporalio.worker.workflow_sandbox import SandboxedWorkflowRunner
from temporalio.workflow import Info


class QuickSandbox(SandboxedWorkflowRunner):
    """Runs every workflow in Temporal's sandbox."""

    def create_instance(self, det: WorkflowInstanceDetails) -> WorkflowInstance:
        """One run in a sandbox of its own."""
        return _Instance(super().create_instance(det), det.info)


class _Instance(WorkflowInstance):
    """A sandboxed run that answers for itself what is the same for all its life."""

    def __init__(self, sandboxed: WorkflowInstance, info: Info) -> None:
        self._sandboxed = sandboxed
        run = StorageDriverWorkflowInfo(
            id=info.workflow_id, run_id=info.run_id, type=info.workflow_type, namespace=info.namespace
        )
        self._belongs = WorkflowSerializationContext(namespace=info.namespace, workflow_id=info.workflow_id)
        self._stored = StorageDriverStoreContext(target=run)

    def activate(self, act: WorkflowActivation) -> WorkflowActivationCompletion:
        """As in the sandbox."""
        return self._sandboxed.activate(act)

    def get_serialization_context(self, command_info: Any) -> SerializationContext | None:
        """The run, but for payloads of a command."""
        return self._belongs if command_info is None else self._sandboxed.get_serialization_context(command_info)

    def get_external_store_context(self, command_info: Any) -> StorageDriverStoreContext:
        """The run, but for payloads of a command."""
        return self._stored if command_info is None else self._sandboxed.get_external_store_context(command_info)

    def get_info(self) -> Info:
        """As in the sandbox."""
        return self._sandboxed.get_info()

    def get_thread_id(self) -> int | None:
        """As in the sandbox."""
        return self._sandboxed.get_thread_id()
