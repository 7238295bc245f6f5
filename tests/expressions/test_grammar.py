"""The parser reads what Jinja reads, in the same way, and refuses with a code, a place and a hint what misleads."""

from ast import literal_eval

import jinja2
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from jinja2 import nodes as reference

from interlock.expressions import ExpressionError, nodes
from interlock.expressions.parser import parse_expression
from interlock.expressions.templates import parse_template

JINJA = jinja2.Environment(autoescape=False)
SIGNS = {"==": "eq", "!=": "ne", "<": "lt", "<=": "lteq", ">": "gt", ">=": "gteq", "in": "in", "not in": "notin"}
MATHS = {"Add": "+", "Sub": "-", "Mul": "*", "Div": "/", "FloorDiv": "//", "Mod": "%"}


def ours(node):
    match node:
        case nodes.Literal():
            return ("const", repr(node.value))
        case nodes.Name():
            return ("name", node.name)
        case nodes.Get():
            return ("get", ours(node.base), node.key)
        case nodes.ListOf():
            return ("list", *map(ours, node.items))
        case nodes.Not():
            return ("not", ours(node.operand))
        case nodes.Negate():
            return ("neg", ours(node.operand))
        case nodes.Arithmetic():
            return (node.op, ours(node.left), ours(node.right))
        case nodes.Concat():
            return ("~", *map(ours, node.items))
        case nodes.Compare():
            return ("compare", SIGNS[node.op], ours(node.left), ours(node.right))
        case nodes.Logic():
            first, *others = map(ours, node.items)
            return (node.op, *(first[1:] if first[0] == node.op else (first,)), *others)
        case nodes.Choose():
            return ("if", ours(node.test), ours(node.then), ours(node.other))
        case nodes.Filter():
            return ("filter", node.name, ours(node.base), *map(ours, node.args))
        case nodes.Test():
            asked = ("test", node.name, ours(node.base), *map(ours, node.args))
            return ("not", asked) if node.negated else asked


def theirs(node):
    kind = type(node).__name__
    if kind in MATHS:
        return (MATHS[kind], theirs(node.left), theirs(node.right))
    match node:
        case reference.Const():
            return ("const", repr(node.value))
        case reference.Name():
            return ("name", node.name)
        case reference.Getattr():
            return ("get", theirs(node.node), node.attr)
        case reference.Getitem():
            return ("get", theirs(node.node), node.arg.value)
        case reference.List():
            return ("list", *map(theirs, node.items))
        case reference.Not():
            return ("not", theirs(node.node))
        case reference.Neg():
            return negated(theirs(node.node))
        case reference.Concat():
            return ("~", *map(theirs, node.nodes))
        case reference.Compare():
            return ("compare", node.ops[0].op, theirs(node.expr), theirs(node.ops[0].expr))
        case reference.And() | reference.Or():
            return flat(kind.lower(), node)
        case reference.CondExpr():
            return ("if", theirs(node.test), theirs(node.expr1), theirs(node.expr2))
        case reference.Filter():
            return ("filter", node.name, theirs(node.node), *map(theirs, node.args))
        case reference.Test():
            return ("test", node.name, theirs(node.node), *map(theirs, node.args))


def negated(inner):
    value = literal_eval(inner[1]) if inner[0] == "const" else None
    return ("const", repr(-value)) if type(value) in (int, float) else ("neg", inner)


def flat(word, node):
    if type(node).__name__.lower() != word:
        return (theirs(node),)
    left = flat(word, node.left) if type(node.left) is type(node) else (theirs(node.left),)
    parts = (*left[1:], theirs(node.right)) if left[0] == word else (*left, theirs(node.right))
    return (word, *parts)


def in_jinja(text):
    return theirs(JINJA.parse("{{ " + text + " }}").body[0].nodes[0])


names = st.sampled_from(["a", "slots.x", "cells.get_order.rows", "b.c", "rows.0.v", "d['e f']", "rows[1].k", "状态.值"])
literals = st.sampled_from(
    ["1", "0", "2.5", "'x'", '"it\'s"', "'\\n'", "true", "false", "none", "9007199254740993", "[]", "['a', 1]"]
)
atoms = st.one_of(names, literals)


