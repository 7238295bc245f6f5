"""What a parser and an embedder must do, as functions for the tests of those who write one."""

import math
from collections.abc import Iterable, Sequence

from interlock_activities.retrieval.documents import Block, NotReadableError, Parsed, Parser, Section
from interlock_activities.retrieval.embedding import Embedder


def check_parser(parser: Parser, contents: Iterable[bytes]) -> None:
    """Raises AssertionError unless the parser reads each content, or refuses it, as it must, and twice alike."""
    assert isinstance(parser.name, str), "`name` is a text"
    assert parser.name, "`name` is not empty: what it has read is read anew when it changes"
    for content in contents:
        first = _read(parser, content)
        assert first == _read(parser, content), "equal contents give equal documents"
        if first is not None:
            _check_document(first)


def _read(parser: Parser, content: bytes) -> Parsed | None:
    try:
        return parser.parse(content)
    except NotReadableError as refusal:
        said = str(refusal)
    assert said, "a refusal says why, and what to do"
    return None


def _check_document(document: Parsed) -> None:
    assert isinstance(document.title, str), "`title` is a text"
    for section in document.sections:
        assert isinstance(section, Section), "`sections` holds Sections"
        assert all(isinstance(heading, str) and heading for heading in section.headings), "headings are texts"
        for block in section.blocks:
            assert isinstance(block, Block), "`blocks` holds Blocks"
            assert block.text.strip(), "a block without text is left out"
            assert block.line >= 0, "lines are counted from 1; 0 is none"


async def check_embedder(embedder: Embedder, texts: Sequence[str]) -> None:
    """Raises AssertionError unless the embedder gives each text one vector, all of one length, and twice alike."""
    assert embedder.name, "`name` says which vectors are alike"
    first, second = await embedder.embed(texts), await embedder.embed(texts)
    assert len(first) == len(texts), "one vector for each text"
    assert len({len(vector) for vector in first}) <= 1, "all of one length"
    assert all(math.isfinite(part) for vector in first for part in vector), "of finite numbers"
    assert any(part for vector in first for part in vector) or not first, "that are not all nothing"
    near = (
        math.isclose(a, b, abs_tol=1e-3)
        for one, other in zip(first, second, strict=True)
        for a, b in zip(one, other, strict=True)
    )
    assert all(near), "equal texts have equal vectors"
    assert await embedder.embed([]) == [], "no texts, no vectors"
