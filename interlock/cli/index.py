"""`interlock index`: makes the documents of retrievers searchable, so that no worker has to do it when it is asked."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from typing import TYPE_CHECKING

import click

from interlock.cli.bundles import paths_argument, shown, sound_bundles
from interlock.cli.excerpts import printable
from interlock.cli.names import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from interlock.compiler import Compiled
    from interlock_activities.retrieval.ingestion import Progress, Shelf, Summary
    from interlock_activities.retrieval.store import Store

MOST_NAMED = 20
"""Files that were left out, named one by one."""


@click.command("index", epilog="Example: interlock index specs")
@paths_argument
@click.option("--rebuild", is_flag=True, help="Read every file again, changed or not, and build the indexes anew.")
def command(paths: tuple[Path, ...], rebuild: bool) -> None:
    """Bring the indexes of all retrievers with documents under PATHS (default: specs) up to date.

    Only files that have changed are read. Workers go on with the old index until the new one is whole. Where the
    indexes lie is said by INTERLOCK_INDEX.

    Exit code 0: done. 1: the specs have errors, or an index could not be made. 2: wrong usage. 3: a fault of ours.
    """
    shelves = _shelves(sound_bundles(paths))
    if not shelves:
        click.echo("no retriever has documents")
        return
    sound = asyncio.run(_indexed(shelves, rebuild=rebuild))
    click.get_current_context().exit(0 if sound else 1)


def _shelves(found: Iterable[tuple[Path, Compiled]]) -> Mapping[str, Shelf]:
    """What is to be indexed, by the name of the index. Two bundles of one name would share theirs."""
    from interlock_activities.retrieval.folders import index_name
    from interlock_activities.retrieval.ingestion import Shelf
    from interlock_activities.retrieval.parsers import Parsers

    shelves: dict[str, Shelf] = {}
    for folder, bundle in found:
        for retriever in bundle.retrievers:
            if retriever.kind != "documents":
                continue
            shelf = Shelf(
                index_name(retriever.bundle, retriever.documents),
                folder.resolve() / retriever.documents,
                Parsers(),
            )
            other = shelves.setdefault(shelf.index, shelf)
            if other.folder != shelf.folder:
                where = f"{shown(other.folder)} and {shown(shelf.folder)}"
                raise click.ClickException(f"two bundles are called {retriever.bundle!r}: {where}; rename one of them.")
    return shelves


async def _indexed(shelves: Mapping[str, Shelf], *, rebuild: bool) -> bool:
    """Whether every index was made."""
    from interlock_activities.retrieval.failing import RetrievalError
    from interlock_activities.retrieval.opening import opened
    from interlock_activities.settings import settings_from

    try:
        store = opened(settings_from(os.environ, ()))
    except RetrievalError as problem:
        raise click.ClickException(f"{problem}.") from problem
    try:
        return all([await _one(store, shelf, rebuild=rebuild) for shelf in shelves.values()])
    finally:
        await store.aclose()


async def _one(store: Store, shelf: Shelf, *, rebuild: bool) -> bool:
    from interlock_activities.retrieval.ingestion import refresh
    from interlock_activities.retrieval.store import StoreError

    try:
        summary = await refresh(store, shelf, anew=rebuild, tell=_progress(shelf.index))
    except (StoreError, OSError) as problem:
        _clear()
        said = problem.strerror if isinstance(problem, OSError) else str(problem)
        click.echo(f"{shelf.index}: {said}", err=True)
        return False
    _clear()
    if summary.damage:
        click.echo(f"{shelf.index}: the index was damaged and has been built anew", err=True)
    click.echo(_line(shelf.index, summary))
    for path, reason in summary.skipped[:MOST_NAMED]:
        click.echo(f"  left out: {printable(path)}: {printable(reason)}")
    if len(summary.skipped) > MOST_NAMED:
        click.echo(f"  left out: {counted(len(summary.skipped) - MOST_NAMED, 'more file')}")
    return True


def _line(index: str, summary: Summary) -> str:
    counts = [counted(summary.files, "file")]
    if summary.written:
        counts.append(f"{summary.written:,} read, {counted(summary.passages, 'passage')} made")
    if summary.removed:
        counts.append(f"{summary.removed:,} removed")
    if not summary.written and not summary.removed:
        counts.append("nothing has changed")
    return f"{index}: {', '.join(counts)}, in {summary.seconds:.2f} s"


def _progress(index: str) -> Progress:
    def tell(done: int, of: int) -> None:
        if sys.stderr.isatty():
            text = f"\r{index}: {done:,} of {of:,} files"
            click.echo(text[: shutil.get_terminal_size().columns], nl=False, err=True)

    return tell


def _clear() -> None:
    if sys.stderr.isatty():
        click.echo("\r\x1b[2K", nl=False, err=True)
