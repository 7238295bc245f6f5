"""Mistakes of shape: each told in an author's words, at its line and column, all in one pass."""

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.compiler.shape import parse
from interlock.source import read_document
from interlock.spec import KINDS
from interlock.spec.forms import keys_of, models_in

HEAD = """\
apiVersion: interlock/v1
kind: Agent
name: demo
routes:
  - flow: main
flows:
  main:
    - reply: hi
"""


def check(text):
    document, found = read_document(text.encode(), "a.yaml")
    spec, problems = parse(document)
    return spec, [*found, *problems]


def only(text):
    spec, (finding,) = check(text)
    assert (spec is None) == (finding.severity == "error")
    return finding


def at(finding):
    return f"{finding.location.line}:{finding.location.column}"


def test_a_spec_with_the_right_shape_has_no_findings():
    spec, found = check(HEAD)
    assert found == []
    assert spec.flows["main"][0].reply == "hi"


@pytest.mark.parametrize(
    ("part", "code", "place", "message", "hint"),
    [
        ("slot: {a: {extract: date}}", "unknown-key", "9:1", "'slot'", "did you mean 'slots'?"),
        ("slots: {a: {pattern: [x]}}", "unknown-key", "9:13", "'pattern' in a slot", "did you mean 'patterns'?"),
        ("cases: []", "unknown-key", "9:1", "spec of kind Agent", "'cases' is a key of kind Suite"),
        ("slots: {a: {extract: date, gates: x}}", "unknown-key", "9:28", "a slot", "move it to the left"),
        ("tools: {t: {python: x, effect: read, xyzzy: 1}}", "unknown-key", "9:38", "a tool", "one of title"),
        ("mounts: [{name: x, call: y}]", "unknown-key", "9:11", "a mount", "one of call"),
        ("gates: [{name: x, reply: y}]", "unknown-key", "9:10", "a gate", "did you mean 'id'?"),
        ("tools: {t: {python: x}}", "missing-key", "9:9", "a tool needs 'effect'", ""),
        ("gates: [{id: g}]", "exactly-one", "9:9", "one of 'reply', 'ask'", ""),
        ("gates: [{id: g, reply: a, ask: b}]", "exactly-one", "9:27", "'reply' and 'ask'", "keep one"),
        ("gates: [{id: g, ask: b, screen: c, prefix: d}]", "exactly-one", "9:36", "'screen' and 'prefix'", "keep one"),
        ("slots: {a: {vocabulary: v, extract: date}}", "exactly-one", "9:28", "read in one way", "keep one"),
        ("slots: {a: {extract: date, assume: 1, default: 2}}", "exactly-one", "9:39", "filled in", "keep one"),
        ("slots: {a: {extract: date, note: x}}", "lonely-key", "9:28", "'note' does nothing without 'assume'", ""),
        ("gates: [{id: g, reply: a, allow: [b]}]", "lonely-key", "9:27", "'allow' does nothing without 'screen'", ""),
        ("session: {}", "empty-map", "9:1", "empty map", "leave the key out"),
        ("slots: {}", "empty-map", "9:8", "empty map", "leave the key out"),
        ("languages: []", "empty-list", "9:12", "empty list", "leave the key out"),
        ("title: {}", "empty-map", "9:8", "empty map", "leave the key out"),
        ("intents: {i: {keywords: ['']}}", "empty-text", "9:26", "empty text", "leave the key out"),
        ("languages: zh", "wrong-type", "9:12", "expected a list of texts, found the text 'zh'", "[zh]"),
        ("title: 5", "wrong-type", "9:8", "expected text, or a map with a text for each language", "quote it: '5'"),
        ("title: true", "wrong-type", "9:8", "found true", "quote it: 'true'"),
        ("title:", "wrong-type", "9:7", "found nothing", "leave the key out"),
        ("title: #5 is best", "wrong-type", "9:7", "found nothing", "an unquoted # begins a comment"),
        ("title: [a]", "wrong-type", "9:8", "found a list", ""),
        ("description: {a: b}", "wrong-type", "9:14", "expected text, found a map", "quote it"),
        ("gates: {id: g}", "wrong-type", "9:8", "expected a list of gates, found a map", "'- '"),
        ("gates: [g]", "wrong-type", "9:9", "expected a map (a gate), found the text 'g'", ""),
        ("gates:\n  - reply：您好", "wrong-type", "10:5", "found the text", "full-width colon"),
        ("slots: [a]", "wrong-type", "9:8", "expected a map, found a list", ""),
        ("slots: {a: {extract: date, many: yes}}", "wrong-type", "9:34", "true or false", "write true"),
        ("session: {history: '20'}", "wrong-type", "9:20", "expected a whole number, found the text '20'", ""),
        ("session: {history: 1.5}", "wrong-type", "9:20", "expected a whole number, found the number 1.5", ""),
        ("config: {a: {b: 1}}", "wrong-type", "9:13", "a number, true, false or a list, found a map", ""),
        ("session: {history: -1}", "out-of-range", "9:20", "-1 is not at least 0", ""),
        ("session: {upgrade: nevr}", "not-allowed", "9:20", "may not stand at 'upgrade'", "did you mean 'never'?"),
        ("session: {upgrade: 5}", "wrong-type", "9:20", "expected one of next_turn, never, found the number 5", ""),
        ("session: {idle_timeout: 30 sec}", "bad-duration", "9:25", "'30 sec'", "did you mean '30s'?"),
        ("session: {idle_timeout: 1w}", "bad-duration", "9:25", "'1w'", "500ms, 30s"),
        ("session: {idle_timeout: 30}", "wrong-type", "9:25", "found the number 30", ""),
        ("slots: {Ship-No: {extract: date}}", "bad-name", "9:9", "'Ship-No'", "did you mean 'ship_no'?"),
        ("slots: {单号: {extract: date}}", "bad-name", "9:9", "'单号'", "snake_case"),
        ("uses: [My Lib]", "bad-name", "9:8", "'My Lib'", "folder/name"),
        ("title: {zh: 您好, english: hi}", "bad-language", "9:17", "'english'", "'zh'"),
        ("title: {zh: 您好, en: 5}", "wrong-type", "9:21", "expected text, found the number 5", "quote it: '5'"),
        ("responses: {r: {fields: ['rows[0].value']}}", "bad-path", "9:26", "rows[0].value", "did you mean 'rows.0.value'?"),
        ("responses: {r: {raw: false}}", "wrong-type", "9:22", "expected one of true, found false", ""),
        ("tools: {t: {http: get /x, effect: read}}", "bad-form", "9:19", "'get /x'", "GET /orders"),
        ("tools: {t: {python: x, effect: writes}}", "not-allowed", "9:32", "'writes'", "did you mean 'write'?"),
        ("servers: {s: {http: x, redirects: ['https://a']}}", "bad-form", "9:36", "https://a", "without scheme"),
        ("message: {types: [User Chat]}", "bad-name", "9:19", "'User Chat'", "did you mean 'user_chat'?"),
        ("decisions: {d: {hit: first, inputs: {a: {type: integer, value: x}}, outputs: {b: {type: integer}}}}",
         "exactly-one", "9:13", "one of 'rules' or 'csv' is missing", ""),
    ],
)  # fmt: skip
def test_one_mistake_is_one_finding(part, code, place, message, hint):
    finding = only(HEAD + part)
    assert (finding.code, at(finding)) == (code, place)
    assert message in finding.message
    assert hint in finding.hint


