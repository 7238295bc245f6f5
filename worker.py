"""Serves the bundles of a folder from a Temporal task queue. Copy it and change it.

Address, namespace, TLS and key come from Temporal's environment configuration (TEMPORAL_ADDRESS …). Ours:
INTERLOCK_SPECS (specs), INTERLOCK_TASK_QUEUE (interlock), INTERLOCK_PLAN_STORE (.interlock/plans),
INTERLOCK_VALUE_STORE (.interlock/values), INTERLOCK_GRACEFUL_SECONDS (10), INTERLOCK_CONNECT_SECONDS (60); what the
activities read stands in `interlock_activities.settings`.
"""

import asyncio
import sys
from pathlib import Path

import click

from interlock.cli.bundles import folders
from interlock.cli.logs import log_as_json
from interlock.cli.serving import environment, serve_until_stopped, settings_for, sound_plans
from interlock.client.errors import InterlockError
from interlock_workflows.service import leave


def main() -> None:
    """Compile the specs, refuse to start if any is wrong, and serve until told to stop."""
    log_as_json()
    environ = environment()
    served = [Path(environ["INTERLOCK_SPECS"])]
    settings = settings_for(environ, sound_plans(served), folders(served))
    asyncio.run(serve_until_stopped(settings, environ))


if __name__ == "__main__":
    try:
        main()
    except click.ClickException as problem:
        sys.exit(problem.format_message())
    except InterlockError as problem:
        sys.exit(str(problem))
    leave()
