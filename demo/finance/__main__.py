"""`python -m demo.finance [FOLDER]`: make `finance-facts.db` in the data folder of a worker."""

import contextlib
import os
import sqlite3
import sys
from pathlib import Path

SEED = Path(__file__).with_name("seed.sql")


def make(folder: Path) -> Path:
    """The file in `folder`, with the figures of the seed and no others."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "finance-facts.db"
    with contextlib.closing(sqlite3.connect(file)) as database, database:
        database.executescript(SEED.read_text(encoding="utf-8"))
    return file


if __name__ == "__main__":
    print(make(Path(sys.argv[1] if len(sys.argv) > 1 else os.environ.get("INTERLOCK_DATA", "data"))))