@pytest.mark.parametrize(
    ("step", "code", "column", "message", "hint"),
    [
        ("{rpely: hi}", "unknown-action", 8, "'rpely'", "did you mean 'reply'?"),
        ("{say: hi}", "unknown-action", 8, "'say'", "did you mean 'reply'?"),
        ("{dance: hi}", "unknown-action", 8, "'dance'", "one of call, run"),
        ("{when: x, dance: hi}", "unknown-action", 17, "'dance'", "one of call, run"),
        ("{when: x}", "missing-key", 7, "a step needs an action", "one of call, run"),
        ("{reply: hi, call: x}", "exactly-one", 19, "'reply' and 'call'", "two steps"),
        ("{call: x, reply: hi, options: [a]}", "exactly-one", 17, "'call' and 'reply'", "two steps"),
        ("{reply: hi, result: x}", "unknown-key", 19, "a step with 'reply'", "'result' goes with 'respond'"),
        ("{call: x, args: {a: 1}}", "unknown-key", 17, "a step with 'call'", "did you mean 'with'?"),
        ("{call: x, max_parts: 3}", "lonely-key", 17, "'max_parts' does nothing without 'expand'", ""),
        ("{call: x, catch: [{}]}", "empty-map", 25, "empty map", "leave the key out"),
        ("{call: x, catch: [{errors: [timout]}]}", "not-allowed", 35, "at 'errors'", "did you mean 'timeout'?"),
        ("{switch: [{when: x, then: [{reply: hi}]}]}", "unknown-key", 27, "a branch", "did you mean 'do'?"),
        ("hello", "wrong-type", 7, "expected a step", ""),
        ("{call: [x]}", "wrong-type", 14, "expected text, found a list", ""),
        ("{set: {a-b: 1}}", "bad-name", 14, "'a-b'", "did you mean 'a_b'?"),
        ("{collect: x}", "wrong-type", 17, "expected a list of", "[x]"),
    ],
)
def test_one_mistake_in_a_step_is_one_finding(step, code, column, message, hint):
    finding = only(f"{HEAD}    - {step}\n")
    assert (finding.code, at(finding)) == (code, f"9:{column}")
    assert message in finding.message
    assert hint in finding.hint


