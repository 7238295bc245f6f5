"""The command line. One module a command, imported only when that command is asked for."""

import sys
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from interlock.cli.group import root

__all__ = ["COMMANDS", "main", "root"]

COMMANDS = {
    "check": "find every mistake in specs, without running them",
    "test": "run suites offline",
    "graph": "draw an agent as Mermaid",
    "explain": "say what the rules decide for a message, and why",
    "plan": "show the compiled plan and its digest",
    "chat": "talk to an agent in the terminal",
    "run": "start a procedure and follow it",
    "retry": "let a procedure that stands still go on",
    "cancel": "end a procedure",
    "record": "print what a run did, and where every value came from",
    "audit": "print six figures of real runs: can every value be traced",
    "index": "make the documents of specs searchable",
    "memory": "show or delete what is remembered of a person",
    "dev": "run an embedded Temporal server and a worker",
    "worker": "run the worker alone, against a cluster",
    "schema": "write the JSON Schema for editors",
    "import": "write a Library from the description of a service",
}

DEFAULT_FOLDER = "specs"
"""Where bundles are looked for when no path is given."""

INTERRUPTED = 130
FAULT = 3


def __getattr__(name: str) -> Any:
    """`root`, with click behind it, for whoever asks."""
    if name != "root":
        raise AttributeError(name)
    from interlock.cli.group import root

    return root


def main() -> NoReturn:
    """Run the command line. Exit codes: 0 done, 1 the answer is no, 2 wrong usage, 3 a fault of ours, 130 Ctrl-C."""
    if sys.argv[1:2] == ["check"]:
        from interlock.cli.unchanged import told

        try:
            if told(sys.argv[2:]):
                _end(0)
        except KeyboardInterrupt:
            _end(INTERRUPTED)
    from interlock.cli.group import run

    _end(run())


def _end(code: int) -> NoReturn:
    """End the process; one that has talked to Temporal must not tear the interpreter down under Temporal's threads."""
    if "temporalio" in sys.modules:
        from interlock_workflows.service import leave

        leave(code)
    sys.exit(code)
