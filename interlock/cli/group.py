"""The command line as click has it: its commands, each imported only when it is asked for."""

import importlib
import os
from keyword import iskeyword

import click

import interlock
from interlock.cli import COMMANDS, FAULT, INTERRUPTED


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


def run() -> int:
    """Run what the command line asks for; the exit code."""
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
