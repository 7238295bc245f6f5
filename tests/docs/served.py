"""A server, and a worker that serves plans on it, for the pages that show what it answers."""

import asyncio
import contextlib

from interlock.cli.server import EmbeddedServer
from interlock.client import connect
from interlock_activities.registry import Activities
from interlock_workflows.plugin import interlock_plugin
from interlock_workflows.service import serve


@contextlib.asynccontextmanager
async def served(settings):
    """The address of the server, while the plans of the settings are served."""
    async with EmbeddedServer() as server:
        activities = Activities(settings)
        worker = await connect(server.address, plugins=[interlock_plugin(activities.callables)])
        stop = asyncio.Event()
        serving = asyncio.create_task(serve(worker, {plan.name: plan.digest for plan in settings.plans}, stop))
        try:
            yield server.address
        finally:
            stop.set()
            await serving
            await activities.aclose()
