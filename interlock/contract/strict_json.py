"""The one strict JSON reader for what comes from outside: nothing is repaired, rounded or dropped on the way in."""

import codecs
import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Any, NoReturn, TypeAlias

from interlock.contract.limits import INLINE_LIMIT, MAX_DEPTH, MAX_DIGITS

Path: TypeAlias = tuple[str | int, ...]

_SHOWN = 60
_LONGEST_ESCAPE = 6  # bytes of one character as JSON: \u001f
_MAX_BITS = int(MAX_DIGITS * math.log2(10))  # rounded down: what passes has no more digits


class NotStrictJsonError(ValueError):
    """Why a text or value is refused: a kebab-case `code`, the `message`, and the `path` of the value in question.

    `index` is that of the character at which a text stops being JSON.
    """

    def __init__(self, code: str, message: str, path: Path = (), index: int | None = None) -> None:
        super().__init__(code, message, path, index)
        self.code = code
        self.message = message
        self.path = path
        self.index = index

    def __str__(self) -> str:
        return f"{dotted(self.path)}: {self.message}" if self.path else self.message


def dotted(path: Path) -> str:
    """A path as authors write it: `rows.0.value`."""
    return ".".join(shown(part) if isinstance(part, str) else str(part) for part in path)


def shown(text: str) -> str:
    """`text` short enough and clean enough to stand in a message."""
    short = text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
    return "".join(c if c.isprintable() else "�" for c in short)


def loads(content: bytes, limit: int = INLINE_LIMIT) -> Any:
    """The JSON value in `content`: exact numbers, unique keys, UTF-8, bounded. Raises NotStrictJsonError only."""
    if len(content) > limit:
        raise NotStrictJsonError("too-large", f"{len(content):,} bytes, more than {limit:,}")
    try:
        value = _DECODER.decode(content.removeprefix(codecs.BOM_UTF8).decode())
    except UnicodeDecodeError as problem:
        raise NotStrictJsonError("not-utf-8", f"byte {problem.start:,} is not UTF-8") from None
    except json.JSONDecodeError as problem:
        place = f"line {problem.lineno} column {problem.colno}"
        raise NotStrictJsonError("not-json", f"not JSON at {place}: {problem.msg.lower()}", (), problem.pos) from None
    except RecursionError:
        _too_deep()
    _examine(value, 1)
    return value


def check(value: Any, limit: int = INLINE_LIMIT) -> None:
    """Raises NotStrictJsonError unless the decoded `value` is plain JSON within the caps."""
    _examine(value, 1)
    if type(value) is str and len(value) < limit // _LONGEST_ESCAPE:
        return
    size = len(dumps(value))
    if size > limit:
        raise NotStrictJsonError("too-large", f"{size:,} bytes as JSON, more than {limit:,}")


def dumps(value: Any) -> bytes:
    """Compact JSON in UTF-8; raises ValueError or TypeError for what `check` refuses."""
    return _ENCODER.encode(value).encode()


def texts(value: Any) -> Iterator[str]:
    """Every text in a JSON value, keys too."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, dict):
            waiting += one.keys()
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one


class _Refused:
    """Stands in the parsed tree for what may not be read, so that it can be reported with its path."""

    def __init__(self, code: str, message: str) -> None:
        self.code = code
        self.message = message


def _object(pairs: list[tuple[str, Any]]) -> "dict[str, Any] | _Refused":
    value = dict(pairs)
    if len(value) == len(pairs):
        return value
    (twice, _), *_ = Counter(key for key, _ in pairs).most_common(1)
    return _Refused("duplicate-key", f"key {shown(twice)!r} stands twice in one object")


def _integer(text: str) -> "int | _Refused":
    try:
        if len(text) <= MAX_DIGITS:
            return int(text)
    except ValueError:  # this Python is set to read fewer digits still
        pass
    return _Refused("number-too-long", f"an integer of {len(text):,} digits cannot be kept exactly")


def _number(text: str) -> "float | _Refused":
    value = float(text)
    try:
        exact = math.isfinite(value) and Decimal(text) == Decimal(repr(value))
    except ArithmeticError:  # an exponent that not even a decimal can hold
        exact = False
    return value if exact else _Refused("number-not-exact", f"number {shown(text)} cannot be kept exactly")


def _constant(text: str) -> _Refused:
    return _Refused("not-a-number", f"{text} is not JSON")


def _too_deep() -> NoReturn:
    raise NotStrictJsonError("too-deep", f"more than {MAX_DEPTH} lists and objects inside one another") from None


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_integer, parse_float=_number, parse_constant=_constant
)
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _examine(value: Any, depth: int, kind: type | None = None) -> None:
    # By exact type: in a workflow's sandbox every `isinstance` is several calls.
    kind = kind or type(value)
    if kind is str:
        _examine_text(value)
    elif kind is dict:
        for key in value:
            _examine_key(key)
        _examine_items(value.items(), depth)
    elif kind is list:
        _examine_items(enumerate(value), depth)
    elif kind is int:
        if value.bit_length() > _MAX_BITS:
            raise NotStrictJsonError("number-too-long", f"an integer of {MAX_DIGITS:,} digits or more")
    elif kind is float:
        if not math.isfinite(value):
            raise NotStrictJsonError("not-a-number", f"{value} is not JSON")
    elif value is not None and kind is not bool:
        _examine(value, depth, _plain_kind(value))


def _plain_kind(value: Any) -> type:
    if type(value) is _Refused:
        raise NotStrictJsonError(value.code, value.message)
    for kind in (str, dict, list, int, float):
        if isinstance(value, kind):
            return kind
    raise NotStrictJsonError("not-json-value", f"a value of type {type(value).__name__!r} is not JSON")


def _examine_items(items: Iterable[tuple[str | int, Any]], depth: int) -> None:
    if depth > MAX_DEPTH:
        _too_deep()
    at: str | int = ""
    try:
        for at, item in items:  # noqa: B007 - the last one is named in the error
            _examine(item, depth + 1)
    except NotStrictJsonError as problem:
        raise NotStrictJsonError(problem.code, problem.message, (at, *problem.path)) from None


def _examine_key(key: Any) -> None:
    if type(key) is not str and not isinstance(key, str):
        raise NotStrictJsonError("not-json-value", f"key of type {type(key).__name__!r} is not a string")
    _examine_text(key)


def _examine_text(text: str) -> None:
    if text.isascii():
        return
    try:
        text.encode()
    except UnicodeEncodeError as problem:
        raise NotStrictJsonError("lone-surrogate", f"character {problem.start + 1:,} is half of a pair") from None
