"""Codes for expressions and templates."""

from interlock.compiler.meaning import Meaning

EXPRESSIONS = {
    "bare-path": Meaning(
        "a path of the context stands as plain text",
        'Outside `when` and `that`, a value is computed in braces: write `"{{ slots.x }}"`.',
    ),
    "braces": Meaning(
        "braces within a bare expression",
        "`when` and `that` hold expressions already. Write `slots.x`, not `{{ slots.x }}`.",
    ),
    "unknown-name": Meaning(
        "a name that is not in the context here",
        "What may be read at each place is listed under *context* in the language reference. The hint names "
        "the nearest one.",
    ),
    "unknown-attribute": Meaning(
        "an attribute that is not declared",
        "The hint names the nearest one that is.",
    ),
    "undeclared-attribute": Meaning(
        "an attribute of something of which nothing is declared",
        "Declare the `output` of the tool, or the `fields` of the object: every attribute is checked, so none "
        "is silently missing.",
    ),
    "attribute-of-list": Meaning(
        "an attribute of a list",
        "Take an item (`.0`), or `map` over all of them.",
    ),
    "attribute-of-scalar": Meaning(
        "an attribute of a text, number or truth value",
        "It has none. For its length write `| length`.",
    ),
    "computed-subscript": Meaning(
        "a computed key in brackets",
        "Only a text or a whole number may stand in brackets. What depends on a value belongs into a decision table.",
    ),
    "hyphen-in-name": Meaning(
        "a name with a hyphen, which is a subtraction",
        "Names of parts are snake_case. A key with a hyphen is read as `['a-b']`.",
    ),
    "unknown-filter": Meaning(
        "a filter that is not there",
        "The filters are listed in the language reference; others come by the entry point `interlock.filters`.",
    ),
    "unknown-test": Meaning(
        "a test that is not there",
        "Tests are `defined`, `none`, `in`, `within('24h')`, `older_than('7d')`, and plug-ins.",
    ),
    "filter-arguments": Meaning(
        "a filter with wrong arguments",
        "The message shows how it is used.",
    ),
    "filter-input": Meaning(
        "a filter over something it does not take",
        "Convert the value first, or use another filter.",
    ),
    "test-arguments": Meaning(
        "a test with wrong arguments",
        "The message shows how it is used.",
    ),
    "test-input": Meaning(
        "a test of something it does not take",
        "Ages are of dates and times: write `| datetime` behind a text that holds one.",
    ),
    "bad-duration": Meaning(
        "a duration that is none",
        "Write `'500ms'`, `'30s'`, `'20m'`, `'4h'` or `'7d'`.",
    ),
    "always-defined": Meaning(
        "`is defined` of something that always is",
        "A slot, intent or variable is `none` when unfilled: write `is not none`.",
    ),
    "defined-of-value": Meaning(
        "`is defined` of a computed value",
        "Ask before the filter: `a.b is defined`.",
    ),
    "compare-kinds": Meaning(
        "values of two kinds are compared",
        "They are never equal and have no order. Convert one of them with a filter.",
    ),
    "compare-with-none": Meaning(
        "`== none`",
        "Write `is none` or `is not none`.",
    ),
    "not-in-enum": Meaning(
        "a comparison with a value that can never be there",
        "The declared values do not hold it; the hint names the nearest.",
    ),
    "no-order": Meaning(
        "`<` or `>` of values without an order",
        "Only numbers, dates, times and texts have one.",
    ),
    "order-of-digits": Meaning(
        "digits are ordered as texts",
        "`'9'` is more than `'10'`. Write numbers without quotes, and `| number` on the other side.",
    ),
    "in-object": Meaning(
        "`in` an object",
        "`in` looks into lists and texts. Write `a.b is defined`.",
    ),
    "not-a-list": Meaning(
        "a list is needed",
        "`in` and loops take lists.",
    ),
    "arithmetic-kinds": Meaning(
        "arithmetic with something that is no number",
        "Convert it with `| number`; join texts with `~`.",
    ),
    "zero-division": Meaning(
        "a division by nothing",
        "Check the divisor.",
    ),
    "constant-condition": Meaning(
        "a condition that is always the same",
        "What always holds has no condition: leave `when` out. `a == 'x' or 'y'` is always true: write `a in "
        "['x', 'y']`.",
    ),
    "mixed-and-or": Meaning(
        "`and` mixed with `or`",
        "Which of the two binds first? Write parentheses.",
    ),
    "mixed-concat": Meaning(
        "`~` mixed with arithmetic",
        "Write parentheses.",
    ),
    "chained-comparison": Meaning(
        "a comparison of a comparison",
        "Write `a < b and b < c`.",
    ),
    "minus-before-filter": Meaning(
        "a minus before a filter",
        "Write `(-a) | filter` or `-(a | filter)`.",
    ),
    "if-without-else": Meaning(
        "`a if b` without `else`",
        "It has no value when the condition does not hold. Write `a if b else c`.",
    ),
    "tuple": Meaning(
        "a comma outside a list",
        "`1,000` is two numbers and always true. Write `1000`; a list is `[a, b]`.",
    ),
    "power": Meaning(
        "a power operator",
        "There is none. Write the product.",
    ),
    "assignment": Meaning(
        "`=` in an expression",
        "`==` compares.",
    ),
    "call": Meaning(
        "a call of a function",
        "There are none. Filters are written `x | name`; the hint names the one you may mean.",
    ),
    "foreign-word": Meaning(
        "a word of another language",
        "The hint says how it is written here.",
    ),
    "foreign-sign": Meaning(
        "a sign of another language",
        "The hint says how it is written here: `and`, `or`, `not`, `!=`.",
    ),
    "full-width": Meaning(
        "a full-width sign or letter",
        "Write the half-width one.",
    ),
    "bad-escape": Meaning(
        "an unknown escape in a text",
        "There are no patterns in expressions; they live in `intents` and `slots`.",
    ),
    "bad-number": Meaning(
        "a number that cannot be kept",
        "An id is a text: quote it. A number has plain decimal digits.",
    ),
    "empty": Meaning(
        "an expression without anything in it",
        "Write the condition, or leave the key out.",
    ),
    "incomplete": Meaning(
        "an expression that ends too early",
        "Write its other side.",
    ),
    "unclosed": Meaning(
        "a quote, bracket or block that is never closed",
        "Close it.",
    ),
    "unopened": Meaning(
        "a bracket or block that was never opened",
        "Take it out, or open it.",
    ),
    "unexpected": Meaning(
        "something that cannot stand where it stands",
        "Look at what stands before it: an operator or a comma may be missing.",
    ),
    "too-long": Meaning(
        "an expression or template that is too long",
        "Name parts of it under `conditions`, or make several responses of it.",
    ),
    "bad-loop": Meaning(
        "a loop that is not of the form `{% for x in list %}`",
        "Write it in that form; there is no recursion, no filter and no unpacking in it.",
    ),
    "shadowed-name": Meaning(
        "a loop variable with a name of the context",
        "Choose another name.",
    ),
    "refused-block": Meaning(
        "a block that templates do not have",
        "There are `for` and `if`; no macros, imports, includes or assignments.",
    ),
    "unknown-block": Meaning(
        "a block that is not known",
        "There are `for` and `if`, with `elif`, `else`, `endif` and `endfor`.",
    ),
}
