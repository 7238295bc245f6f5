"""The command line. One module a command, imported only when that command is asked for."""

import importlib
import os
import sys
from keyword import iskeyword
from typing import NoReturn

import click

import interlock

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
    "dev": "run an embedded Temporal server and a worker",
    "worker": "run the worker alone, against a cluster",
    "schema": "write the JSON Schema for editors",
    "import": "write a Library from the description of a service",
}

INTERRUPTED = 130
FAULT = 3


class Commands(click.Group):
    """Knows every command by name and loads the one that is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """The names in the order in which people need them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        """The command of that name, imported now."""
        if name not in COMMANDS:
            return None
        module = f"{name}_" if iskeyword(name) else name
        command = importlib.import_module(f"interlock.cli.{module}").command
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that is called; an unknown one gets a near name."""
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            from interlock.cli.names import near_or_all

            raise click.UsageError(f"no command is called {name!r}. {near_or_all(name, COMMANDS)}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click gives it
        """The list for `--help`, without importing anything."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Example: interlock check specs",
)
@click.version_option(interlock.__version__, prog_name="interlock")
@click.pass_context
def root(context: click.Context) -> None:
    """Declarative rules and workflows that compile to a checked plan and run on Temporal."""
    if os.environ.get("NO_COLOR"):
        context.color = False


def main() -> NoReturn:
    """Run the command line. Exit codes: 0 done, 1 the answer is no, 2 wrong usage, 3 a fault of ours, 130 Ctrl-C."""
    _end(_run())


def _run() -> int:
    try:
        code = root.main(prog_name="interlock", standalone_mode=False)
    except click.ClickException as problem:
        problem.show()
        return problem.exit_code
    except click.Abort:
        return INTERRUPTED
    except SystemExit as end:  # click itself: nobody reads our output any more
        return end.code if isinstance(end.code, int) else 1
    except Exception as fault:  # noqa: BLE001 - the last line of defence: say what to report, exit 3
        import traceback

        traceback.print_exception(fault)
        click.echo("\nThis is a fault of interlock itself, not of your specs. Please report the lines above.", err=True)
        return FAULT
    return code if isinstance(code, int) else 0


def _end(code: int) -> NoReturn:
    """End the process; one that has talked to Temporal must not tear the interpreter down under Temporal's threads."""
    if "temporalio" in sys.modules:
        from interlock_workflows.service import leave

        leave(code)
    sys.exit(code)
