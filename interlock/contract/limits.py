"""The caps of everything that crosses the durable boundary; what is over one is refused, never cut."""

from typing import Final

INLINE_LIMIT: Final = 256 * 1024
"""Bytes of JSON that one payload may hold: a body, the arguments of a call, an answer, a compressed plan."""

STORED_LIMIT: Final = 16 * 1024 * 1024
"""Bytes of JSON of an answer, or of the arguments of a call, with the values in it that stay outside the run."""

DETAILS_LIMIT: Final = 64 * 1024
"""Bytes of an answer kept in a failure's details, where the last attempt failed; a larger one is left out."""

MAX_DEPTH: Final = 64
"""Lists and objects inside one another."""

MAX_DIGITS: Final = 4_300
"""Digits of an integer; beyond it Python itself refuses to read one."""

MESSAGE_TEXT_LIMIT: Final = 32_768
"""Characters of a message's text."""

NAME_LIMIT: Final = 200
"""Characters of an id, a role, a type, a group, a name."""

METADATA_LIMIT: Final = 64 * 1024
"""Bytes of a message's metadata."""

USER_LIMIT: Final = 32 * 1024
"""Bytes of the attributes that a session is opened with."""

HISTORY_ENTRIES: Final = 200
"""Entries of the history handed in with a message."""

RETRY_AFTER_LIMIT_MS: Final = 60_000
"""The longest pause that a service's `retry-after` can ask for."""
