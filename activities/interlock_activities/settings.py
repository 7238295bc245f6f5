"""What the activities of a worker are given at its start."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from interlock.contract.calls import Json
from interlock.plan.plan import Plan
from interlock_activities.models.chat import ChatProvider


@dataclass(frozen=True, slots=True)
class Settings:
    """What to serve, and with what.

    - `store`: folder of the content-addressed plan store; none keeps only the plans given.
    - `values`: folder of the values that stay outside runs; without it no tool may have any.
    - `env` is read by `{{ env.X }}` and `secrets` by `{{ secrets.X }}`, each under that very name.
    - `allow_addresses`: networks in CIDR form that are allowed although the address rules refuse them.
    - `ca_file`: PEM file of the authorities that servers are verified against, instead of the public ones.
    - `data`: folder that the files of SQLite servers lie in.
    - `functions`: Python tools beside those that packages declare as entry points.
    - `models`: what the scripted provider says, a list of replies for each role.
    - `providers`: providers of models beside those that packages declare as entry points.
    """

    plans: tuple[Plan, ...] = ()
    store: Path | None = None
    values: Path | None = None
    env: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    secrets: Mapping[str, str] = field(default_factory=lambda: os.environ)
    allow_addresses: tuple[str, ...] = ()
    ca_file: str = ""
    data: Path = Path("data")
    functions: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    models: Mapping[str, Sequence[Json]] = field(default_factory=dict)
    providers: Mapping[str, ChatProvider] = field(default_factory=dict)


def settings_from(environ: Mapping[str, str], plans: Iterable[Plan]) -> Settings:
    """Settings from `INTERLOCK_PLAN_STORE`, `…_VALUE_STORE`, `…_ALLOW_ADDRESSES` (commas), `…_CA_FILE`, `…_DATA`."""
    store, values = environ.get("INTERLOCK_PLAN_STORE", ""), environ.get("INTERLOCK_VALUE_STORE", "")
    allowed = environ.get("INTERLOCK_ALLOW_ADDRESSES", "").split(",")
    return Settings(
        plans=tuple(plans),
        store=Path(store) if store else None,
        values=Path(values) if values else None,
        env=dict(environ),
        secrets=environ,
        allow_addresses=tuple(network.strip() for network in allowed if network.strip()),
        ca_file=environ.get("INTERLOCK_CA_FILE", ""),
        data=Path(environ.get("INTERLOCK_DATA") or "data"),
    )
