"""Values of options that take JSON."""

from __future__ import annotations

import json
from typing import Any

import click


def json_object(text: str, option: str) -> dict[str, Any]:
    """The JSON object given to an option; wrong usage if it is none."""
    try:
        value = json.loads(text)
    except ValueError as error:
        raise click.UsageError(f"{option} is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise click.UsageError(f'{option} takes a JSON object, such as {{"locale": "zh"}}.')
    return value
