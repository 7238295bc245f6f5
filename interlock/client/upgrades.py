"""Telling open sessions that a deployment has another plan for them; each decides by its own plan when to take it."""

from collections.abc import Mapping

from temporalio.client import Client
from temporalio.service import RPCError, RPCStatusCode

from interlock.client.attributes import DIGEST, SPEC


async def offer_plans(client: Client, digests: Mapping[str, str]) -> int:
    """Signal `upgrade` to every running session whose plan is not its spec's in `digests`; gives their number."""
    offered = 0
    for name, digest in digests.items():
        stale = f"{SPEC.name} = '{name}' AND {DIGEST.name} != '{digest}' AND ExecutionStatus = 'Running'"
        async for run in client.list_workflows(stale):
            try:
                await client.get_workflow_handle(run.id).signal("upgrade", {"digest": digest})
            except RPCError as error:
                if error.status is not RPCStatusCode.NOT_FOUND:  # it has ended since
                    raise
            else:
                offered += 1
    return offered
