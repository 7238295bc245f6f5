"""A mistake in the shape of a spec hides no other, and brings no other with it."""

import copy
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from interlock.compiler import compile_bundle
from interlock.compiler.mending import mended
from interlock.compiler.shape import parse
from interlock.diagnostics import Diagnostic
from interlock.source import Bundle, Document, read_bundle, read_document

HERE = Path(__file__).parent
SPECS = HERE.parents[1] / "specs"
ODD: tuple[Any, ...] = (None, 5, [], {}, True, [5], "", [{"x": 1}])

AGENT: dict[str, Any] = {
    "apiVersion": "interlock/v1",
    "kind": "Agent",
    "name": "desk",
    "servers": {"api": {"http": "https://api.example"}},
    "mounts": [{"call": "find"}],
    "slots": {"no": {"title": "Order", "patterns": ["A[0-9]{4}"], "ask": "Which order?"}},
    "tools": {
        "find": {
            "http": "GET /orders",
            "effect": "read",
            "input": {"no": {"type": "string", "from": "slots.no"}},
            "output": {"state": {"type": "string"}},
            "requires": [{"that": "slots.no is not none", "else": "An order, please."}],
            "timeout": "3s",
        }
    },
    "gates": [
        {"id": "stop", "when": "message.text == 'stop'", "reply": "Stopped."},
        {"id": "bye", "when": "message.text == 'bye'", "reply": "Bye."},
    ],
    "routes": [{"when": "slots.no is not none", "flow": "look"}, {"flow": "rest"}],
    "flows": {
        "look": [
            {"call": "find", "title": "Look it up"},
            {"when": "slots.no is not none", "reply": "It is {{ steps.find.result.state }}."},
            {
                "switch": [
                    {"when": "slots.no is none", "do": [{"reply": "Which one?"}]},
                    {"do": [{"reply": "So it is."}]},
                ]
            },
            {"reply": "Anything else?"},
            {"reply": "Really?"},
        ],
        "rest": [{"reply": "Hello."}],
    },
}
PROCEDURE: dict[str, Any] = {
    "apiVersion": "interlock/v1",
    "kind": "Procedure",
    "name": "pay",
    "input": {"people": {"type": "list", "items": {"type": "string"}}},
    "servers": {"api": {"http": "https://api.example"}},
    "tools": {
        "pay": {
            "http": "POST /payments",
            "effect": "write",
            "idempotency": {"header": "Idempotency-Key"},
            "input": {"to": {"type": "string", "from": "caller"}},
            "output": {"done": {"type": "boolean"}},
            "ensures": [{"that": "result.done"}],
        }
    },
    "conditions": {"anyone": {"that": "input.people != []"}},
    "decisions": {
        "fee": {
            "hit": "first",
            "inputs": {"who": {"type": "string", "value": "{{ input.people.0 }}"}},
            "outputs": {"fee": {"type": "integer"}},
            "rules": [{"who": "me", "fee": 0}, {"fee": 2}],
        }
    },
    "steps": [
        {
            "for_each": {
                "items": "{{ input.people }}",
                "as": "one",
                "key": "{{ one }}",
                "do": [
                    {"call": "pay", "when": "conditions.anyone", "with": {"to": "{{ one }}"}},
                    {"do": [{"set": {"a": "{{ decisions.fee.fee }}"}, "title": "Note it"}]},
                ],
            }
        },
        {"parallel": {"left": [{"wait": "1s"}], "right": [{"wait": "2s"}]}},
    ],
    "result": {"a": "{{ vars.a | default(0) }}"},
}
SUITE: dict[str, Any] = {
    "apiVersion": "interlock/v1",
    "kind": "Suite",
    "name": "desk-suite",
    "of": "desk",
    "stubs": {"tools": {"find": [{"when": "args.no == 'A1234'", "payload": {"state": "SENT"}}]}},
    "cases": [
        {"id": "asks", "turns": [{"user": "hello", "expect": {"outcome": "reply", "route": "rest"}}]},
        {"id": "looks", "turns": [{"user": "A1234", "expect": {"route": "look", "calls": [{"tool": "find"}]}}]},
    ],
}

Path_ = tuple[str | int, ...]
Mistake = tuple[Path_, str, Any]
"""Where; `put` a value or `name` the key otherwise; and what."""

