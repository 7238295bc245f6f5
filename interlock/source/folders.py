"""Where bundles are: the folders that hold YAML files. Reads no file."""

import os
from collections.abc import Sequence
from pathlib import Path

YAML_ENDINGS = (".yaml", ".yml")


def find_bundles(paths: Sequence[Path]) -> list[Path]:
    """The bundle folders that `paths` mean: each a bundle, a folder of bundles, or one YAML file of a bundle.

    A path that leads to no YAML file stands for itself, so that reading it says what is wrong.
    """
    return [Path(name) for name in bundle_names(paths)]


def bundle_names(paths: Sequence[Path]) -> list[str]:
    """The same as plain text: a thousand paths would take longer to make than the folders to look at."""
    found: dict[str, None] = {}
    for path in paths:
        folder = path.parent if is_yaml(path.name) and path.is_file() else path
        found |= dict.fromkeys(_bundles_in(os.fspath(folder)) or [os.fspath(path)])
    return list(found)


def is_yaml(name: str) -> bool:
    """Whether a file of this name is read as a spec."""
    return name.lower().endswith(YAML_ENDINGS) and not name.startswith(".")


def _bundles_in(folder: str) -> list[str]:
    """The folder itself if it holds YAML files, else the bundles in its folders."""
    try:
        with os.scandir(folder) as entries:
            visible = sorted((one for one in entries if not one.name.startswith(".")), key=lambda entry: entry.name)
    except OSError:
        return []
    if any(is_yaml(entry.name) for entry in visible):
        return [folder]
    inner = [entry.name for entry in visible if entry.is_dir(follow_symlinks=False)]
    within = "" if folder == os.curdir else os.path.join(folder, "")  # noqa: PTH118 - as text, for speed
    return [bundle for name in inner for bundle in _bundles_in(within + name)]
