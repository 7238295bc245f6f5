"""Turns the typed errors of client and server into one line for people and exit code 1."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, ParamSpec, TypeVar

import click

if TYPE_CHECKING:
    from collections.abc import Callable

P = ParamSpec("P")
R = TypeVar("R")


def told_plainly(command: Callable[P, R]) -> Callable[P, R]:
    """For commands that talk to a server: its typed errors end the command with their message."""

    @functools.wraps(command)
    def wrapped(*args: P.args, **options: P.kwargs) -> R:
        from interlock.cli.server import ServerStartError
        from interlock.client.errors import InterlockError

        try:
            return command(*args, **options)
        except (InterlockError, ServerStartError) as problem:
            raise click.ClickException(str(problem)) from problem

    return wrapped
