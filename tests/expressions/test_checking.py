"""Every name, kind, literal and constant is checked against the documented context, at its place, with the remedy."""

import pytest

from interlock.expressions import (
    Shape,
    check_expression,
    check_template,
    check_value,
    list_of,
    looks_like_path,
    object_of,
    paths_of,
    roots_of,
    shape_of,
)
from interlock.expressions.shapes import BOOLEAN, DATETIME, INTEGER, NUMBER, STRING

ORDER = object_of(
    {
        "status": Shape("string", enum=("OPEN", "REFUNDED")),
        "total": NUMBER,
        "day": Shape("date"),
        "delivered_at": Shape("datetime", may_be_missing=True),
        "lead_time": Shape("duration"),
        "lines": list_of(object_of({"sku": STRING, "price": NUMBER, "state": Shape("string", enum=("A", "B"))})),
        "tags": list_of(STRING),
    }
)
SCOPE = {
    "slots": object_of(
        {
            "order_no": Shape("string", may_be_none=True),
            "reason": Shape("string", may_be_none=True, enum=("BROKEN", "LATE")),
            "count": Shape("integer", may_be_none=True),
        }
    ),
    "intents": object_of({"refund": BOOLEAN}),
    "message": object_of({"type": STRING, "text": STRING}),
    "config": shape_of({"company": "Acme", "limits": [1, 2]}),
    "cells": object_of({"get_order": ORDER}, may_be_missing=True),
    "steps": object_of({"find": object_of({"result": Shape("object", note="no `output` is declared")})}),
    "payload": Shape("any"),
    "now": DATETIME,
}

MISTAKES = [
    ("slot.order_no == 'x'", "unknown-name", 0, "did you mean 'slots'?"),
    ("slots.order == 'x'", "unknown-attribute", 6, "did you mean 'order_no'?"),
    ("cells.get-order.total > 1", "hyphen-in-name", 9, "get_order"),
    ("message.text.length > 3", "attribute-of-scalar", 13, "write `| length`"),
    ("cells.get_order.lines.sku == 'x'", "attribute-of-list", 22, "`| map('sku')`"),
    ("steps.find.result.id == 1", "undeclared-attribute", 18, ""),
    ("slots.order_no == 5", "compare-kinds", 15, "quote it"),
    ("slots.count == '5'", "compare-kinds", 12, "`| number`"),
    ("5 == slots.order_no", "compare-kinds", 2, "quote it"),
    ("intents.refund == 'true'", "compare-kinds", 15, "a condition by itself"),
    ("cells.get_order.delivered_at > '2026-01-01'", "compare-kinds", 29, "| datetime"),
    ("cells.get_order.day < now", "compare-kinds", 20, "write `| date`"),
    ("cells.get_order.lines > 3", "compare-kinds", 22, "`| length`"),
    ("cells.get_order.lead_time > cells.get_order.lead_time | duration", "compare-kinds", 26, "seconds"),
    ("slots.order_no > '100'", "order-of-digits", 17, "without quotes"),
    ("intents.refund > intents.refund or slots.count > 1", "no-order", 15, ""),
    ("slots.order_no == none", "compare-with-none", 15, "write `is none`"),
    ("slots.order_no != none", "compare-with-none", 15, "write `is not none`"),
    ("slots.reason == 'LATER'", "not-in-enum", 16, "did you mean 'LATE'?"),
    ("'LATER' != slots.reason", "not-in-enum", 0, "did you mean 'LATE'?"),
    ("slots.reason in ['LATE', 'BROKE']", "not-in-enum", 25, "did you mean 'BROKEN'?"),
    ("slots.count in ['1']", "compare-kinds", 16, ""),
    ("slots.order_no in [none]", "compare-with-none", 19, "write `is none`"),
    ("5 in cells.get_order.tags", "compare-kinds", 2, ""),
    ("5 in message.text", "compare-kinds", 2, "write `| string`"),
    ("'type' in message", "in-object", 7, "is defined"),
    ("'a' in slots.count", "not-a-list", 7, ""),
    ("slots.order_no + 'x' == 'yx'", "arithmetic-kinds", 15, "joined with `~`"),
    ("now - cells.get_order.day > 3", "arithmetic-kinds", 4, "older_than"),
    ("-slots.order_no > 3", "arithmetic-kinds", 0, "`| number`"),
    ("slots.count / 0 > 1", "zero-division", 14, ""),
    ("true", "constant-condition", 0, "leave it out"),
    ("1 == 1", "constant-condition", 0, ""),
    ("message", "constant-condition", 0, ""),
    ("now", "constant-condition", 0, ""),
    ("slots.count == slots.count", "constant-condition", 0, ""),
    ("slots.reason == 'LATE' or 'BROKEN'", "constant-condition", 26, "a in ['x', 'BROKEN']"),
    ("not 'x'", "constant-condition", 4, ""),
    ("slots.count | wobble", "unknown-filter", 14, ""),
    ("slots.count | int > 3", "unknown-filter", 14, "did you mean 'number'?"),
    ("slots.order_no | uper == 'x'", "unknown-filter", 17, "did you mean 'upper'?"),
    ("slots.order_no is empty", "unknown-test", 18, "`| length == 0`"),
    ("slots.order_no is define", "unknown-test", 18, "did you mean 'defined'?"),
    ("slots.order_no | round > 3", "filter-input", 17, ""),
    ("slots.count | upper == 'x'", "filter-input", 14, ""),
    ("cells.get_order.lines | map == 'x'", "filter-arguments", 24, ""),
    ("slots.count | round(99) > 1", "filter-arguments", 20, "`| round(2)`"),
    ("slots.order_no | replace('', 'x') == 'x'", "filter-arguments", 25, ""),
    ("now | date('Asia/Shanghai') == ('2026-01-01' | date)", "filter-arguments", 11, "+08:00"),
    ("cells.get_order.lines | map('skus') | length > 1", "unknown-attribute", 28, "did you mean 'sku'?"),
    ("cells.get_order.lines | any('price', '=>', 1)", "filter-arguments", 37, ""),
    ("cells.get_order.lines | any('price', '>', '1')", "compare-kinds", 42, ""),
    ("cells.get_order.lines | all('state', '==', 'C')", "not-in-enum", 43, ""),
    ("cells.get_order.tags | any('x', '==', 'C')", "unknown-attribute", 27, ""),
    ("cells.get_order.delivered_at is within('7 days')", "bad-duration", 39, "'7d'"),
    ("cells.get_order.delivered_at is within", "test-arguments", 32, ""),
    ("slots.order_no is within('7d')", "test-input", 18, "`| datetime`"),
    ("slots.order_no is defined", "always-defined", 18, "is not none"),
    ("config.company is defined", "always-defined", 18, ""),
    ("(slots.order_no | upper) is defined", "defined-of-value", 28, ""),
    ("slots.a == 1 and slots.count == '1'", "unknown-attribute", 6, ""),
]