LOOK: Path_ = ("flows", "look")
FIND: Path_ = ("tools", "find")
LOOP: Path_ = ("steps", 0, "for_each")
MISTAKES: dict[str, list[Mistake]] = {
    "flow": [
        ((*LOOK, 0, "title"), "name", "titel"),
        ((*LOOK, 0, "catch"), "put", [{"errors": ["timeot"], "do": [{"reply": "{{ slots.na }}"}]}]),
        ((*LOOK, 1, "when"), "put", "slots.no = 1"),
        ((*LOOK, 1, "reply"), "put", "{{ slots.nope }}"),
        ((*LOOK, 2, "switch", 0, "when"), "put", 5),
        ((*LOOK, 2, "switch", 0, "do", 0), "put", {"call": "finnd"}),
        ((*LOOK, 2, "switch", 1, "do", 0, "options"), "put", "None"),
        ((*LOOK, 3, "reply"), "name", "rply"),
        ((*LOOK, 3, "whatever"), "put", 1),
        ((*LOOK, 4), "put", "reply"),
        ((*LOOK, 5), "put", {"zzz": 1}),
    ],
    "tool": [
        ((*FIND, "timeout"), "name", "timout"),
        ((*FIND, "server"), "put", "apii"),
        ((*FIND, "requires", 0, "that"), "put", "slots.nope == 1"),
        ((*FIND, "requires", 0, "else"), "put", 7),
        ((*FIND, "requires", 1), "put", {"condition": "gone"}),
        ((*FIND, "input", "no", "from"), "put", "slots.nix"),
        ((*FIND, "input", "other"), "put", {"from": "caller"}),
        ((*FIND, "outcomes"), "put", [{"outcome": "sucess", "message": "{{ slots.o }}"}]),
        ((*FIND, "output", "state", "enum"), "put", 5),
        ((*FIND, "invalidates"), "put", ["seek"]),
    ],
    "slot": [
        (("slots", "no", "title"), "name", "tittle"),
        (("slots", "no", "patterns"), "put", ["(?=a)"]),
        (("slots", "no", "ask"), "put", "{{ slots.zz }}"),
        (("slots", "no", "many"), "put", "maybe"),
        (("slots", "no", "checks"), "put", [{"that": "value =", "else": "No."}]),
    ],
    "gates and routes": [
        (("gates", 0, "reply"), "name", "rply"),
        (("gates", 0, "when"), "put", "message.txt == 'x'"),
        (("gates", 0, "options"), "put", [5]),
        (("gates", 1, "reason"), "put", "Not A Name"),
        (("gates", 1, "reply"), "put", "{{ slots.n }}"),
        (("gates", 1, "zzz"), "put", 1),
        (("routes", 0, "when"), "put", "slots.nu"),
        (("routes", 0, "zzz"), "put", 5),
        (("routes", 0, "flow"), "put", "lok"),
        (("mounts", 1), "put", {"call": "seek", "intnt": "x"}),
    ],
    "procedure": [
        ((*LOOP, "key"), "name", "kye"),
        ((*LOOP, "max_parallel"), "put", "many"),
        ((*LOOP, "do", 0, "with", "to"), "put", "{{ input.nobody }}"),
        ((*LOOP, "do", 0, "timeout"), "put", 5),
        ((*LOOP, "do", 1, "do", 0, "title"), "name", "titel"),
        ((*LOOP, "do", 1, "do", 1), "put", {"call": "pey"}),
        (("steps", 1, "parallel", "left", 0), "put", {"run": "nowhere"}),
        (("steps", 1, "parallel", "right", 0), "put", {"wiat": "2s"}),
        (("steps", 2), "put", {"receive": "nothing", "zzz": 1}),
        (("decisions", "fee", "hit"), "put", "frist"),
        (("decisions", "fee", "inputs", "who", "value"), "put", "{{ input.whom }}"),
        (("conditions", "anyone", "that"), "put", "input.peple"),
        (("conditions", "anyone", "esle"), "put", "Nobody."),
        (("deadline",), "put", 5),
    ],
    "suite": [
        (("of",), "put", "dsk"),
        (("stubs", "tools", "fnd"), "put", [{"payload": {}}]),
        (("stubs", "tools", "find", 0, "when"), "put", "args.nr == 1"),
        (("stubs", "tools", "find", 0, "times"), "put", "often"),
        (("cases", 0, "turns", 0, "user"), "name", "usr"),
        (("cases", 0, "turns", 0, "expect", "route"), "put", "rset"),
        (("cases", 1, "turns", 0, "expect", "outcome"), "put", "repli"),
        (("cases", 1, "turns", 0, "expect", "calls", 0, "tool"), "put", "seek"),
    ],
}
SPEC_OF = {"procedure": PROCEDURE, "suite": SUITE}


