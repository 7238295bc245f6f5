"""What an MCP server offers, read once: for importing it."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from interlock.contract.calls import Json
from interlock_activities.addresses import AddressRules, required_url
from interlock_activities.failures import Failure, failed
from interlock_activities.mcp_connection import Endpoint, connected
from interlock_activities.mcp_process import Program, inherited


@dataclass(frozen=True, slots=True)
class Listing:
    """The tools of a server, as it describes them, and what it calls itself."""

    called: str
    tools: list[Json]


@dataclass(frozen=True, slots=True)
class NoListing(Exception):  # noqa: N818 - a value that is raised, as Failure is
    """Why there is none, and the last that a program said on standard error."""

    failure: Failure
    said: str = ""


def of_program(command: tuple[str, ...], environ: Mapping[str, str], names: tuple[str, ...]) -> Program:
    """A program that sees the usual variables, and those that are named."""
    given = {name: environ[name] for name in names}
    return Program(command, inherited(environ) | given, tuple(given.values()))


def of_url(url: str, token: str) -> Endpoint:
    """An endpoint, and the bearer token for it, if there is one. Raises Failure for what is no address."""
    return Endpoint(required_url(url), {"authorization": f"Bearer {token}"} if token else {})


async def listing(target: Program | Endpoint, rules: AddressRules, ca_file: str, seconds: float) -> Listing:
    """What the server offers. Raises NoListing."""
    try:
        async with asyncio.timeout(seconds) as deadline:
            async with connected(target, rules, ca_file, asyncio.Event(), lambda: None) as connection:
                tools = await connection.definitions()
                info = connection.session.server_info
            return Listing(f"{info.title or info.name} {info.version}".strip() if info else "", tools)
    except Failure as failure:
        raise NoListing(failure, _said(target)) from None
    except TimeoutError:
        if not deadline.expired():
            raise
        raise NoListing(failed(f"no list of tools within {seconds:g} s"), _said(target)) from None


def _said(target: Program | Endpoint) -> str:
    return target.last_words if isinstance(target, Program) else ""