@pytest.mark.parametrize(
    ("source", "hint"),
    [
        ("slot.no", "did you mean 'slots.no'?"),
        ("'{{ slots.no }}'", "did you mean 'slots.no'?"),
        ("models", "did you mean 'model'?"),
        ("slots", "'caller', 'model', or a path under slots"),
    ],
)
def test_a_source_is_a_path_of_the_context(source, hint):
    finding = only(f"{HEAD}tools: {{t: {{python: x, effect: read, input: {{a: {{type: string, from: {source}}}}}}}}}")
    assert finding.code == "bad-source"
    assert hint in finding.hint


@pytest.mark.parametrize(
    ("old", "new", "code", "place", "hint"),
    [
        ("kind: Agent", "kind: Agnet", "unknown-kind", "2:7", "did you mean 'Agent'?"),
        ("kind: Agent", "kind: Workflow", "unknown-kind", "2:7", "one of Agent, Procedure, Library, Suite"),
        ("kind: Agent", "kind: [Agent]", "unknown-kind", "2:7", "one of Agent"),
        ("kind: Agent\n", "", "missing-key", "1:1", "one of Agent"),
        ("kind: Agent", "knd: Agent", "missing-key", "1:1", "did you mean 'knd'?"),
        ("interlock/v1", "interlock/v2", "unknown-version", "1:13", "write 'interlock/v1'"),
        ("apiVersion: interlock/v1\n", "", "missing-key", "1:1", ""),
        ("name: demo", "name: My_Demo", "bad-name", "3:7", "did you mean 'my-demo'?"),
        ("name: demo", "name: 5", "wrong-type", "3:7", "quote it"),
        ("routes:\n  - flow: main\n", "", "missing-key", "1:1", ""),
    ],
)
def test_the_head_of_a_spec(old, new, code, place, hint):
    finding = only(HEAD.replace(old, new))
    assert (finding.code, at(finding)) == (code, place)
    assert hint in finding.hint


