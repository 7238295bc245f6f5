"""The page of the command line, from what click knows of each command."""

import click

from docs.generate.markdown import cell, code, table
from interlock.cli import COMMANDS, root

INTRO = """\
# Command line

<!-- Generated from the code: change that, then run `make docs`. -->

`interlock COMMAND …`; `interlock COMMAND --help` shows what stands here. PATHS are bundle folders, folders of
bundles, or single YAML files; without any it is `specs`. NAME is the name of an agent.

Exit codes are the same everywhere: **0** done, **1** the answer is no (errors in the specs, a failed case, a server
that cannot be reached), **2** wrong usage, **3** a fault of Interlock's own.

"""


def command_line() -> str:
    """The whole page."""
    context = click.Context(root, info_name="interlock")
    overview = table(["command", "does"], [[f"[`{name}`](#{name})", what] for name, what in COMMANDS.items()])
    sections = (_section(context, root, name) for name in COMMANDS)
    return INTRO + overview + "".join(sections)


def _section(parent: click.Context, group: click.Group, name: str) -> str:
    """What one command does; the commands of a group follow it, one heading lower."""
    command = group.get_command(parent, name)
    assert command is not None
    context = click.Context(command, info_name=name, parent=parent)
    usage = " ".join(command.collect_usage_pieces(context))
    title = context.command_path.removeprefix("interlock ")
    level = "#" * (1 + len(title.split()))
    text = f"\n{level} {title}\n\n```text\n{context.command_path} {usage}\n```\n\n{_prose(command.help or '')}\n"
    options = [_option(context, one) for one in command.params if isinstance(one, click.Option)]
    if options:
        text += "\n" + table(["option", "meaning", "default"], options)
    if command.epilog:
        text += f"\n{cell(command.epilog).replace('Example: ', 'Example: `')}`\n"
    if isinstance(command, click.Group):
        text += "".join(_section(context, command, inner) for inner in command.list_commands(context))
    return text


def _prose(text: str) -> str:
    paragraphs = [" ".join(paragraph.split()) for paragraph in text.replace("\b", "").strip().split("\n\n")]
    return "\n\n".join(code(one) if one.startswith("#") else one for one in paragraphs)


def _option(context: click.Context, option: click.Option) -> list[str]:
    takes = "" if option.is_flag else f" {option.make_metavar(context)}"
    required = "**required**" if option.required else ""
    default = option.default
    shown = (
        code(str(default)) if isinstance(default, str | int) and not isinstance(default, bool) and default != "" else ""
    )
    return [code("/".join(option.opts) + takes), option.help or "", required or shown]