def larger(inner):
    wrapped = inner.map(lambda text: f"({text})")
    either = st.one_of(atoms, wrapped)
    return st.one_of(
        st.builds("{} {} {}".format, either, st.sampled_from([*SIGNS, "+", "-", "*", "/", "//", "%", "~"]), either),
        st.builds("{} {} {}".format, inner.map(lambda t: f"({t})"), st.sampled_from(["and", "or"]), either),
        st.builds(
            "{0} {1} {2} {1} {3}".format, either, st.sampled_from(["and", "or", "~", "+", "-", "*"]), either, either
        ),
        st.builds("{} + {} * {}".format, either, either, either),
        st.builds("not {}".format, inner.filter(lambda t: " and " not in t and " or " not in t and " if " not in t)),
        st.builds("-{}".format, names),
        st.builds("{} if {} else {}".format, either, either, either),
        st.builds(
            "{} | {}".format, either, st.sampled_from(["upper", "default('x')", "length | abs", "any('k', '==', 1)"])
        ),
        st.builds("{} is {}".format, either, st.sampled_from(["defined", "not defined", "none", "within('7d')"])),
    )


expressions = st.recursive(atoms, larger, max_leaves=8)


@settings(max_examples=400, deadline=None)
@given(expressions)
def test_what_both_read_they_read_alike(text):
    assert ours(parse_expression(text)) == in_jinja(text)


@settings(max_examples=400, deadline=None)
@example(text="-''")
@example(text="--0")
@given(st.text("ab.01 ()[]|'\"+-*/~=<>!,isnotadorf{}%\\：＝", max_size=24))
def test_any_text_is_read_like_jinja_or_refused_at_a_place(text):
    try:
        tree, problem = parse_expression(text), None
    except ExpressionError as error:
        tree, problem = None, error.problem
    if problem:
        assert 0 <= problem.offset <= len(text)
        assert problem.code
    elif "not in" not in text and " is " not in text:
        assert ours(tree) == in_jinja(text)


REFUSED = [
    ("args.total > 1,000", "tuple", 14, "digits grouped by commas? write 1000"),
    ("a, b", "tuple", 1, "a list is written `[a, b]`"),
    ("()", "tuple", 0, "an empty list is written `[]`"),
    ("a == b == c", "chained-comparison", 7, "write `a == b and b == c`"),
    ("1 < a <= 3", "chained-comparison", 6, "write `a == b and b == c`"),
    ("'x' if a", "if-without-else", 4, "write `a if b else c`"),
    ("a or b and c", "mixed-and-or", 7, "which of the two binds first?"),
    ("a and b or c", "mixed-and-or", 8, "which of the two binds first?"),
    ("-5 | abs", "minus-before-filter", 0, "write `(-a) | filter`"),
    ("a ~ b + c", "mixed-concat", 6, "write `a ~ (b + c)`"),
    ("a = 1", "assignment", 2, "`==` compares"),
    ("a === 1", "foreign-sign", 2, "two equal signs"),
    ("a !== 1", "foreign-sign", 2, "write `!=`"),
    ("a => 1", "foreign-sign", 2, "write `>=`"),
    ("a <> 1", "foreign-sign", 2, "write `!=`"),
    ("a && b", "foreign-sign", 2, "write `and`"),
    ("a || b", "foreign-sign", 2, "write `or`"),
    ("!a", "foreign-sign", 0, "write `not`"),
    ("a ? b : c", "foreign-sign", 2, "write `a if condition else b`"),
    ("a ?? b", "foreign-sign", 2, "`| default(…)`"),
    ("a == null", "foreign-word", 5, "write `none`"),
    ("a == TRUE", "foreign-word", 5, "write `true`"),
    ("a AND b", "foreign-word", 2, "write `and`"),
    ("a contains b", "foreign-word", 2, "write `b in a`"),
    ("a startswith 'x'", "foreign-word", 2, "no patterns in expressions"),
    ("lambda x: x", "foreign-sign", 8, "no slices, maps or functions"),
    ("len(a)", "call", 0, "write `a | length`"),
    ("a.get('b')", "call", 2, "write `a.b | default(…)`"),
    ("text.matches('x')", "call", 5, "no patterns in expressions"),
    ("now()", "call", 0, "without parentheses"),
    ("{{ a }}", "braces", 0, "leave the braces out"),
    ("a == {{ b }}", "braces", 5, "leave the braces out"),
    ("a }}", "braces", 2, "leave the braces out"),
    ("{'a': 1}", "foreign-sign", 0, "maps are written in YAML"),
    ("a ** 2", "power", 2, "write the product"),
    ("a[b]", "computed-subscript", 2, "`a['name']`"),
    ("a[-1]", "computed-subscript", 2, "`a | last`"),
    ("a[1:2]", "foreign-sign", 3, "no slices"),
    ("a ＞ 1", "full-width", 2, "write >"),
    ("a ＝＝ 1", "full-width", 2, "write ="),
    ("a == ‘x’", "full-width", 5, "write '"),
    ("a == “x”", "full-width", 5, 'write "'),
    ("（a）", "full-width", 0, "write ("),
    ("ｓlots.x", "full-width", 0, "write 'slots'"),
    (r"a == '\d+'", "bad-escape", 6, "no patterns in expressions"),
    (r"a == '\bwhy'", "bad-escape", 6, "no patterns in expressions"),
    ("a == 007", "bad-number", 5, "an id is a text: '007'"),
    ("a == 12kg", "bad-number", 5, "quote texts"),
    ("a > 1e400", "bad-number", 4, "about 15 digits"),
    ("a > 0.12345678901234567890", "bad-number", 4, "about 15 digits"),
    ("a == 'x", "unclosed", 5, "close the text with '"),
    ("(a", "unclosed", 0, "close it with `)`"),
    ("[a, b", "unclosed", 0, "close it with `]`"),
    ("a ==", "incomplete", 4, ""),
    ("a and", "incomplete", 5, ""),
    ("a |", "unexpected", 2, "the name of a filter"),
    ("a is", "unexpected", 2, "`is defined`"),
    ("a == not b", "unexpected", 5, "write `not (…)`"),
    ("a b", "unexpected", 2, "quote texts"),
    ("a; b", "foreign-sign", 1, "one expression"),
    ("", "empty", 0, ""),
    ("   ", "empty", 0, ""),
    ("a @ b", "unexpected", 2, ""),
]


