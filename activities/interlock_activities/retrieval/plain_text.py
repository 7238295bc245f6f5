"""Plain text: paragraphs between empty lines, found by their line."""

from interlock_activities.retrieval.documents import Block, Parsed, Section, decoded


class PlainText:
    """Reads `.txt`."""

    name = "text 1"

    def parse(self, content: bytes) -> Parsed:
        """One section without headings."""
        return Parsed("", (Section((), tuple(paragraphs(decoded(content).split("\n"), 1))),))


def paragraphs(lines: list[str], first: int) -> list[Block]:
    """Lines as paragraphs; `first` is the number of the first line."""
    found: list[Block] = []
    held: list[str] = []
    for number, line in enumerate([*lines, ""], first):
        if line.strip():
            held.append(line.rstrip())
        elif held:
            found.append(Block("\n".join(held), number - len(held)))
            held = []
    return found
