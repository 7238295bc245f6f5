"""What the activities of a worker are given at its start."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from interlock.contract.calls import Json
from interlock.plan.plan import Plan
from interlock_activities.models.chat import ChatProvider

if TYPE_CHECKING:
    from interlock_activities.retrieval.documents import Parser
    from interlock_activities.retrieval.embedding import Embedder


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
    - `functions`, `retrievers`: Python tools and retrievers beside those that packages declare as entry points.
    - `models`: what the scripted provider says, a list of replies for each role.
    - `providers`: providers of models beside those that packages declare as entry points.
    - `bundles`: folders of the bundles, whose documents are searched; `parsers`: more of them, by ending (`.pdf`).
    - `index`: folder of the indexes of documents, or the address of a PostgreSQL database with user and password.
    - `memory`: file of what is remembered of people, or the address of a database, likewise.
    - `embeddings`, `embeddings_model`, `embeddings_key`: endpoint, model and key that embed passages in PostgreSQL;
      or an `embedder` of your own.
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
    models: Mapping[str, Sequence[Json]] = field(default_factory=dict)
    providers: Mapping[str, ChatProvider] = field(default_factory=dict)
    bundles: tuple[Path, ...] = ()
    retrievers: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    parsers: "Mapping[str, Parser]" = field(default_factory=dict)
    index: str = field(default=".interlock/index", repr=False)
    memory: str = field(default=".interlock/memory.db", repr=False)
    embeddings: str = ""
    embeddings_model: str = ""
    embeddings_key: str = field(default="", repr=False)
    embedder: "Embedder | None" = None


def settings_from(environ: Mapping[str, str], plans: Iterable[Plan], bundles: Iterable[Path] = ()) -> Settings:
    """Settings from the variables of the environment that begin with `INTERLOCK_`; lists are divided by commas."""
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
        bundles=tuple(bundles),
        index=environ.get("INTERLOCK_INDEX") or ".interlock/index",
        memory=environ.get("INTERLOCK_MEMORY") or ".interlock/memory.db",
        embeddings=environ.get("INTERLOCK_EMBEDDINGS", ""),
        embeddings_model=environ.get("INTERLOCK_EMBEDDINGS_MODEL", ""),
        embeddings_key=environ.get("INTERLOCK_EMBEDDINGS_KEY", ""),
    )


def _listed(text: str) -> tuple[str, ...]:
    return tuple(item.strip() for item in text.split(",") if item.strip())
