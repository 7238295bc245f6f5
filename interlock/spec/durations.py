"""Durations as authors write them: `500ms 30s 20m 4h 7d`."""

import re

_UNITS = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
_FORM = re.compile(r"(\d{1,9})(ms|s|m|h|d)", re.ASCII)


def milliseconds(text: str) -> int:
    """Length of a duration in milliseconds. Raises `ValueError` if it is none."""
    if not (match := _FORM.fullmatch(text)):
        raise ValueError(f"not a duration: {text!r}")
    return int(match[1]) * _UNITS[match[2]]


def is_duration(text: str) -> bool:
    """Whether `text` is written as a duration."""
    return _FORM.fullmatch(text) is not None
