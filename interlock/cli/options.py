"""Values of options that take JSON."""

from __future__ import annotations

from typing import Any

import click


def json_object(given: str | bytes, option: str) -> dict[str, Any]:
    """The JSON object given to an option, read as strictly as a run reads it; wrong usage if it is none."""
    from interlock.contract import strict_json

    content = given if isinstance(given, bytes) else given.encode(errors="surrogateescape")
    try:
        value = strict_json.loads(content)
    except strict_json.NotStrictJsonError as error:
        raise click.UsageError(f"{option} is not JSON as a run takes it: {error}.") from error
    if not isinstance(value, dict):
        raise click.UsageError(f'{option} takes a JSON object, such as {{"locale": "zh"}}.')
    return value
