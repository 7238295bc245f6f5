"""Templates: values keep their type when they stand alone, texts never have an empty hole, white space is Jinja's."""

import sys
from datetime import UTC, datetime

import jinja2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.expressions import (
    Expression,
    ExpressionError,
    Missing,
    Template,
    Text,
    Value,
    compile_all,
    explain_template,
)

CONTEXT = {
    "name": "Ann",
    "nothing": None,
    "yes": True,
    "n": 3,
    "id": 2**70,
    "price": 12.5,
    "rows": [{"k": "a", "v": 1}, {"k": "b", "v": None}],
    "html": "<b>&</b>",
    "map": {"键": "值"},
    "now": datetime(2026, 5, 10, 12, 0, tzinfo=UTC),
    "$show": lambda value, path: f"[{path}={value}]",
}


def render(text, kind=Template):
    result = compile_all({"it": kind(text)})["it"](CONTEXT)
    if kind is Template:
        assert explain_template(text, CONTEXT).result == result
    return result


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{{ n }}", 3),
        ("{{ nothing }}", None),
        ("{{ yes }}", True),
        ("{{ rows }}", CONTEXT["rows"]),
        ("{{ rows.0 }}\n", {"k": "a", "v": 1}),
        ("{{ [n, 'x', none] }}", [3, "x", None]),
        ("{{ now }}", "2026-05-10T12:00:00+00:00"),
        ("{{ now | date }}", "2026-05-10"),
        ("{{ n + 1 }}", 4),
        ("{{ n if yes else name }}", 3),
        ("{{ nothing or 'x' }}", "x"),
    ],
)
def test_one_expression_alone_keeps_its_type(text, expected):
    assert render(text) == expected
    assert type(render(text)) is type(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("a } b }} c", "a } b }} c"),
        ("您好 {{ name }}！", "您好 Ann！"),
        (" {{ n }}", " 3"),
        ("{{ yes }}.", "true."),
        ("{{ id }}.", "1180591620717411303424."),
        ("{{ price }} {{ 2.0 }} {{ 1e20 }}", "12.5 2.0 1e+20"),
        ("{{ map }}!", '{"键": "值"}!'),
        ("{{ rows }}!", '[{"k": "a", "v": 1}, {"k": "b", "v": null}]!'),
        ("{{ html }}!", "<b>&</b>!"),
        ("{{ nothing | default('-') }}!", "-!"),
        ("{{ nowhere.x | default('-') }}!", "-!"),
        ("{{ name | show }}{{ rows.0.k | show }}{{ 'A' | show }}", "[name=Ann][rows.0.k=a][=A]"),
        ("{{ '{{ n }}' }}.", "{{ n }}."),
        ("{% if n > 2 %}a{% elif yes %}b{% else %}c{% endif %}", "a"),
        ("{% if n > 9 %}a{% elif nothing %}b{% else %}c{% endif %}", "c"),
        ("{% if nothing %}a{% endif %}", ""),
        ("{% for r in rows %}{{ loop.index }}.{{ r.k }}{% if not loop.last %}, {% endif %}{% endfor %}", "1.a, 2.b"),
        (
            "{% for r in rows %}{% for s in rows %}{{ r.k ~ s.k }} {% endfor %}{{ loop.index }}{% endfor %}",
            "aa ab 1ba bb 2",
        ),
        ("{% for r in [] %}x{% endfor %}", ""),
        ("{% for r in rows %}{{ r.v | default('?') }}{% endfor %}", "1?"),
        ("{% for r in rows %}{{ r.w is defined }}{% endfor %}", "falsefalse"),
        ("a {# comment {{ n } #}b", "a b"),
        ("a {#- c -#} b", "ab"),
        ("a {{- name -}} b", "aAnnb"),
        ("a\n", "a"),
        ("a\n\n", "a\n"),
    ],
)
def test_a_text_is_rendered(text, expected):
    assert render(text) == expected


