"""`interlock import`: a Library from the description of a service that others wrote, to be reviewed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from interlock.cli.formats import text
from interlock.cli.names import counted
from interlock.cli.output import write

if TYPE_CHECKING:
    from interlock.authoring.importing import Imported

STDOUT = "-"

output_option = click.option(
    "--output", "-o", default=STDOUT, metavar="FILE", help="Write to this file; - is the terminal."
)
force_option = click.option("--force", is_flag=True, help="Write over a file that is there.")


@click.group("import", epilog="Example: interlock import openapi service.yaml --output specs/desk/service.yaml")
def command() -> None:
    """Write a Library from the description of a service, for you to review.

    `interlock import openapi FILE` reads OpenAPI 2.0, 3.0 or 3.1, as JSON or YAML; `interlock import mcp NAME` asks
    an MCP server for its tools.
    """


@command.command("openapi", epilog="Example: interlock import openapi service.yaml --only 'GET /orders*' --output -")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--name", default="", help="Name of the Library; by default that of the service.")
@output_option
@click.option("--server", default="", help="Name of the server; by default that of the Library.")
@click.option(
    "--only",
    multiple=True,
    metavar="PATTERN",
    help="Only operations whose name, operationId, path, or method and path fit, such as 'GET /orders*'; repeatable.",
)
@force_option
def openapi(file: Path, name: str, output: str, server: str, only: tuple[str, ...], force: bool) -> None:
    """Write a Library from the OpenAPI document FILE: 2.0, 3.0 or 3.1, JSON or YAML.

    Nothing is fetched: a `$ref` that leads out of the document is an error. No argument has a source yet, and
    `interlock check` asks for each.
    """
    from interlock.authoring.importing import import_openapi

    _named(name, server)
    _free(output, force=force)
    made = import_openapi(_content(file), str(file), name=name, server=server, only=only)
    if made.findings:
        click.echo(text(made.findings), err=True)
        click.echo(f"\n{counted(len(made.findings), 'error')}: nothing was written", err=True)
        click.get_current_context().exit(1)
    _finished(made, output, "operation")


@command.command("mcp", epilog="Example: interlock import mcp desk --command 'python -m desk_server' -o desk.yaml")
@click.argument("name")
@click.option("--command", default="", help="Start the server with this command.")
@click.option(
    "--env",
    multiple=True,
    metavar="NAME",
    help="A variable of this shell that the command needs; the Library says `{{ secrets.NAME }}`. Repeatable.",
)
@click.option("--url", default="", help="Ask the server at this URL, over streamable HTTP.")
@click.option("--token", default="", metavar="NAME", help="The variable of this shell that holds its bearer token.")
@output_option
@click.option("--server", default="", help="Name of the server; by default that of the Library.")
@click.option(
    "--only", multiple=True, metavar="PATTERN", help="Only tools whose name fits, such as 'get_*'; repeatable."
)
@click.option("--wait", default=60.0, metavar="SECONDS", show_default=True, help="How long the server may take.")
@force_option
def mcp(
    name: str,
    command: str,
    env: tuple[str, ...],
    url: str,
    token: str,
    output: str,
    server: str,
    only: tuple[str, ...],
    wait: float,
    force: bool,
) -> None:
    """Write the Library NAME from the tools that an MCP server offers.

    The server is started or reached, and asked for its list of tools; none of them is called. No argument has a source
    yet, and `interlock check` asks for each.
    """
    from interlock.cli.import_mcp import imported

    _named(name, server)
    if bool(command.strip()) == bool(url):
        raise click.UsageError("Say --command or --url.")
    if (env and url) or (token and command):
        raise click.UsageError("--env is for --command, and --token for --url.")
    _free(output, force=force)
    made = imported(name, server, only, command=command, names=env, url=url, token=token, wait=wait)
    _finished(made, output, "tool")


def _free(output: str, *, force: bool) -> None:
    if output != STDOUT and Path(output).exists() and not force:
        raise click.ClickException(f"{output} is there already. Name another file, or say --force.")


def _finished(made: Imported, output: str, what: str) -> None:
    """Write the Library, and say what is left to do."""
    if output == STDOUT:
        click.echo(made.text, nl=False)
    else:
        write(Path(output), made.text)
    left = f"; {counted(made.left_out, what)} left out" if made.left_out else ""
    told = f"{counted(made.tools, 'tool')}, {counted(made.arguments, 'argument')} to give a source{left}"
    click.echo(told, err=True)


def _content(file: Path) -> bytes:
    """The document, one byte beyond the cap at most."""
    from interlock.source.foreign import MOST_BYTES

    try:
        with file.open("rb") as opened:
            return opened.read(MOST_BYTES + 1)
    except OSError as error:
        raise click.ClickException(f"cannot read {file}: {error.strerror}.") from error


def _named(name: str, server: str) -> None:
    """Wrong usage unless the names can stand in a spec."""
    import re

    from interlock.spec.patterns import NAME, SPEC_NAME

    if name and not re.search(SPEC_NAME, name):
        raise click.UsageError("the name of a Library is kebab-case: small letters, digits and -.")
    if server and not re.search(NAME, server):
        raise click.UsageError("--server is snake_case: small letters, digits and _.")
