"""What parsers make of files: a title, and sections of blocks with the places that people find them by."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, a table, a list or a piece of code, which is cut only where it is too long.

    `line` is where it stands in the file, from 1; 0 where lines say nothing to a reader. `fence` is the line that opens
    a block of code, which `text` then holds without its fences.
    """

    text: str
    line: int = 0
    fence: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """Blocks under one heading; `headings` are those above it too, the outermost first."""

    headings: tuple[str, ...]
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Parsed:
    """A whole document; `title` is empty where it has none."""

    title: str
    sections: tuple[Section, ...]


class Parser(Protocol):
    """Reads one kind of file. A package adds one under `interlock.parsers`, named by the ending that it reads.

    `name` holds a version: when it changes, what the parser has read is read anew. `parse` is called in a thread, with
    files of strangers; it raises `NotReadableError` for one that it cannot read, and opens no other.
    """

    name: str

    def parse(self, content: bytes) -> Parsed:
        """The document in a file's content."""


class NotReadableError(Exception):
    """A file that cannot be read; the message says why and what to do, and is shown."""


def decoded(content: bytes) -> str:
    """The text of a file, its lines divided by line feeds; raises NotReadableError unless it is UTF-8."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise NotReadableError(f"it is not UTF-8 (byte {problem.start:,}): save it as UTF-8") from None
    if "\0" in text:
        raise NotReadableError("it holds null characters, as UTF-16 and other than text do: save it as UTF-8")
    return text.replace("\r\n", "\n").replace("\r", "\n")