def test_all_mistakes_come_in_one_pass_in_order():
    _, found = check(HEAD + "tilte: x\nslots: {a: {}}\ngates: [{id: 5, rply: x}]\nsession: {history: x}\n")
    assert [(f.code, at(f)) for f in found] == [
        ("unknown-key", "9:1"), ("exactly-one", "10:9"), ("wrong-type", "11:14"), ("unknown-key", "11:17"),
        ("wrong-type", "12:20"),
    ]  # fmt: skip


def test_what_reading_refused_is_not_complained_of_again():
    assert [f.code for f in check(HEAD + "title: *x\ndescription: 007\nconfig: {a: *y}\n")[1]] == [
        "yaml-alias", "unsafe-scalar", "yaml-alias",
    ]  # fmt: skip


def test_a_comma_that_split_a_text_is_named_as_such():
    assert "split-text" in [f.code for f in check(HEAD + "title: {zh: 您好, en: Hello, you}\n")[1]]


def test_a_comment_that_swallowed_a_text_is_a_warning():
    spec, (finding,) = check(HEAD + "    - reply: 运单 #1 已签收\n")
    assert spec is not None
    assert (finding.severity, finding.code, at(finding)) == ("warning", "swallowed-comment", "9:16")


@pytest.mark.parametrize(
    "line", ["title: '运单' # 1", "config: {a: 1}   # why", "uses: [a]  # b", "description: x # y"]
)
def test_a_comment_after_anything_else_is_a_comment(line):
    assert check(f"{HEAD}{line}\n")[1] == []


def test_findings_never_show_the_validators_own_words():
    _, found = check(
        HEAD + "tools: {t: [], u: {http: 5, effect: [x], input: {a: {type: 1, value: 2, min: []}}}}\ngates: 5\n"
    )
    assert len(found) == 6
    text = " ".join(map(str, found))
    assert not any(word in text for word in ("Input should", "valid string", "\0", "pydantic", "instance of"))


KEYS = sorted({key for kind in KINDS.values() for model in models_in(kind) for key in keys_of(model)} | {"x", "Bad-1"})
SCALARS = st.sampled_from([None, True, 0, 5, 1.5, "", "x", "Bad 1", "30 s", "reply：x", "slots.x", "rows[0]", "caller"])
PARTS = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=10,
)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(sorted(KINDS)), st.dictionaries(st.sampled_from(KEYS), PARTS, max_size=5))
def test_whatever_is_written_every_finding_has_a_place_and_words(kind, parts):
    document, _ = read_document(yaml.safe_dump({**parts, "kind": kind}, allow_unicode=True).encode(), "a.yaml")
    spec, found = parse(document)
    assert (spec is None) == any(finding.severity == "error" for finding in found)
    for finding in found:
        assert finding.location.file == "a.yaml"
        assert not any(word in f"{finding.message} {finding.hint}" for word in ("Input", "\0", "None", "Spec'"))


def _steps(inner):
    return st.lists(st.dictionaries(st.sampled_from(["call", "reply", "do", "switch", "when", "catch", "set",
                                                     "collect", "x"]), inner, max_size=3), max_size=3)  # fmt: skip


@settings(max_examples=100, deadline=None)
@given(st.recursive(SCALARS, _steps, max_leaves=12))
def test_whatever_a_flow_holds_it_is_taken_or_refused_with_words(steps):
    text = HEAD.replace(
        "    - reply: hi\n", f"    {yaml.safe_dump(steps, default_flow_style=True, allow_unicode=True)}"
    )
    document, _ = read_document(text.replace("...", "").encode(), "a.yaml")
    spec, found = parse(document)
    assert (spec is None) == any(finding.severity == "error" for finding in found)


def test_a_spec_of_nothing_but_mistakes_is_told_its_first_ones():
    _, found = check(HEAD + "".join(f"k{number}: 1\n" for number in range(20_000)))
    assert len(found) == 100
