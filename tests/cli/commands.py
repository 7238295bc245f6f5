"""The command line as a process of its own."""

import os
import sys

COMMAND = [sys.executable, "-c", "import sys; from interlock import cli; sys.argv[0] = 'interlock'; cli.main()"]


def environment(**more):
    """What the process finds in its environment: nothing that is meant for this one."""
    known = {name: value for name, value in os.environ.items() if not name.startswith(("TEMPORAL_", "INTERLOCK_"))}
    return known | more
