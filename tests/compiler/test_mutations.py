"""Whatever is done to a good spec, compiling it gives findings, or plans that can run, and never raises."""

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from interlock.compiler import compile_bundle
from interlock.interpreter.program import link
from interlock.source import Bundle, read_bundle, read_document

HERE = Path(__file__).parent
GOOD, _ = read_bundle(HERE / "ok" / "shop")
PEOPLE, _ = read_bundle(HERE / "ok" / "people")
ODD = st.sampled_from(
    [
        None,
        True,
        0,
        -1,
        10**40,
        1.5,
        "",
        " ",
        "x",
        "none",
        "slots.order_no",
        "{{ slots.order_no }}",
        "{{ 1 / 0 }}",
        "{% for",
        "raw",
        "get_order",
        "look",
        "shop",
        "caller",
        "cells.get_order.status",
        "conditions.is_open",
        "args.level",
        "{{ x",
        [],
        {},
        ["x"],
        {"zh": "您好"},
        {"en": "x", "fr": "y"},
        [{"reply": "x"}],
        [{"flow": "look"}],
        [{"call": "get_order"}],
    ]
)


def paths(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from paths(inner, (*path, key))


def changed(data: Any, path: tuple[str | int, ...], how: str, value: Any, other: tuple[str | int, ...]) -> Any:
    data = copy.deepcopy(data)
    if not path:
        return value
    holder = at(data, path[:-1])
    match how:
        case "put":
            holder[path[-1]] = value
        case "drop":
            del holder[path[-1]]
        case "copy":
            holder[path[-1]] = copy.deepcopy(at(data, other))
        case "add" if isinstance(holder, dict):
            holder[str(value)[:12] or "x"] = copy.deepcopy(holder[path[-1]])
        case _ if isinstance(holder, list):
            holder.append(copy.deepcopy(holder[path[-1]]))
    return data


def at(data: Any, path: tuple[str | int, ...]) -> Any:
    for key in path:
        data = data[key]
    return data


@st.composite
def mutated(draw: st.DrawFn) -> list[Any]:
    documents = [document.data for document in GOOD.documents]
    for _ in range(draw(st.integers(1, 3))):
        number = draw(st.integers(0, len(documents) - 1))
        every = list(paths(documents[number]))
        path, other = draw(st.sampled_from(every)), draw(st.sampled_from(every))
        how = draw(st.sampled_from(["put", "drop", "copy", "add"]))
        documents[number] = changed(documents[number], path, how, draw(ODD), other)
    return documents


def bundle_of(documents: list[Any]) -> tuple[Bundle, list[Any]]:
    """JSON is YAML, so every mutation can be written down and read again with places."""
    read = [
        read_document(json.dumps(data, ensure_ascii=False, indent=1).encode(), f"{i}.yaml")
        for i, data in enumerate(documents)
    ]
    found = [finding for _, findings in read for finding in findings]
    return Bundle("shop", GOOD.root, tuple(document for document, _ in read if document), GOOD.sheets), found


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(mutated())
def test_a_mutated_bundle_compiles_to_findings_or_plans(documents: list[Any]):
    bundle, read = bundle_of(documents)
    compiled = compile_bundle(bundle, {"people": PEOPLE}, read=read)
    errors = [finding for finding in compiled.diagnostics if finding.severity == "error"]
    assert errors or compiled.plans or not any("Agent" in str(data) for data in documents)
    assert all(finding.location.line >= 1 and finding.message for finding in compiled.diagnostics)
    for plan in compiled.plans.values():
        link(plan)


@pytest.mark.parametrize("document", GOOD.documents, ids=lambda document: document.file)
def test_every_single_key_may_be_missing(document):
    rest = [other.data for other in GOOD.documents if other is not document]
    for path in list(paths(document.data))[1:]:
        bundle, read = bundle_of([changed(document.data, path, "drop", None, ()), *rest])
        for plan in compile_bundle(bundle, {"people": PEOPLE}, read=read).plans.values():
            link(plan)
