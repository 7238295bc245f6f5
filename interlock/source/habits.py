"""Warnings about habits of writing that YAML takes literally: folded Chinese, full-width marks, curly quotes."""

import re

from interlock.diagnostics import Diagnostic, Severity
from interlock.source.decode import Text

_CJK = "[\u3000-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]"
_FOLD = re.compile(rf"{_CJK}([ \t]*(?:\r\n|\r|\n)[ \t]*){_CJK}")
_ESCAPED = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_CURLY = {"“": "”", "‘": "’"}
_ITEM = re.compile(r"[\r\n][ \t]*(- )")
_PLAIN, _LITERAL = 0, 3


def joined(text: Text, start: int, end: int, style: int) -> list[Diagnostic]:
    """Lines that YAML joins: Chinese text, which gets a space, and a list item that became text."""
    if style == _LITERAL:
        return []
    findings = []
    if match := _FOLD.search(text.content, start, end):
        hint = "use '|' (its last line break is trimmed), or write one line"
        message = "YAML puts a space between these two lines"
        findings.append(_warning("folded-cjk", message, text, match.start(1), hint))
    if style == _PLAIN and (match := _ITEM.search(text.content, start, end)):
        message = "this line goes on with the text above: it is no list item"
        findings.append(_warning("continued-text", message, text, match.start(1), "give the list a key of its own"))
    return findings


def escaped(text: Text, start: int, value: str) -> list[Diagnostic]:
    """A scalar in double quotes whose escapes make control characters, as the backspace of a pattern's word edge."""
    match = _ESCAPED.search(value)
    if not match:
        return []
    message = f"an escape makes a control character U+{ord(match[0]):04X} here"
    return [Diagnostic("control-character", message, text.at(start), hint="use single quotes: they know no escapes")]


def full_width(text: Text, start: int, value: str, *, in_list: bool) -> list[Diagnostic]:
    """An unquoted text in curly quotes, or an item of a `[…]` list with a full-width comma in it."""
    findings = []
    if value[0] in _CURLY and value[-1] == _CURLY[value[0]]:
        hint = "quote with ' or \""
        findings.append(_warning("curly-quotes", "the curly quotes are part of the text", text, start, hint))
    position = min((at for at in map(value.find, "，、") if at >= 0), default=-1)
    if in_list and position >= 0:
        message = f"full-width {value[position]!r} inside a list item: it separates nothing"
        hint = "separate items with ','; quote the item if it is one text"
        findings.append(_warning("full-width-comma", message, text, start + position, hint))
    return findings


def _warning(code: str, message: str, text: Text, index: int, hint: str) -> Diagnostic:
    return Diagnostic(code, message, text.at(index), Severity.WARNING, hint)
