"""`interlock import mcp`: a Library from the tools that an MCP server offers, to be reviewed."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Sequence

    from interlock.authoring.importing import Imported
    from interlock.source.written import Block

LINES_SHOWN = 5


def imported(
    name: str,
    server: str,
    only: Sequence[str],
    *,
    command: str,
    names: Sequence[str],
    url: str,
    token: str,
    wait: float,
) -> Imported:
    """The Library of a server that is started by `command` or reached by `url`. Raises ClickException."""
    try:
        from interlock.authoring.importing.mcp_library import NothingToImportError, import_mcp
        from interlock_activities import mcp_listing
    except ImportError as error:
        raise click.ClickException("MCP needs the extra: pip install 'interlock-engine[mcp]'") from error
    import asyncio

    from interlock_activities.addresses import AddressRules
    from interlock_activities.failures import Failure
    from interlock_activities.settings import settings_from

    words = _words(command)
    missing = [one for one in (*names, *([token] if token else [])) if not os.environ.get(one)]
    if missing:
        raise click.ClickException(f"environment variable {missing[0]!r} is not set.")
    settings = settings_from(os.environ, ())
    try:
        target = (
            mcp_listing.of_program(words, os.environ, tuple(names))
            if words
            else mcp_listing.of_url(url, os.environ.get(token, ""))
        )
        rules = AddressRules(settings.allow_addresses)
        found = asyncio.run(mcp_listing.listing(target, rules, settings.ca_file, wait))
        source = f"{found.called or 'a server'}, an MCP server ({shlex.join(words) or target.name})"
        return import_mcp(
            found.tools, _server(words, names, url, token), name=name, source=source, called=server, only=only
        )
    except Failure as failure:
        raise click.ClickException(f"{failure}.") from None
    except mcp_listing.NoListing as problem:
        raise click.ClickException(_told(problem.failure.message, problem.said)) from None
    except NothingToImportError as problem:
        raise click.ClickException(f"{problem}.") from None


def _words(command: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(command))
    except ValueError as problem:
        raise click.UsageError(f"--command: {str(problem).lower()}.") from None


def _server(words: Sequence[str], names: Sequence[str], url: str, token: str) -> Block:
    """The keys of the server in the Library; what the shell's variables hold stays out of it."""
    from interlock.source.written import Block

    if not words:
        server = Block([("mcp", Block([("url", url)], flat=True))])
        if token:
            server["auth"] = Block([("bearer", f"{{{{ secrets.{token} }}}}")], flat=True)
        return server
    mcp = Block([("command", list(words))], flat=True)
    if names:
        mcp["env"] = Block([(name, f"{{{{ secrets.{name} }}}}") for name in names], flat=True)
    return Block([("mcp", mcp)])


def _told(why: str, said: str) -> str:
    """The reason, and the last lines that the program wrote for whoever started it."""
    from interlock.cli.excerpts import printable

    lines = [printable(line) for line in said.splitlines() if line.strip()][-LINES_SHOWN:]
    return f"{why}." + "".join(f"\n  | {line}" for line in lines)
