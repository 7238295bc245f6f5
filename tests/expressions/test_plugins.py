"""Filters and tests of other packages, found by their entry points as they are when a package is installed."""

import pytest

from interlock.expressions import (
    Expression,
    Missing,
    NotMet,
    Shape,
    Template,
    check_expression,
    check_template,
    compile_all,
    explain,
    plugins,
)

MODULE = """
def double(value, times=2):
    return [value] * times

def opaque(value):
    return object()

def swell(value):
    return "a" * 100_000

def palindrome(value):
    return value == value[::-1]
"""
ENTRIES = """
[interlock.filters]
double = sample_rules:double
opaque = sample_rules:opaque
swell = sample_rules:swell

[interlock.tests]
palindrome = sample_rules:palindrome
"""


@pytest.fixture(autouse=True)
def _installed(tmp_path, monkeypatch):
    (tmp_path / "sample_rules.py").write_text(MODULE)
    info = tmp_path / "sample_rules-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: sample-rules\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRIES)
    monkeypatch.syspath_prepend(str(tmp_path))
    plugins.plugin.cache_clear()
    yield
    plugins.plugin.cache_clear()


SCOPE = {"x": Shape("string")}


def value_of(text, **context):
    return compile_all({"it": Template("{{ " + text + " }}")})["it"](context)


def test_a_filter_is_found_checked_and_run():
    assert check_template("{{ x | double(3) }}", SCOPE)[1] == []
    assert value_of("x | double(3)", x="a") == ["a", "a", "a"]


def test_a_test_is_found_checked_and_run():
    assert check_expression("x is palindrome", SCOPE)[1] == []
    compiled = compile_all({"it": Expression("x is not palindrome")})["it"]
    assert compiled({"x": "abc"}) is explain("x is not palindrome", {"x": "abc"}).result is True


def test_wrong_arguments_are_a_problem():
    _, problems = check_template("{{ x | double(1, 2, 3) }}", SCOPE)
    assert [problem.code for problem in problems] == ["filter-arguments"]


def test_names_of_plug_ins_are_suggested():
    _, problems = check_template("{{ x | doubel }}", SCOPE)
    assert problems[0].hint == "did you mean 'double'?"


@pytest.mark.parametrize(("name", "reason"), [("opaque", "type"), ("swell", "too-large")])
def test_what_a_plug_in_gives_is_json_within_the_bounds(name, reason):
    with pytest.raises(Missing) as missing:
        value_of(f"x | {name}", x="a")
    assert missing.value.reason == reason


def test_what_a_plug_in_cannot_take_is_not_met():
    compiled = compile_all({"it": Expression("x is palindrome")})["it"]
    assert compiled({"x": 3}) == NotMet("unreadable", "x")
    assert compiled({"x": None}) == NotMet("missing", "x")