@pytest.mark.parametrize(("text", "code", "offset", "hint"), MISTAKES, ids=[row[0] for row in MISTAKES])
def test_a_mistake_is_told_at_its_place_with_the_remedy(text, code, offset, hint):
    _, problems = check_expression(text, SCOPE)
    assert problems, text
    assert (problems[0].code, problems[0].offset) == (code, offset)
    assert hint in problems[0].hint


@pytest.mark.parametrize(
    "text",
    [
        "slots.order_no and message.type == 'user_chat'",
        "slots.reason in ['LATE', 'BROKEN']",
        "cells.get_order.delivered_at is within('7d')",
        "cells.get_order.delivered_at is defined",
        "cells.get_order.status is defined",
        "cells.get_order.day < ('2026-01-01' | date)",
        "now | date > cells.get_order.day",
        "cells.get_order.lines | map('price') | sum > 3",
        "cells.get_order.lines | any('state', '==', 'A')",
        "cells.get_order.lines.0.price > cells.get_order.total",
        "(slots.order_no | default('none')) == 'none'",
        "slots.order_no | length > 4 and not intents.refund",
        "payload.anything.at.all == 3 and payload.list | length > 2",
        "'LATE' == slots.reason if intents.refund else slots.count > 2",
        "slots.count + 1 >= 2 * slots.count",
        "(cells.get_order.lead_time | duration) > ('4h' | duration)",
        "'vip' in cells.get_order.tags",
        "slots.order_no is none",
        "slots.reason == slots.order_no",
    ],
)
def test_what_is_right_has_no_problems(text):
    assert check_expression(text, SCOPE)[1] == []


