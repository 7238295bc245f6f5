"""Codes for documents of others that are imported."""

from interlock.compiler.meaning import Meaning

IMPORTS = {
    "bad-json": Meaning(
        "a JSON document that cannot be read",
        "Numbers must be exact, keys unique, the text UTF-8 and at most 64 levels deep. Mend the document.",
    ),
    "not-openapi": Meaning(
        "a document that is not OpenAPI 2.0, 3.0 or 3.1",
        "Such a document says `swagger: '2.0'` or `openapi: 3.0.3`. Convert what has another form.",
    ),
    "bad-openapi": Meaning(
        "a part of an OpenAPI document that does not have the right form",
        "Mend the document at that place; what is wrong there could mean anything.",
    ),
    "outside-reference": Meaning(
        "a `$ref` that leads out of the document",
        "Only `#/…` is followed: nothing is fetched. Bundle the document into one file first.",
    ),
    "unknown-reference": Meaning(
        "a reference that leads nowhere, or back to itself",
        "Mend the document: declare what it names, or name something that is there.",
    ),
    "nothing-to-import": Meaning(
        "no operation is left to import",
        "Look at the pattern of `--only`, and at the reasons given for what was left out.",
    ),
}
