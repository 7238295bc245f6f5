"""Texts made to escape, hang or swell: each ends in a problem of the checker or in a bounded refusal, and quickly."""

from datetime import UTC, datetime
from time import perf_counter

import pytest

from interlock.expressions import Missing, Shape, Template, check_template, compile_all, explain_template
from interlock.expressions.limits import MAX_TEXT
from interlock.expressions.outcomes import NotMet

SECONDS = 2.0
"""Most cases take a millisecond; the bound only has to tell bounded from hanging on a busy machine."""

ANY = Shape()
SCOPE = {
    "x": ANY,
    "big": ANY,
    "huge": ANY,
    "text": ANY,
    "deep": ANY,
    "user": ANY,
    "now": Shape("datetime"),
    "rows": ANY,
}


def nested(levels):
    value = []
    for _ in range(levels):
        value = [value]
    return value


CONTEXT = {
    "x": {"a": 1, "n": None},
    "big": list(range(90_000)),
    "rows": [{"k": str(n), "v": n} for n in range(3_000)],
    "huge": 10**9_000,
    "text": "a" * 60_000,
    "deep": nested(5_000),
    "user": {"id": "u1", "name": "{{ user.id }} {0.__class__} %s" * 3},
    "now": datetime(2026, 5, 1, tzinfo=UTC),
    "$show": lambda value, path: str(value),
}

REFUSED = {
    "text times a number": "{{ 'a' * 10**9 }}",
    "power tower": "{{ 9**9**9 }}",
    "power of a value": "{{ x.a ** 99999999 }}",
    "text times a number by value": "{{ 'a' * x.a }}",
    "list times a number": "{{ [0] * 999999999 }}",
    "list plus list": "{{ [1] + [2] }}",
    "format with a giant width": "{{ '%999999999d' % 1 }}",
    "format method": "{{ '{0.__class__}'.format(1) }}",
    "format filter": "{{ '%s' | format(user) }}",
    "a call of a method": "{{ text.upper() }}",
    "a call of a root": "{{ user() }}",
    "range": "{{ range(999999999) }}",
    "lipsum": "{{ lipsum(n=99999) }}",
    "cycler": "{{ cycler('a') }}",
    "namespace": "{{ namespace() }}",
    "globals": "{{ self.__init__.__globals__ }}",
    "class of a literal": "{{ ''.__class__ }}",
    "subclasses": "{{ ().__class__.__base__.__subclasses__() }}",
    "class by subscript": "{{ ''['__class__'] }}",
    "the attr filter": "{{ text | attr('__class__') }}",
    "map of a filter name": "{{ big | map('upper', 1) }}",
    "import": "{% import 'os' as os %}{{ os }}",
    "from import": "{% from 'os' import system %}",
    "include": "{% include '/etc/passwd' %}",
    "extends": "{% extends 'base' %}",
    "macro": "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
    "call block": "{% call m() %}{% endcall %}",
    "set": "{% set a = 'x' %}{{ a }}",
    "filter block": "{% filter upper %}a{% endfilter %}",
    "raw block": "{% raw %}{{ x }}{% endraw %}",
    "do": "{% do x.append(1) %}",
    "recursive loop": "{% for r in rows recursive %}{{ loop(rows) }}{% endfor %}",
    "loop over a range": "{% for i in range(10**9) %}x{% endfor %}",
    "block with a name": "{% block b %}{% endblock %}",
    "a lambda": "{{ (lambda: 1)() }}",
    "a comprehension": "{{ [x for x in big] }}",
    "an assignment expression": "{{ (a := 1) }}",
    "an f-string": "{{ f'{user}' }}",
    "a slice": "{{ text[0:9] }}",
    "a computed key": "{{ user[text] }}",
    "a dict": "{{ {'a': 1} }}",
    "deep parentheses": "{{ " + "(" * 900 + "1" + ")" * 900 + " }}",
    "deep lists": "{{ " + "[" * 900 + "]" * 900 + " }}",
    "deep not": "{{ " + "not " * 450 + "x }}",
    "deep minus": "{{ " + "- " * 900 + "x.a }}",
    "a long chain of filters": "{{ text" + " | upper" * 200 + " }}",
    "a long chain of attributes": "{{ x" + ".a" * 900 + " }}",
    "a long chain of choices": "{{ " + "1 if x else " * 160 + "2 }}",
    "a long sum": "{{ " + "1 + " * 450 + "1 }}",
    "deep blocks": "{% if x %}" * 200 + "{% endif %}" * 200,
    "deep loops": "".join(f"{{% for a{n} in big %}}" for n in range(12)) + "x" + "{% endfor %}" * 12,
    "too many branches": "{% if x %}" + "{% elif x %}" * 3_000 + "{% endif %}",
    "a huge integer": "{{ " + "9" * 1_500 + " }}",
    "a huge exponent": "{{ 1e999999999 }}",
    "a long expression": "{{ " + "x ~ " * 5_000 + "x }}",
    "a long template": "{{ x }}" * 20_000,
    "unclosed braces": "{{" * 9_000,
    "an unclosed text": "{{ '" + "\\'" * 900 + " }}",
    "an unclosed comment": "{#" * 9_000,
    "a full-width class": "{{ user.＿＿class＿＿ }}",
    "a full-width call": "{{ user（） }}",
    "a zero-width name": "{{ us\u200ber }}",
    "a right-to-left override": "{{ user\u202e.id }}",
    "an escape for a surrogate": "{{ '\\ud800' }}",
    "an escape by name": "{{ '\\N{BULLET}' }}",
    "python in a name": "{{ x.a\nimport os }}",
    "replace of nothing": "{{ text | replace('', 'aaaaaaaa') }}",
    "round to many digits": "{{ 1.5 | round(999999999) }}",
}