@pytest.mark.parametrize(("text", "code", "offset", "hint"), REFUSED, ids=[row[0] for row in REFUSED])
def test_what_misleads_is_refused_with_place_and_hint(text, code, offset, hint):
    with pytest.raises(ExpressionError) as refusal:
        parse_expression(text)
    problem = refusal.value.problem
    assert (problem.code, problem.offset) == (code, offset)
    assert hint in problem.hint


@pytest.mark.parametrize(
    ("text", "code", "offset"),
    [
        ("{{ a %}", "unclosed", 5),
        ("{% if a }}x{% endif %}", "unclosed", 8),
        ("hi {{ a", "unclosed", 3),
        ("hi {# a", "unclosed", 3),
        ("{% if a %}x", "unclosed", 3),
        ("{% for a in b %}x", "unclosed", 3),
        ("{% endif %}", "unopened", 3),
        ("{% if a %}{% endfor %}", "unopened", 13),
        ("{% if a %}{% else %}{% else %}{% endif %}", "unopened", 23),
        ("{% if a %}{% else b %}{% endif %}", "unexpected", 18),
        ("{% for a, b in c %}{% endfor %}", "bad-loop", 8),
        ("{% for loop in c %}{% endfor %}", "bad-loop", 7),
        ("{% for a of c %}{% endfor %}", "bad-loop", 9),
        ("{% for a in c recursive %}{% endfor %}", "refused-block", 3),
        ("{% set a = 1 %}", "refused-block", 3),
        ("{% wobble %}", "unknown-block", 3),
        ("{{ }}", "empty", 0),
        ("a {{ b or c and d }}", "mixed-and-or", 12),
    ],
)
def test_a_broken_template_is_refused_at_its_place(text, code, offset):
    with pytest.raises(ExpressionError) as refusal:
        parse_template(text)
    assert (refusal.value.problem.code, refusal.value.problem.offset) == (code, offset)


def test_map_with_a_keyword_is_map_with_a_text():
    keyword, plain = (ours(parse_expression(text)) for text in ("a | map(attribute='k')", "a | map('k')"))
    assert keyword == plain


def test_is_in_is_in():
    assert ours(parse_expression("a is not in ['x']")) == ours(parse_expression("a not in ['x']"))


def test_every_node_spans_its_own_text():
    text = "(a.b | upper) ~ 'x' == c['d'] and not e.0"
    spans, waiting = set(), [parse_expression(text)]
    while waiting:
        node = waiting.pop()
        spans.add(text[node.at : node.end])
        waiting += nodes.children(node)
    assert {"(a.b | upper)", "c['d']", "not e.0", "a.b", "'x'", "(a.b | upper) ~ 'x'"} <= spans
