"""The page of diagnostics, from the registry of codes, each with an example from the golden texts of the tests."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from interlock.compiler.codes import GROUPS

ERR = Path(__file__).parents[2] / "tests" / "compiler" / "err"
FINDING = re.compile(
    r"^(?P<file>\S+?):(?P<line>\d+):(?P<column>\d+): (?P<severity>error|warning)\[(?P<code>[a-z-]+)\]: "
)
WIDEST = 160

INTRO = """\
# Diagnostics

<!-- Generated from the code: change that, then run `make docs`. -->

`interlock check` finds every mistake in one run. A finding reads `file:line:column: error[code]: message`; the column
counts characters. Other places that matter, and a `hint` with the remedy, stand in the lines below it. An **error**
keeps a bundle from being compiled, and a worker from starting; a **warning** does not, unless you say `--strict`. A
code is never used for anything else later.

Each example below is what a test of the engine prints, with the line of the spec that it is about.

"""


@dataclass(frozen=True)
class Example:
    """A finding as it is printed, and the line that it points at."""

    source: str
    text: str


def diagnostics() -> str:
    """The whole page."""
    text = INTRO
    for group in GROUPS:
        text += f"- [{group}](#{re.sub(r'[^a-z -]', '', group.lower()).replace(' ', '-')})\n"
    for group, codes in GROUPS.items():
        text += f"\n## {group}\n"
        for code, meaning in codes.items():
            text += f"\n### {code}\n\n{_sentence(meaning.what)} {meaning.remedy}\n{_shown(code)}"
    return text


def _sentence(text: str) -> str:
    start = text if text.startswith("`") else text[0].upper() + text[1:]
    return f"*{start}.*"


def _shown(code: str) -> str:
    example = _examples().get(code)
    if example is None:
        return ""
    source = f"```yaml skip\n{example.source}\n```\n" if example.source.strip() else ""
    return f"\n{source}```text\n{example.text}\n```\n"


@cache
def _examples() -> dict[str, Example]:
    """The best example of every code: with a short line, from the file with the fewest findings."""
    found: dict[str, list[tuple[int, str, Example]]] = {}
    for golden in sorted(ERR.glob("*.out")):
        findings = list(_findings(golden.read_text(encoding="utf-8")))
        for code, text in findings:
            example = Example(_line_of(golden, text), text)
            weight = len(findings) + (100 if len(example.source) > WIDEST or not example.source.strip() else 0)
            found.setdefault(code, []).append((weight, golden.stem, example))
    return {code: min(ones, key=lambda one: one[:2])[2] for code, ones in found.items()}


def _findings(golden: str) -> Iterator[tuple[str, str]]:
    lines: list[str] = []
    for line in golden.splitlines():
        if FINDING.match(line) and lines:
            yield _coded(lines)
            lines = []
        lines.append(line)
    if lines:
        yield _coded(lines)


def _coded(lines: list[str]) -> tuple[str, str]:
    match = FINDING.match(lines[0])
    assert match is not None, lines[0]
    return match["code"], "\n".join(lines)


def _line_of(golden: Path, text: str) -> str:
    match = FINDING.match(text)
    assert match is not None
    name = match["file"]
    places = [
        ERR / name,
        ERR / golden.stem / name,
        ERR / golden.stem / "bundle" / name,
        ERR / golden.stem / Path(name).name,
    ]
    path = next((place for place in places if place.is_file()), None)
    if path is None:
        return ""
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    number = int(match["line"])
    line = lines[number - 1] if number <= len(lines) else ""
    return "".join(character if character.isprintable() or character == "\t" else "�" for character in line.rstrip())