BOUNDED = {
    "replace that swells": "{{ text | replace('a', 'aaaaaaaaaa') }}",
    "replace that swells twice": "{{ text | replace('a', text) | length }}",
    "join that swells": "{{ big | join('aaaaaaaaaaaaaaaa') }}",
    "join by a text of some length": "{{ rows | map('k') | join('" + "-" * 100 + "') }}",
    "join by a long text": "{{ rows | map('k') | join(text) }}",
    "concatenation that swells": "{{ text ~ text }}",
    "a page that swells": "{{ text }}{{ text }}",
    "a list as text": "{{ big }}!",
    "a giant integer as text": "{{ huge }}!",
    "a giant integer joined": "{{ [huge] | join }}",
    "product of giants": "{{ huge * huge }}",
    "sum of giants": "{{ [huge, huge] | sum }}",
    "rounded giant": "{{ huge | round }}",
    "giant through a float": "{{ huge + 0.5 }}",
    "a deep list as text": "{{ deep }}!",
    "sum of a list, again and again": "{% for r in rows %}{{ big | sum }}{% endfor %}",
    "sort in a loop": "{% for r in rows %}{{ rows | sort('v') | length }}{% endfor %}",
    "loops in loops": "{% for a in rows %}{% for b in rows %}{% for c in rows %}x{% endfor %}{% endfor %}{% endfor %}",
    "a loop over a big list with a long text": "{% for a in big %}" + "y" * 9_000 + "{% endfor %}",
    "membership in a loop": "{% for a in rows %}{{ 'z' in big }}{% endfor %}",
    "equality in a loop": "{% for a in rows %}{{ rows == [rows] or rows == rows }}{% endfor %}",
    "equality of deep lists": "{{ [deep] == [[deep]] }}",
    "sort of a big list": "{{ big | sort | first }}",
    "sort of mixed kinds": "{{ [1, 'a', none] | sort }}",
    "a class in the data": "{{ user.__class__ }}",
    "a dictionary's method": "{{ user.items }}",
    "an attribute of a text": "{{ text.format }}",
    "a loop over an object": "{% for a in user %}x{% endfor %}",
    "a loop over a text": "{% for a in text %}x{% endfor %}",
    "modulo on text": "{{ text % 5 }}",
    "division by zero": "{{ 1 / (x.a - 1) }}",
    "a number with too many digits": "{{ text | number }}",
    "conditions that work in a loop": "{% for a in rows %}{% if rows | any('v', '==', -1) %}x{% endif %}{% endfor %}",
}


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED)
def test_the_checker_refuses(text):
    started = perf_counter()
    _, problems = check_template(text, SCOPE)
    assert problems
    assert all(0 <= problem.offset <= len(text) for problem in problems)
    assert perf_counter() - started < SECONDS


@pytest.mark.parametrize("text", BOUNDED.values(), ids=BOUNDED)
def test_the_evaluation_is_bounded(text):
    started = perf_counter()
    with pytest.raises(Missing) as refusal:
        compile_all({"it": Template(text)})["it"](CONTEXT)
    assert refusal.value.reason in ("missing", "type", "too-large", "zero-division", "unreadable")
    slow = explain_template(text, CONTEXT).result
    assert isinstance(slow, NotMet)
    assert slow == NotMet(refusal.value.reason, refusal.value.path)
    assert perf_counter() - started < SECONDS


def test_there_are_at_least_as_many_cases_as_known_bombs():
    assert len(REFUSED) + len(BOUNDED) >= 68


@pytest.mark.parametrize(
    "text",
    [
        "{{ user.name }}!",
        "{{ user.name | replace('u1', '{{ x }}') }}!",
        "{% for r in [user.name] %}{{ r }}{% endfor %}",
    ],
)
def test_data_is_never_read_as_a_template(text):
    rendered = compile_all({"it": Template(text)})["it"](CONTEXT)
    assert "{{ user.id }}" in rendered
    assert "{0.__class__}" in rendered


def test_the_largest_page_that_is_allowed_is_made():
    half = {"text": "a" * (MAX_TEXT // 2)}
    assert len(compile_all({"it": Template("{{ text }}{{ text }}")})["it"](half)) == MAX_TEXT


def test_generated_code_reaches_no_builtins():
    compiled = compile_all({"it": Template("{{ x.a }}")})["it"]
    assert set(compiled.__globals__["__builtins__"]) == {"Exception", "len", "enumerate"}


def test_the_deepest_tree_that_is_allowed_compiles_quickly():
    started = perf_counter()
    deepest = "(" * 28 + "x.n | default(x.a) == 1" + ") | default(x.a)" * 28
    _, problems = check_template("{{ " + deepest + " }}", SCOPE)
    assert not problems
    assert compile_all({"it": Template("{{ " + deepest + " }}")})["it"](CONTEXT) is True
    assert perf_counter() - started < SECONDS
