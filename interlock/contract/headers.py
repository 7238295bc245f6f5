"""Names of the headers of a request: what can be one, and which are the client's alone."""

import re
from typing import Final

_TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")

OURS: Final = frozenset(
    {"host", "content-length", "content-type", "transfer-encoding", "connection", "accept-encoding"}
    | {"te", "trailer", "upgrade", "expect", "keep-alive", "proxy-connection", "proxy-authenticate"}
    | {"proxy-authorization"}
)
"""Headers that decide how a message is framed and travels; in lower case."""


def is_header(name: str) -> bool:
    """Whether a header can have this name."""
    return _TOKEN.fullmatch(name) is not None
