"""Which parser reads which file: by the ending of its name, our own ones before those of plug-ins."""

from collections.abc import Mapping
from importlib.metadata import entry_points
from pathlib import PurePosixPath

from interlock.contract.retrieval import PARSERS
from interlock_activities.plug_ins import PlugInError, loaded, where
from interlock_activities.retrieval.chunks import LONGEST, Passage, passages, storable
from interlock_activities.retrieval.documents import NotReadableError, Parser
from interlock_activities.retrieval.html_page import HtmlPage
from interlock_activities.retrieval.markdown import Markdown
from interlock_activities.retrieval.plain_text import PlainText

_OWN: Mapping[str, Parser] = {
    ".md": Markdown(),
    ".markdown": Markdown(),
    ".txt": PlainText(),
    ".html": HtmlPage(),
    ".htm": HtmlPage(),
}


class Parsers:
    """Parsers by ending; a plug-in is loaded when the first file needs it."""

    def __init__(self, given: Mapping[str, Parser] | None = None) -> None:
        self._parsers: dict[str, Parser | str] = {**_plugged_in(), **_OWN, **(given or {})}

    def reads(self, name: str) -> bool:
        """Whether a file of this name can be read."""
        return _ending(name) in self._parsers

    def of(self, name: str) -> Parser:
        """The parser of a file; raises NotReadableError if its plug-in cannot be used."""
        ending = _ending(name)
        parser = self._parsers[ending]
        if isinstance(parser, str):
            try:
                made = loaded(PARSERS, parser)
            except PlugInError as problem:
                raise NotReadableError(str(problem)) from None
            parser = self._parsers[ending] = made() if isinstance(made, type) else made
        return parser


def cut(parser: Parser, content: bytes) -> tuple[str, list[Passage]]:
    """The title and the passages of a content; raises NotReadableError, whatever the parser raises or returns."""
    try:
        document = parser.parse(content)
        return storable(document.title)[:LONGEST], list(passages(document))
    except NotReadableError as problem:
        raise NotReadableError(storable(str(problem))[:LONGEST]) from None
    except Exception as error:  # noqa: BLE001 - a plug-in may raise anything, and one file must not stop the others
        raise NotReadableError(f"its parser raised {type(error).__name__} at {where(error)}") from None


def _plugged_in() -> dict[str, str]:
    return {f".{point.name.lower()}": point.name for point in entry_points(group=PARSERS)}


def _ending(name: str) -> str:
    return PurePosixPath(name).suffix.lower()