def test_several_mistakes_are_all_told_and_none_twice():
    _, problems = check_expression("slot.a == 1 or slots.count == 'x' or intents.refnd", SCOPE)
    assert [problem.code for problem in problems] == ["unknown-name", "compare-kinds", "unknown-attribute"]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("{{ slots.count }}", "integer"),
        ("{{ slots.count }}\n", "integer"),
        ("{{ slots.count / 2 }}", "number"),
        ("{{ slots.count + 2 }}", "integer"),
        ("{{ slots.count > 2 }}", "boolean"),
        ("{{ cells.get_order.lines | map('price') | sum }}", "number"),
        ("{{ config.limits | max }}", "integer"),
        ("{{ now | date }}", "date"),
        (" {{ slots.count }}", "string"),
        ("no braces", "string"),
        ("{{ slots.order_no | default('x') }}", "string"),
        ("{{ slots.order_no or 'x' }}", "string"),
        ("{{ payload.x }}", "any"),
    ],
)
def test_one_expression_alone_keeps_its_shape(text, kind):
    shape, problems = check_template(text, SCOPE)
    assert problems == []
    assert shape.kind == kind


def test_an_attribute_under_something_that_may_be_none_may_be_missing():
    shape, _ = check_template("{{ cells.get_order.total }}", SCOPE)
    assert shape.may_be_missing
    assert not check_template("{{ cells.get_order.total | default(0) }}", SCOPE)[0].may_be_missing


def test_an_enum_is_known_behind_a_path_and_carried_through_a_choice():
    assert check_template("{{ slots.reason }}", SCOPE)[0].enum == ("BROKEN", "LATE")
    chosen, _ = check_template("{{ slots.reason if intents.refund else cells.get_order.status }}", SCOPE)
    assert chosen.enum == ("BROKEN", "LATE", "OPEN", "REFUNDED")


@pytest.mark.parametrize(
    ("text", "code", "offset"),
    [
        ("您好 {{ slots.nam }}", "unknown-attribute", 12),
        ("{% if true %}a{% endif %}", "constant-condition", 6),
        ("{% if slots.count %}{{ x }}{% endif %}", "unknown-name", 23),
        ("{% for a in slots.count %}{{ a }}{% endfor %}", "not-a-list", 12),
        ("{% for now in config.limits %}{{ now }}{% endfor %}", "shadowed-name", 7),
        ("{% for a in cells.get_order.lines %}{{ a.skew }}{% endfor %}", "unknown-attribute", 41),
        ("{% for a in config.limits %}{{ loop.count }}{% endfor %}", "unknown-attribute", 36),
        ("{% for a in config.limits %}{{ a }}{% endfor %}{{ a }}", "unknown-name", 50),
    ],
)
def test_a_template_is_checked_block_by_block(text, code, offset):
    _, problems = check_template(text, SCOPE)
    assert [(problem.code, problem.offset) for problem in problems] == [(code, offset)]


def test_a_value_is_checked_string_by_string():
    shape, problems = check_value({"to": ["{{ slots.order_no }}", "{{ x }}"], "n": 1, "t": "{{ slots.count }}"}, SCOPE)
    assert [(path, problem.code) for path, problem in problems] == [(("to", 1), "unknown-name")]
    assert shape.fields is not None
    assert (shape.fields["n"].kind, shape.fields["t"].kind) == ("integer", "integer")
    assert check_value([1, 2], SCOPE)[0].item == INTEGER


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("slots.order_no", True),
        (" cells.get_order.lines.0.sku ", True),
        ("payload.rows.0", True),
        ("slots.unknown", False),
        ("slots", False),
        ("config.yaml", False),
        ("message", False),
        ("see cells.get_order", False),
        ("{{ slots.order_no }}", False),
        ("a.b", False),
    ],
)
def test_a_forgotten_pair_of_braces_is_noticed(text, expected):
    assert looks_like_path(text, SCOPE) is expected


def test_the_paths_a_text_reads_are_known():
    template = "{% for a in rows.list %}{{ a.k }}{{ loop.index }}{{ slots.x | default(user.id) }}{% endfor %}"
    assert paths_of(template, template=True) == (("rows", "list"), ("slots", "x"), ("user", "id"))
    assert paths_of("a.b.0 == 1 and a.b is defined or", template=False) == ()
    assert paths_of("a.b.0 == 1 and a.b is defined", template=False) == (("a", "b", "0"), ("a", "b"))
    assert roots_of("cells.x.at is within('7d')", template=False) == {"cells", "now"}
    assert roots_of("plain", template=True) == frozenset()
