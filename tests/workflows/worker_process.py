"""A worker as a process: `worker_process.py ADDRESS QUEUE PLAN_FILE`; the plan file holds plans, one a line."""

import asyncio
import signal
import sys
from pathlib import Path

from interlock.client import connect
from interlock.plan.plan import from_json
from interlock_activities.registry import Activities
from interlock_activities.settings import Settings
from interlock_workflows.plugin import interlock_plugin
from interlock_workflows.service import leave, serve


async def main(address, queue, plans):
    activities = Activities(Settings(plans=plans, allow_addresses=("127.0.0.0/8",)))
    client = await connect(address, plugins=[interlock_plugin(activities.callables)])
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    await serve(client, {plan.name: plan.digest for plan in plans}, stop, task_queue=queue)


read = tuple(from_json(line) for line in Path(sys.argv[3]).read_text().splitlines())
asyncio.run(main(sys.argv[1], sys.argv[2], read))
leave()