def told(subject: str, mistakes: list[Mistake]) -> set[tuple[str, str, Path_]]:
    """What is found in a spec with these mistakes, beside the others as they are: code, message, and where."""
    whole = SPEC_OF.get(subject, AGENT)
    wrong = copy.deepcopy(whole)
    for path, how, what in mistakes:
        holder = at(wrong, path[:-1])
        if how == "name":
            renamed = {what if key == path[-1] else key: value for key, value in holder.items()}
            holder.clear()
            holder.update(renamed)
        elif isinstance(holder, list) and path[-1] == len(holder):
            holder.append(what)
        else:
            holder[path[-1]] = what
    documents = [read(wrong if spec is whole else spec) for spec in (AGENT, PROCEDURE, SUITE)]
    found = compile_bundle(Bundle("shop", HERE, tuple(documents), {}))
    assert not mistakes or whole["name"] not in found.plans
    written = {document.file: document for document in documents}
    return {(one.code, one.message, where(written[one.location.file], one)) for one in found.diagnostics}


def read(spec: dict[str, Any]) -> Document:
    document, found = read_document(json.dumps(spec).encode(), f"{spec['name']}.yaml")
    assert document is not None
    assert found == []
    return document


def where(document: Document, finding: Diagnostic) -> Path_:
    """The key or value that a finding stands at or in."""
    starts = {document.places.value(path): path for path in paths(document.data)}
    starts |= {document.places.key(path): path for path in paths(document.data)}
    return starts[max(place for place in starts if place <= finding.location)]


def at(data: Any, path: Path_) -> Any:
    for key in path:
        data = data[key]
    return data


def paths(value: Any, path: Path_ = ()) -> Iterator[Path_]:
    yield path
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from paths(inner, (*path, key))


def test_the_specs_are_sound_without_mistakes():
    assert told("flow", []) == set()


@pytest.mark.parametrize("subject", MISTAKES)
def test_of_many_mistakes_in_one_part_each_is_told_in_one_run(subject: str):
    mistakes = MISTAKES[subject]
    alone = [told(subject, [mistake]) for mistake in mistakes]
    assert all(alone)
    chosen = random.Random(subject)
    samples = [range(len(mistakes)), *(chosen.sample(range(len(mistakes)), 3) for _ in range(8))]
    for sample in samples:
        together = told(subject, [mistakes[index] for index in sorted(sample)])
        assert together == set[Any]().union(*(alone[index] for index in sample))


def spoilt(data: Any, path: Path_) -> Iterator[tuple[str, Any]]:
    """A spec with one mistake at a path: a key that is misspelt, foreign or missing, or an odd value."""
    key = path[-1]
    for how in (*((f"name {name}", name) for name in (f"{key}x", "qqqqzzzz") if isinstance(key, str)), ("drop", None)):
        changed = copy.deepcopy(data)
        holder = at(changed, path[:-1])
        written = list(holder.items()) if isinstance(holder, dict) else []
        if how[1] is None:
            del holder[key]
        else:
            holder.clear()
            holder.update({how[1] if name == key else name: value for name, value in written})
        yield how[0], changed
    for value in ODD:
        changed = copy.deepcopy(data)
        at(changed, path[:-1])[key] = copy.deepcopy(value)
        yield f"put {value!r}", changed


@pytest.mark.parametrize("folder", [HERE / "ok" / "shop", SPECS / "payroll"], ids=lambda folder: folder.name)
def test_a_mistake_of_shape_in_a_sound_bundle_brings_no_other(folder: Path):
    bundle, _ = read_bundle(folder)
    others = {"people": read_bundle(HERE / "ok" / "people")[0]}
    sound = {(one.code, one.message) for one in compile_bundle(bundle, others).diagnostics}
    places = [(number, path) for number, one in enumerate(bundle.documents) for path in list(paths(one.data))[1:]]
    for number, path in random.Random(folder.name).sample([one for one in places if one[1] != ("kind",)], 30):
        for how, data in spoilt(bundle.documents[number].data, path):
            name = bundle.documents[number].file
            document, found = read_document(json.dumps(data, ensure_ascii=False, indent=1).encode(), name)
            assert document is not None
            spec, problems = parse(document)
            if spec is not None:
                continue
            left = mended(document)
            assert left is not None, (name, path, how)
            documents = (*bundle.documents[:number], document, *bundle.documents[number + 1 :])
            compiled = compile_bundle(Bundle(bundle.name, bundle.root, documents, bundle.sheets), others, read=found)
            brought = {*compiled.diagnostics} - {*found, *problems, *left.findings}
            assert {(one.code, one.message) for one in brought} <= sound, (name, path, how)
            assert bundle.documents[number].data["name"] not in compiled.plans
