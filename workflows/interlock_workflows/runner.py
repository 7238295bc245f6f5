"""The sandbox as Temporal ships it, but quicker to say what a payload belongs to.

For every payload of every task the worker asks the instance that, several times over, and Temporal's sandboxed one
compiles and runs a piece of source each time: a third of what a turn costs. A payload without a command belongs to the
run itself, those of an activity to what its command says, and what others belong to stays the same while pending.
"""

from typing import Any

from temporalio.api.enums.v1 import CommandType
from temporalio.bridge.proto.workflow_activation import WorkflowActivation
from temporalio.bridge.proto.workflow_commands import ScheduleActivity
from temporalio.bridge.proto.workflow_completion import WorkflowActivationCompletion
from temporalio.converter import (
    ActivitySerializationContext,
    SerializationContext,
    StorageDriverStoreContext,
    StorageDriverWorkflowInfo,
    WorkflowSerializationContext,
)
from temporalio.worker import WorkflowInstance, WorkflowInstanceDetails
from temporalio.worker.workflow_sandbox import SandboxedWorkflowRunner
from temporalio.workflow import Info

ACTIVITY = CommandType.COMMAND_TYPE_SCHEDULE_ACTIVITY_TASK

COMMANDS_KEPT = 16
"""How many commands of a run are remembered; one that is forgotten is asked for again."""


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
        self._type = info.workflow_type
        self._belongs = WorkflowSerializationContext(namespace=info.namespace, workflow_id=info.workflow_id)
        self._stored = StorageDriverStoreContext(target=run)
        self._of_commands: dict[tuple[int, int], SerializationContext] = {}

    def activate(self, act: WorkflowActivation) -> WorkflowActivationCompletion:
        """As in the sandbox; the activities that it asks for are remembered."""
        completion = self._sandboxed.activate(act)
        for command in completion.successful.commands:
            if command.HasField("schedule_activity"):
                self._keep((ACTIVITY, command.schedule_activity.seq), self._of_activity(command.schedule_activity))
        return completion

    def get_serialization_context(self, command_info: Any) -> SerializationContext | None:
        """The run, but for payloads of a command."""
        if command_info is None:
            return self._belongs
        key = (command_info.command_type, command_info.command_seq)
        if key in self._of_commands:
            return self._of_commands[key]
        context = self._sandboxed.get_serialization_context(command_info)
        if context is not None:
            self._keep(key, context)
        return context

    def _keep(self, key: tuple[int, int], context: SerializationContext) -> None:
        self._of_commands[key] = context
        if len(self._of_commands) > COMMANDS_KEPT:
            del self._of_commands[next(iter(self._of_commands))]

    def _of_activity(self, scheduled: ScheduleActivity) -> ActivitySerializationContext:
        named = scheduled.activity_id != str(scheduled.seq)
        return ActivitySerializationContext(
            namespace=self._belongs.namespace,
            workflow_id=self._belongs.workflow_id,
            workflow_type=self._type,
            activity_type=scheduled.activity_type,
            activity_id=scheduled.activity_id if named else None,
            activity_task_queue=scheduled.task_queue,
            is_local=False,
        )

    def get_external_store_context(self, command_info: Any) -> StorageDriverStoreContext:
        """The run, for its own payloads and those of its activities."""
        if command_info is None or command_info.command_type == ACTIVITY:
            return self._stored
        return self._sandboxed.get_external_store_context(command_info)

    def get_info(self) -> Info:
        """As in the sandbox."""
        return self._sandboxed.get_info()

    def get_thread_id(self) -> int | None:
        """As in the sandbox."""
        return self._sandboxed.get_thread_id()
