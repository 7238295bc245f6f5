"""Each filter: what it gives, and what it answers for what it cannot take."""

import pytest

from interlock.expressions import Missing, NotMet, Template, compile_all, explain_template
from interlock.expressions.filters import FILTERS

CONTEXT = {
    "nothing": None,
    "text": " Ab c ",
    "empty": [],
    "list": [3, 1, 2, 1],
    "words": ["b", "a"],
    "rows": [{"k": "x", "n": {"v": 2}}, {"k": "y", "n": {"v": 1}}],
    "part": [{"k": "x"}, {}],
    "mixed": [1, True, 1.0, "1", None, [1], [1], {"a": 1}],
    "huge": 10**3000,
    "$show": lambda value, path: value,
}

GIVES = [
    ("['a', 1, true] | join('-')", "a-1-true"),
    ("words | join", "ba"),
    ("empty | join(', ')", ""),
    ("text | length", 6),
    ("list | length", 4),
    ("rows.0 | length", 2),
    ("list | first", 3),
    ("list | last", 1),
    ("empty | first | default('no')", "no"),
    ("rows | map('k')", ["x", "y"]),
    ("rows | map('n.v')", [2, 1]),
    ("rows | map(attribute='n.v') | max", 2),
    ("rows | any('k', '==', 'y')", True),
    ("rows | any('n.v', '>', 2)", False),
    ("rows | all('n.v', '>=', 1)", True),
    ("rows | all('k', 'in', ['x'])", False),
    ("rows | any('k', 'not in', ['x'])", True),
    ("empty | any('k', '==', 1)", False),
    ("empty | all('k', '==', 1)", True),
    ("part | any('k', '==', 'x')", True),
    ("part | all('k', '==', 'z')", False),
    ("list | sum", 7),
    ("empty | sum", 0),
    ("[0.1, 0.2] | sum", 0.3),
    ("[1, 0.5] | sum", 1.5),
    ("list | min", 1),
    ("words | max", "b"),
    ("empty | max | default(0)", 0),
    ("2.5 | round", 3),
    ("(-2.5) | round", -3),
    ("1.005 | round(2)", 1.01),
    ("12 | round(2)", 12),
    ("1e300 | round(2)", 1e300),
    ("(-3) | abs", 3),
    ("(-3.5) | abs", 3.5),
    ("list | sort", [1, 1, 2, 3]),
    ("words | sort", ["a", "b"]),
    ("rows | sort('n.v') | map('k')", ["y", "x"]),
    ("mixed | unique | length", 6),
    ("list | unique", [3, 1, 2]),
    ("text | lower", " ab c "),
    ("text | upper", " AB C "),
    ("text | trim", "Ab c"),
    ("text | replace(' ', '')", "Abc"),
    ("'007' | number", 7),
    ("' -12.50 ' | number", -12.5),
    ("3 | number", 3),
    ("[1, none] | string", "[1, null]"),
    ("true | string", "true"),
    ("'2026-05-10T01:00:00+08:00' | date", "2026-05-10"),
    ("'2026-05-10T01:00:00+08:00' | date('+00:00')", "2026-05-09"),
    ("'2026-05-10' | date", "2026-05-10"),
    ("'2026-05-10T01:00:00Z' | datetime", "2026-05-10T01:00:00+00:00"),
    ("'2026-05-10T01:00:00Z' | datetime('+08:00')", "2026-05-10T09:00:00+08:00"),
    ("'2026-05-10 01:00' | datetime('+08:00')", "2026-05-10T01:00:00+08:00"),
    ("'2026-05-10' | datetime('-05:30')", "2026-05-10T00:00:00-05:30"),
    ("'500ms' | duration", 0.5),
    ("'4h' | duration", 14400),
    ("none | default('x')", "x"),
    ("'a' | default('x')", "a"),
    ("'A' | show", "A"),
]

CANNOT = [
    ("none | join", "missing"),
    ("'a' | join", "type"),
    ("[none] | join", "missing"),
    ("words | join(nothing)", "missing"),
    ("3 | length", "type"),
    ("empty | first", "missing"),
    ("empty | min", "missing"),
    ("part | map('k')", "missing"),
    ("part | all('k', '==', 'x')", "missing"),
    ("words | sum", "type"),
    ("[1, none] | sum", "missing"),
    ("[1, true] | sum", "type"),
    ("[1, 'a'] | max", "type"),
    ("[1, 'a'] | sort", "type"),
    ("[true] | sort", "type"),
    ("'x' | round", "type"),
    ("true | abs", "type"),
    ("3 | upper", "type"),
    ("'1,234' | number", "unreadable"),
    ("'１２' | number", "unreadable"),
    ("'12345678901234567890.5' | number", "unreadable"),
    ("true | number", "type"),
    ("'1e999' | number", "unreadable"),
    ("'2026-13-01' | date", "unreadable"),
    ("'yesterday' | date", "unreadable"),
    ("'2026-05-10T01:00:00' | datetime", "unreadable"),
    ("'9999-12-31T23:59:59-01:00' | datetime('+14:00')", "too-large"),
    ("3 | date", "type"),
    ("'soon' | duration", "unreadable"),
    ("huge * huge", "too-large"),
    ("text | replace('b', nothing)", "missing"),
]


def evaluate(text):
    template = "{{ " + text + " }}"
    try:
        result = compile_all({"it": Template(template)})["it"](CONTEXT)
    except Missing as missing:
        result = NotMet(missing.reason, missing.path)
    assert explain_template(template, CONTEXT).result == result
    return result


@pytest.mark.parametrize(("text", "expected"), GIVES, ids=[row[0] for row in GIVES])
def test_gives(text, expected):
    assert evaluate(text) == expected
    assert type(evaluate(text)) is type(expected)


@pytest.mark.parametrize(("text", "reason"), CANNOT, ids=[row[0] for row in CANNOT])
def test_cannot(text, reason):
    assert evaluate(text).reason == reason


def test_every_filter_has_a_case():
    assert all(any(f"| {name}" in text for text, _ in GIVES) for name in FILTERS)
