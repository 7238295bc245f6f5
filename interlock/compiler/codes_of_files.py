"""Codes for files, YAML and CSV."""

from interlock.compiler.meaning import Meaning

FILES = {
    "yaml-syntax": Meaning(
        "the file is not valid YAML",
        "The place is where the text stops making sense; the cause is often just before it: a missing quote, "
        "bracket or space after a colon. Quote a text that holds `: `, ` #`, `[`, `{` or begins with a sign.",
    ),
    "duplicate-key": Meaning(
        "a key stands twice in one map, or a column twice in one CSV file",
        "YAML would silently keep one of the two. Keep the one you mean.",
    ),
    "non-string-key": Meaning(
        "a key is not text",
        "Quote the key: `'404': …`. Names of parts begin with a letter.",
    ),
    "merge-key": Meaning(
        "a YAML merge key `<<`",
        "Write the keys out where they are used. What several parts share belongs into a named part.",
    ),
    "yaml-anchor": Meaning(
        "a YAML anchor `&name`",
        "Write the value where it is used. If it is text, quote it.",
    ),
    "yaml-alias": Meaning(
        "a YAML alias `*name`",
        "Write the value out. If it is text, quote it.",
    ),
    "yaml-tag": Meaning(
        "a YAML tag `!name`",
        "Delete it. If it is text, quote the whole value.",
    ),
    "yaml-directive": Meaning(
        "a YAML directive `%…`",
        "Delete the line: specs are YAML 1.2 and need none.",
    ),
    "several-documents": Meaning(
        "a second document in one file",
        "Give each spec a file of its own.",
    ),
    "unsafe-scalar": Meaning(
        "an unquoted value that YAML reads as something else",
        "`007` becomes 7, `555E898665` infinity, `2024-05-01` a date, `0x1F` 31. Quote it if it is text; "
        "write a number in plain decimal digits.",
    ),
    "unquoted-template": Meaning(
        "a value that begins with `{{` without quotes",
        "YAML takes `{` for a map. Quote the whole value: `'{{ … }}'`.",
    ),
    "split-text": Meaning(
        "a comma or a colon split a text in two",
        "Inside `{…}` and `[…]` a comma separates. Quote the text, or write the keys on lines of their own.",
    ),
    "pair-in-list": Meaning(
        "a colon makes a map of a list item",
        "Quote the item if it is text; write `{key: value}` if a map is meant.",
    ),
    "tab": Meaning(
        "a tab where YAML wants spaces",
        "Indent with spaces.",
    ),
    "full-width-colon": Meaning(
        "a full-width colon `：` where `: ` is due",
        "A full-width colon separates nothing. Write `: ` with a space after it.",
    ),
    "full-width-comma": Meaning(
        "a full-width comma inside a list item",
        "`[查询货物，查一下]` is one item. Separate items with `,`; quote the item if it is one text.",
    ),
    "curly-quotes": Meaning(
        "curly quotes around an unquoted text",
        "They are part of the text. Quote with `'` or `\"`.",
    ),
    "folded-cjk": Meaning(
        "a text folded over two lines, with a space between them",
        "YAML puts a space where the line breaks, which Chinese text does not want. Use `|`, or write one line.",
    ),
    "continued-text": Meaning(
        "a line that looks like a list item goes on with the text above",
        "A plain text goes on over the next, deeper line. Give the list a key of its own, or quote the text.",
    ),
    "control-character": Meaning(
        "a control or invisible character",
        "Delete it. In double quotes `\\b` is a backspace: write patterns in single quotes.",
    ),
    "wrong-encoding": Meaning(
        "the file is not UTF-8",
        "Save it as UTF-8.",
    ),
    "too-deep": Meaning(
        "something is nested too deeply",
        "A file may be nested 64 levels deep, an expression less. Name parts of an expression under `conditions`. "
        "Flows that run one another may hold 64 lists of steps within one another.",
    ),
    "too-large": Meaning(
        "the file is too large",
        "A spec may have 512 KiB, a CSV file 16 MiB. Split it into several.",
    ),
    "too-many-nodes": Meaning(
        "the file holds too many values",
        "Split it into several files, or move vocabularies and tables to CSV.",
    ),
    "empty-file": Meaning(
        "the file is empty",
        "Begin with `apiVersion: interlock/v1`, or delete the file.",
    ),
    "not-a-map": Meaning(
        "a spec is not a map of keys",
        "Begin with `apiVersion: interlock/v1`, `kind` and `name`.",
    ),
    "empty-bundle": Meaning(
        "a folder without a YAML file",
        "A bundle is a folder with specs in it; their names end in `.yaml`.",
    ),
    "not-a-spec": Meaning(
        "a path that is neither a folder nor a YAML file",
        "Name a bundle's folder, or one of its YAML files.",
    ),
    "missing-file": Meaning(
        "a file or folder that is not there",
        "Paths are relative to the spec that names them.",
    ),
    "unreadable-file": Meaning(
        "a file that cannot be read",
        "Look at its permissions, and whether it is a regular file.",
    ),
    "outside-bundle": Meaning(
        "a path that leads out of the bundle",
        "Put the file into the bundle: a bundle holds all that belongs to it.",
    ),
    "no-documents": Meaning(
        "a retriever's folder holds nothing that can be read",
        "`documents` names a folder within the bundle, relative to the spec, with at least one file that ends with "
        "`.md`, `.markdown`, `.txt`, `.html`, `.htm`, or an ending that an installed plug-in reads. Hidden files do "
        "not count.",
    ),
    "bad-csv": Meaning(
        "a CSV file that cannot be read as one",
        'Columns are separated by `,`. A cell with a comma, a quote or a line break stands in `"…"`, and a '
        "quote in it is doubled.",
    ),
    "ragged-row": Meaning(
        "a row of a CSV file with too many or too few cells",
        "Every row has as many cells as the header. A cell with a comma in it needs double quotes.",
    ),
    "empty-cell": Meaning(
        "a cell of a vocabulary file that must not be empty",
        "Every row has a `word`, or a `code` and at least one alias.",
    ),
    "missing-column": Meaning(
        "a CSV file lacks a column",
        "A vocabulary has `word`, or `code` and `aliases`; a decision table has one column for each input and output.",
    ),
    "unknown-column": Meaning(
        "a column that a vocabulary or a table does not have",
        "Rename it as the hint says, or take it out: nothing written is ignored.",
    ),
    "duplicate-column": Meaning(
        "an input and an output of one table have the same name",
        "Rename one of them: rows name their cells by column.",
    ),
}
