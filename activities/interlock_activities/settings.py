"""What the activities of a worker are given at its start."""

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from interlock.plan.plan import Plan


@dataclass(frozen=True, slots=True)
class Settings:
    """What to serve, and with what.

    - `store`: folder of the content-addressed plan store; none keeps only the plans given.
    - `values`: folder of the values that stay outside runs; without it no tool may have any.
    - `env` is read by `{{ env.X }}` and `secrets` by `{{ secrets.X }}`, each under that very name.
    - `allow_addresses`: networks in CIDR form that are allowed although the address rules refuse them.
    - `ca_file`: PEM file of the authorities that servers are verified against, instead of the public ones.
    - `data`: folder that the files of SQLite servers lie in.
    - `mcp_commands`: commands that MCP servers may be started with, each by its first words.
    - `functions`: Python tools beside those that packages declare as entry points.
    """

    plans: tuple[Plan, ...] = ()
    store: Path | None = None
    values: Path | None = None
    env: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    secrets: Mapping[str, str] = field(default_factory=lambda: os.environ)
    allow_addresses: tuple[str, ...] = ()
    ca_file: str = ""
    data: Path = Path("data")
    mcp_commands: tuple[str, ...] = ()
    functions: Mapping[str, Callable[..., Any]] = field(default_factory=dict)


def settings_from(environ: Mapping[str, str], plans: Iterable[Plan]) -> Settings:
    """Settings from `INTERLOCK_PLAN_STORE`, `…_VALUE_STORE`, `…_CA_FILE`, `…_DATA`, and lists with commas:

    `…_ALLOW_ADDRESSES`, `…_MCP_COMMANDS`.
    """
    store, values = environ.get("INTERLOCK_PLAN_STORE", ""), environ.get("INTERLOCK_VALUE_STORE", "")
    return Settings(
        plans=tuple(plans),
        store=Path(store) if store else None,
        values=Path(values) if values else None,
        env=dict(environ),
        secrets=environ,
        allow_addresses=_listed(environ.get("INTERLOCK_ALLOW_ADDRESSES", "")),
        ca_file=environ.get("INTERLOCK_CA_FILE", ""),
        data=Path(environ.get("INTERLOCK_DATA") or "data"),
        mcp_commands=_listed(environ.get("INTERLOCK_MCP_COMMANDS", "")),
    )


def _listed(text: str) -> tuple[str, ...]:
    return tuple(item.strip() for item in text.split(",") if item.strip())
