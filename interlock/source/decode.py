"""From bytes to text: size, encoding, control characters and directives, each refused at its place."""

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property

from interlock.diagnostics import Diagnostic, Location

MOST_FINDINGS = 100
"""Findings reported for one file; whoever has more reads the first ones anyway."""

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_BREAK = re.compile(r"\r\n|\r|\n")
_BEFORE_CONTENT = re.compile(r"(?:[ \t]*(?:#[^\r\n]*)?(?:\r\n|\r|\n))*")
_WIDE = ((b"\xff\xfe\0\0", "UTF-32"), (b"\0\0\xfe\xff", "UTF-32"), (b"\xff\xfe", "UTF-16"), (b"\xfe\xff", "UTF-16"))


@dataclass(frozen=True)
class Text:
    """The text of a file, with the line and column of every character."""

    file: str
    content: str

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(match.end() for match in _BREAK.finditer(self.content))]

    def at(self, index: int) -> Location:
        """Place of the character at `index`."""
        line = bisect_right(self._starts, index)
        return Location(self.file, line, index - self._starts[line - 1] + 1)

    def line(self, index: int) -> tuple[str, int]:
        """The line that holds the character at `index`, and where it begins."""
        start = self._starts[bisect_right(self._starts, index) - 1]
        end = _BREAK.search(self.content, index)
        return self.content[start : end.start() if end else len(self.content)], start

    def above(self, index: int) -> int:
        """Where the line above that of the character at `index` begins."""
        return self._starts[max(bisect_right(self._starts, index) - 2, 0)]


def decode(content: bytes, file: str, limit: int) -> tuple[Text | None, list[Diagnostic]]:
    """The text in `content`; control characters are reported and stand as U+FFFD, so that reading can go on."""
    if len(content) > limit:
        message = f"the file is larger than {limit // 1024} KiB"
        return None, [Diagnostic("too-large", message, Location(file), hint="split it into several files")]
    for mark, name in _WIDE:
        if content.startswith(mark):
            return None, [_wrong_encoding(Location(file), f"the file is {name}")]
    if b"\0" in content[:4]:
        return None, [_wrong_encoding(Location(file), "the file looks like UTF-16")]
    content = content.removeprefix(b"\xef\xbb\xbf")
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        return None, [_not_utf8(content, file, error.start)]
    findings = [_control(Text(file, text), match) for match in list(_CONTROL.finditer(text))[:MOST_FINDINGS]]
    return Text(file, _CONTROL.sub("\ufffd", text) if findings else text), findings


def _wrong_encoding(place: Location, message: str) -> Diagnostic:
    return Diagnostic("wrong-encoding", message, place, hint="save it as UTF-8")


def _not_utf8(content: bytes, file: str, start: int) -> Diagnostic:
    place = Text(file, content[:start].decode()).at(len(content[:start].decode()))
    try:
        content.decode("gb18030")
        looks = ", it looks like GBK"
    except UnicodeDecodeError:
        looks = ""
    return _wrong_encoding(place, f"byte 0x{content[start]:02X} is not UTF-8{looks}")


def _control(text: Text, match: re.Match[str]) -> Diagnostic:
    message = f"control or invisible character U+{ord(match[0]):04X}"
    return Diagnostic("control-character", message, text.at(match.start()), hint="delete it")


def without_directives(text: Text) -> tuple[Text, list[Diagnostic]]:
    """The text with its YAML directives made comments, each reported."""
    content, findings, position = text.content, [], 0
    while (before := _BEFORE_CONTENT.match(content, position)) and content.startswith("%", before.end()):
        position = before.end()
        findings.append(
            Diagnostic(
                "yaml-directive",
                f"YAML directive {text.line(position)[0].rstrip()!r}",
                text.at(position),
                hint="delete the line: specs are YAML 1.2, without directives",
            )
        )
        content = f"{content[:position]}#{content[position + 1 :]}"
        if len(findings) == MOST_FINDINGS:
            break
    return (Text(text.file, content) if findings else text), findings


def tabs(text: Text) -> list[int]:
    """Where tabs stand in the white space that a line begins with."""
    return [match.end() - 1 for match in re.finditer(r"^ *\t", text.content, re.MULTILINE)][:MOST_FINDINGS]
