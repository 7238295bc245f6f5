"""What runs beside a conversation: the procedures that its flows have begun, and the flows that go on after them."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from temporalio.workflow import ParentClosePolicy

from interlock.interpreter.commands import RunProcedure
from interlock.interpreter.events import ProcedureEnded
from interlock_workflows.children import Handles, run_child


class Beside:
    """Begins procedures and tells how each has ended. They go on by themselves when the conversation is over."""

    def __init__(self, run_id: str, ended: Callable[[ProcedureEnded], None]) -> None:
        self._run_id = run_id
        self._ended = ended
        self._tasks: set[asyncio.Task[None]] = set()
        self._children: Handles = {}
        self.running = 0

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Let something run beside the turns; the reference keeps it from being collected."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def begin(self, command: RunProcedure) -> None:
        """Begin a procedure."""
        self.running += 1
        self.spawn(self._to_its_end(command))

    async def _to_its_end(self, command: RunProcedure) -> None:
        end = await run_child(command, self._run_id, ParentClosePolicy.ABANDON, self._children)
        self._children.pop(command.child_id, None)
        self.running -= 1
        self._ended(end)
