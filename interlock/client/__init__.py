"""The client: talking to sessions from a service, with the retries that make delivery safe."""

from interlock.client.connection import TASK_QUEUE, connect
from interlock.client.sessions import Interlock

__all__ = ["TASK_QUEUE", "Interlock", "connect"]