@pytest.mark.parametrize(
    ("text", "path", "reason"),
    [
        ("hi {{ nothing }}", "nothing", "missing"),
        ("hi {{ nowhere.x }}", "nowhere", "missing"),
        ("{{ rows.0.w }}", "rows.0.w", "missing"),
        ("{{ rows.5 }}", "rows.5", "missing"),
        ("hi {{ n }} {{ rows.1.v }}", "rows.1.v", "missing"),
        ("{% for r in rows %}{{ r.v }}{% endfor %}", "r.v", "missing"),
        ("{% for r in nothing %}{{ r.v }}{% endfor %}", "nothing", "missing"),
        ("{% for r in name %}{{ r }}{% endfor %}", "name", "type"),
        ("{% if rows.0.w %}x{% endif %}", "rows.0.w", "missing"),
        ("{{ rows | map('w') }}", "w", "missing"),
        ("{{ name + 1 }}", "name", "type"),
        ("{{ nothing | upper }}", "nothing", "missing"),
        ("{{ name | number }}", "name", "unreadable"),
        ("{{ nothing | show }}", "nothing", "missing"),
    ],
)
def test_a_hole_is_an_error_with_its_path(text, path, reason):
    with pytest.raises(Missing) as missing:
        render(text)
    assert (missing.value.path, missing.value.reason) == (path, reason)
    assert str(missing.value) == f"{path}: {reason}"
    explained = explain_template(text, CONTEXT).result
    assert (explained.path, explained.reason) == (path, reason)


def test_a_text_for_people_is_always_a_string():
    assert render("{{ n }}", Text) == "3"
    assert render("plain", Text) == "plain"
    with pytest.raises(Missing):
        render("{{ nothing }}", Text)


def test_the_strings_inside_a_value_are_templates():
    value = {"to": ["{{ name }}", "x"], "n": 1, "row": {"v": "{{ rows.0.v }}", "t": "v{{ n }}"}, "no": None, "ok": True}
    compiled = compile_all({"it": Value(value)})["it"]
    assert compiled(CONTEXT) == {"to": ["Ann", "x"], "n": 1, "row": {"v": 1, "t": "v3"}, "no": None, "ok": True}
    assert compiled(CONTEXT)["to"] is not compiled(CONTEXT)["to"]


def test_a_value_with_blocks_and_a_hole_says_which():
    value = {"a": "{% for r in rows %}{{ r.k }}{% endfor %}", "b": "{{ rows.1.x }}"}
    with pytest.raises(Missing) as missing:
        compile_all({"it": Value(value)})["it"](CONTEXT)
    assert missing.value.path == "rows.1.x"
    assert compile_all({"it": Value({"a": value["a"]})})["it"](CONTEXT) == {"a": "ab"}


def test_a_value_nested_too_deeply_is_refused():
    value = "{{ n }}"
    for _ in range(17):
        value = [value]
    with pytest.raises(ExpressionError):
        compile_all({"it": Value(value)})
    assert compile_all({"it": Value(value[0])})["it"](CONTEXT) is not None


@pytest.mark.parametrize(
    "text",
    [
        "{% for r in rows %}{% for s in rows %}{{ r.k ~ s.k }}{{ loop.last }}{% endfor %}{% endfor %}",
        "{{ nowhere.x | default('-') }}{{ nothing | default(n) }}{{ rows.0.w is defined }}",
        "{{ rows | map('k') | join(', ') }}{{ name | show }}{{ now | date }}{{ rows.0.v + 1 }}{{ now is within('1h') }}",
        "{% if n > 2 and name != 'x' and n in [1, 3] %}{{ -n }}{% endif %}",
    ],
)
def test_what_is_there_is_answered_without_the_slow_interpreter(text):
    compiled = compile_all({"it": Template(text)})["it"]
    called = set()
    sys.setprofile(lambda frame, event, arg: called.add(frame.f_code.co_name))
    try:
        compiled(CONTEXT)
    finally:
        sys.setprofile(None)
    assert "render" in called or "finish" in called
    assert not called & {"produce", "decide"}


def test_sources_of_all_kinds_compile_together():
    sources = {
        1: Expression("n"),
        2: Template("n"),
        3: Text("{{ n }}"),
        4: Template("{{ n }}"),
        5: Value("{{ n }}"),
        6: Value(7),
    }
    assert {key: function(CONTEXT) for key, function in compile_all(sources).items()} == {
        1: True,
        2: "n",
        3: "3",
        4: 3,
        5: 3,
        6: 7,
    }


pieces = st.sampled_from(
    ["a ", "\n", "  ", "您好", "{{ n }}", "{{- name }}", "{{ name -}}", "{# c #}", "{#- c -#}", "}", "{ ", "'", "\\",
     "{% if yes %}y{% endif %}", "{%- if nothing -%} x {%- else -%} z {%- endif -%}", "{% for r in rows %} {{ r.k }} {%- endfor %}"]
)  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(st.lists(pieces, min_size=2, max_size=8).map("".join))
def test_white_space_is_jinjas(text):
    assert render(text, Text) == jinja2.Environment(autoescape=False).from_string(text).render(CONTEXT)
