"""The command line. One module a command, imported only when that command is asked for."""

import importlib
import sys

import click

import interlock

COMMANDS = {
    "check": "find every mistake in specs, without running them",
    "test": "run suites offline",
    "graph": "draw an agent as Mermaid",
    "explain": "say what the rules decide for a message, and why",
    "plan": "show the compiled plan and its digest",
    "chat": "talk to an agent in the terminal",
    "dev": "run an embedded Temporal server and a worker",
    "worker": "run the worker alone, against a cluster",
    "schema": "write the JSON Schema for editors",
}


class Commands(click.Group):
    """Knows every command by name and loads the one that is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """The names in the order in which people need them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        """The command of that name, imported now."""
        if name not in COMMANDS:
            return None
        command = importlib.import_module(f"interlock.cli.{name}").command
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click gives it
        """The list for `--help`, without importing anything."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(interlock.__version__, prog_name="interlock")
def root() -> None:
    """Declarative rules and workflows that compile to a checked plan and run on Temporal."""


def main() -> None:
    """Run the command line. Exit codes: 0 done, 1 the answer is no, 2 wrong usage, 3 a fault of ours."""
    try:
        root(prog_name="interlock")
    except (KeyboardInterrupt, BrokenPipeError):
        sys.exit(130)
    except Exception as fault:  # noqa: BLE001 - the last line of defence: say what to report, exit 3
        import traceback

        traceback.print_exception(fault)
        click.echo("\nThis is a fault of interlock itself, not of your specs. Please report the lines above.", err=True)
        sys.exit(3)
