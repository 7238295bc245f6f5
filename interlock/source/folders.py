"""Where bundles are: the folders that hold YAML files. Reads no file."""

import os
from collections.abc import Sequence
from pathlib import Path

YAML_ENDINGS = (".yaml", ".yml")


def find_bundles(paths: Sequence[Path]) -> list[Path]:
    """The bundle folders that `paths` mean: each a bundle, a folder of bundles, or one YAML file of a bundle.

    A path that leads to no YAML file stands for itself, so that reading it says what is wrong.
    """
    found: dict[Path, None] = {}
    for path in paths:
        folder = path.parent if is_yaml(path.name) and path.is_file() else path
        found |= dict.fromkeys(_bundles_in(folder) or [path])
    return list(found)


def is_yaml(name: str) -> bool:
    """Whether a file of this name is read as a spec."""
    return name.lower().endswith(YAML_ENDINGS) and not name.startswith(".")


def _bundles_in(folder: Path) -> list[Path]:
    """The folder itself if it holds YAML files, else the bundles in its folders."""
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return []
    visible = [entry for entry in entries if not entry.name.startswith(".")]
    if any(is_yaml(entry.name) for entry in visible):
        return [folder]
    folders = (entry for entry in visible if entry.is_dir(follow_symlinks=False))
    return [bundle for entry in folders for bundle in _bundles_in(Path(entry.path))]
