"""The forms that names, paths and other short texts must have, and what to say when they have not."""

from typing import NamedTuple

SOURCE_ROOTS = ("slots", "cells", "input", "user", "session", "config", "message", "turn")

LANGUAGE = r"^[a-z]{2}(-[A-Z][A-Za-z]+)?$"
NAME = r"^[a-z][a-z0-9_]*$"
SPEC_NAME = r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$"
WIRE_NAME = r"^[A-Za-z_][A-Za-z0-9_]*$"
PATH = r"^[A-Za-z0-9_]+(\.[A-Za-z0-9_]+)*$"
DURATION = r"^[0-9]{1,9}(ms|s|m|h|d)$"
REFERENCE = r"^([a-z][a-z0-9]*(-[a-z0-9]+)*/)?[a-z][a-z0-9]*(-[a-z0-9]+)*$"
SOURCE = rf"^(caller|model|({'|'.join(SOURCE_ROOTS)})(\.[A-Za-z0-9_]+)+)$"
HTTP_CALL = r"^(GET|POST|PUT|PATCH|DELETE) /\S*$"
ENTRY_POINT = r"^[A-Za-z_][A-Za-z0-9_.-]*$"
DIGEST = r"^[0-9a-f]{64}$"
HOST = r"^[A-Za-z0-9][A-Za-z0-9.-]*(:[0-9]+)?$"
CODE = r"^[A-Za-z0-9_.-]+$"
OF_USER = r"^user\.[A-Za-z_][A-Za-z0-9_]*$"
CHOSEN = r"^[a-z][a-z0-9_-]*$"
CELL_NAME = r"^[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*$"


class Form(NamedTuple):
    """A form: the code of a finding about it, what it is called, and how it looks."""

    code: str
    what: str
    looks: str


FORMS: dict[str, Form] = {
    NAME: Form("bad-name", "a name", "names are snake_case: small letters, digits and _, beginning with a letter"),
    SPEC_NAME: Form("bad-name", "the name of a spec", "names of specs are kebab-case: small letters, digits and -"),
    WIRE_NAME: Form("bad-name", "a name", "letters, digits and _; for another name on the wire use 'send_as'"),
    REFERENCE: Form("bad-name", "the name of a Library", "'name', or 'folder/name' of another bundle"),
    LANGUAGE: Form("bad-language", "a language", "'zh', 'en' or 'zh-Hant'; if a comma split your text, quote it"),
    PATH: Form("bad-path", "a path", "a path has dots, as in rows.0.value"),
    DURATION: Form("bad-duration", "a duration", "500ms, 30s, 20m, 4h or 7d"),
    SOURCE: Form("bad-source", "a source", f"'caller', 'model', or a path under {', '.join(SOURCE_ROOTS)}"),
    HTTP_CALL: Form("bad-form", "a method and a path", "'GET /orders/{order_no}'"),
    ENTRY_POINT: Form("bad-form", "the name of an entry point", "the name under which a package registers it"),
    DIGEST: Form("bad-form", "a digest", "64 hexadecimal digits, as `interlock import mcp` writes them"),
    HOST: Form("bad-form", "a host", "'api.example.com', without scheme or path"),
    CODE: Form("bad-name", "a code", "letters, digits, '_', '.' and '-'"),
    OF_USER: Form("bad-source", "an attribute of the user", "'user.id', or another that `user` declares"),
    CHOSEN: Form("bad-name", "the name of a tool or procedure", "small letters, digits, '_' and '-'"),
    CELL_NAME: Form("bad-name", "a cell", "'tool.key'"),
}
"""The forms by their pattern."""
