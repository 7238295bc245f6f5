"""Which of a spec's languages a message is written in, by script."""
from collections.abc import Sequence


def language_of(text: str, languages: Sequence[str]) -> str:
    """The language of `languages` whose script `text` uses most; the first where nothing tells."""
