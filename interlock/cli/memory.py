"""`interlock memory`: shows how much is remembered of a person, and forgets it."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

import click

from interlock.cli.excerpts import printable
from interlock.cli.names import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

    from interlock.contract.memory import Person
    from interlock_activities.memory.store import MemoryStore

    Held = dict[Person, int]

agent_option = click.option("--agent", default="", help="Only what this agent remembers.")
tenant_option = click.option("--tenant", help="Only under this tenant; an empty one is that of people without any.")


@click.group("memory", epilog="Example: interlock memory forget u-17")
def command() -> None:
    """Look after what agents remember of people: in the file or database that INTERLOCK_MEMORY names."""


@command.command("show", epilog="Example: interlock memory show u-17 --agent parcel-desk")
@click.argument("person")
@agent_option
@tenant_option
def show(person: str, agent: str, tenant: str | None) -> None:
    """Say how much is remembered of PERSON, the value of the attribute that `memory` names; its words are not shown."""
    _tell(_with_store(lambda store: store.held(person, agent, tenant)), "remembered")


@command.command("forget", epilog="Example: interlock memory forget u-17")
@click.argument("person")
@agent_option
@tenant_option
def forget(person: str, agent: str, tenant: str | None) -> None:
    """Delete all that is remembered of PERSON. A conversation that goes on may leave something new."""
    _tell(_with_store(lambda store: store.forget(person, agent, tenant)), "forgotten")


def _tell(found: Held, done: str) -> None:
    for person, rows in sorted(found.items(), key=lambda one: (one[0].agent, one[0].by, one[0].tenant)):
        under = f", tenant {printable(person.tenant)}" if person.tenant else ""
        of = f"{person.agent}, {person.by} {printable(person.value)}{under}"
        click.echo(f"{of}: {counted(rows, 'row')} {done}")
    if not found:
        click.echo("nothing is remembered")


def _with_store(use: Callable[[MemoryStore], Coroutine[Any, Any, Held]]) -> Held:
    from interlock_activities.memory.opening import opened
    from interlock_activities.memory.store import MemoryStoreError
    from interlock_activities.settings import settings_from

    async def done() -> Held:
        store = opened(settings_from(os.environ, ()))
        try:
            return await use(store)
        finally:
            await store.aclose()

    try:
        return asyncio.run(done())
    except MemoryStoreError as problem:
        raise click.ClickException(f"{problem}.") from problem
