"""Normalised views of a message with positions mapped back to the raw text."""


class View:
    """A normalised text; `raw_span` maps a slice of it back to the raw text."""

    text: str

    def raw_span(self, start: int, end: int) -> tuple[int, int]: ...


def screening_view(raw: str) -> View: ...
def plain_view(raw: str) -> View: ...
