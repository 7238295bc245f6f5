"""`interlock worker`: serves specs from a task queue of a Temporal cluster."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click

from interlock.cli.bundles import folders, paths_argument
from interlock.cli.failing import told_plainly


@click.command("worker", epilog="Example: TEMPORAL_ADDRESS=temporal.internal:7233 interlock worker specs")
@paths_argument
@told_plainly
def command(paths: tuple[Path, ...]) -> None:
    """Serve the bundles under PATHS (default: INTERLOCK_SPECS, or specs) until SIGTERM or Ctrl-C.

    Address, namespace, TLS and key come from Temporal's environment configuration. The worker refuses to start on
    specs with errors, and lets what runs finish before it stops.
    """
    from interlock.cli.logs import log_as_json
    from interlock.cli.serving import environment, serve_until_stopped, settings_for, sound_plans

    log_as_json()
    environ = environment()
    served = paths or (Path(environ["INTERLOCK_SPECS"]),)
    plans = sound_plans(served)
    asyncio.run(serve_until_stopped(settings_for(environ, plans, folders(served)), environ))
