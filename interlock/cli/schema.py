"""`interlock schema`: the JSON Schema that editors complete and check specs with."""

from __future__ import annotations

import json
from pathlib import Path

import click

from interlock.cli.output import write


@click.command("schema", epilog="Example: interlock schema --output interlock.schema.json")
@click.option(
    "--output", type=click.Path(path_type=Path, dir_okay=False), help="Write to this file instead of the terminal."
)
def command(output: Path | None) -> None:
    """Write the draft-07 JSON Schema of the spec language.

    Name it in the first line of a spec, and the common YAML language server completes and explains every key:

    # yaml-language-server: $schema=interlock.schema.json
    """
    from interlock.spec.schema import editor_schema

    content = json.dumps(editor_schema(), ensure_ascii=False, indent=2) + "\n"
    if output is None:
        click.echo(content, nl=False)
        return
    write(output, content)
