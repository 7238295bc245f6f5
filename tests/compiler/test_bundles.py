"""Several specs together: Libraries of other bundles, broken files and parts beside good ones, big vocabularies."""

import time
from pathlib import Path

import pytest

from interlock.compiler import Compiled, compile_folder

AGENT = "apiVersion: interlock/v1\nkind: Agent\nname: {name}\n{body}routes: [{{flow: hello}}]\nflows: {{hello: [{{reply: Hello.}}]}}\n"
LIBRARY = "apiVersion: interlock/v1\nkind: Library\nname: {name}\n{body}"


def agent(name: str = "desk", body: str = "") -> str:
    return AGENT.format(name=name, body=body)


def library(name: str, body: str) -> str:
    return LIBRARY.format(name=name, body=body)


@pytest.fixture
def compiled(tmp_path: Path):
    def write(**files: str) -> Compiled:
        for name, text in files.items():
            path = tmp_path / name.replace("__", "/").replace("_yaml", ".yaml").replace("_csv", ".csv")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return compile_folder(tmp_path / "bundle")

    return write


def codes(found: Compiled) -> list[str]:
    return [finding.code for finding in found.diagnostics]


def test_a_broken_file_hides_nothing_in_another_and_only_its_users_have_no_plan(compiled):
    found = compiled(
        bundle__broken_yaml="a: [1, 2\n",
        bundle__user_yaml=agent("user", "uses: [broken]\n"),
        bundle__other_yaml=agent("other"),
        bundle__wrong_yaml=agent("wrong", "gates: [{id: a, when: usr.id, reply: No.}]\n"),
    )
    assert codes(found) == ["yaml-syntax", "unknown-name"]
    assert set(found.plans) == {"other"}


def test_a_broken_part_is_told_once_and_hides_no_other(compiled):
    body = "slots: {order: {extrct: date}, due: {extract: dat}}\nconfig: {a: 1}\n"
    gates = "gates: [{id: a, when: slots.order is none, reply: 'No {{ config.b }}.'}]\n"
    found = compiled(bundle__desk_yaml=agent(body=body + gates))
    assert sorted(codes(found)) == ["unknown-attribute", "unknown-extractor", "unknown-key"]
    assert found.plans == {}


def test_the_parts_of_a_library_that_is_not_there_are_not_asked_for(compiled):
    found = compiled(
        bundle__desk_yaml=agent(body="uses: [gone]\ngates: [{id: a, when: slots.x and intents.y, reply: No.}]\n")
    )
    assert codes(found) == ["unknown-library"]


def test_one_library_by_two_ways_is_one_copy(compiled):
    gates = "gates: [{id: a, when: intents.buy, reply: No.}]\n"
    found = compiled(
        shared__base_yaml=library("base", "intents: {buy: {keywords: [buy]}}\n"),
        bundle__one_yaml=library("one", "uses: [shared/base]\nconfig: {a: 1}\n"),
        bundle__two_yaml=library("two", "uses: [shared/base]\nconfig: {b: 1}\n"),
        bundle__desk_yaml=agent(body="uses: [one, two]\n" + gates),
    )
    assert found.diagnostics == []
    assert set(found.plans["desk"].intents) == {"buy"}


def test_mistakes_of_another_bundle_are_told_there_and_keep_the_plan_from_being_made(compiled):
    found = compiled(
        shared__base_yaml=library("base", "config: {a: 1}\nresponses: {r: {text: '{{ config.b }}'}}\n"),
        bundle__desk_yaml=agent(body="uses: [shared/base]\n"),
    )
    assert codes(found) == ["broken-library"]
    assert found.plans == {}


def test_a_mistake_in_a_csv_file_keeps_the_plan_from_being_made(compiled):
    found = compiled(
        bundle__words_csv="word\nalpha\nbeta,gamma\n",
        bundle__desk_yaml=agent(body="vocabularies: {v: {csv: words.csv}}\ngates: [{id: a, screen: v, refuse: No.}]\n"),
    )
    assert codes(found) == ["ragged-row"]
    assert found.plans == {}


def test_files_are_named_as_people_typed_the_folder(tmp_path: Path):
    folder = tmp_path / "bundle"
    folder.mkdir()
    (folder / "desk.yaml").write_text(agent(body="config: {a: 1, a: 2}\n"), encoding="utf-8")
    found = compile_folder(folder, shown_as="specs/bundle").diagnostics
    (twice,) = [finding for finding in found if finding.code == "duplicate-key"]
    assert str(twice.location) == "specs/bundle/desk.yaml:4:16"
    assert str(twice.also[0][0]) == "specs/bundle/desk.yaml:4:10"


def test_a_suite_of_the_bundle_comes_with_its_document(compiled):
    suite = "apiVersion: interlock/v1\nkind: Suite\nname: tests\nof: desk\ncases: [{id: a, turns: [{user: hi}]}]\n"
    found = compiled(bundle__desk_yaml=agent(), bundle__suite_yaml=suite)
    assert [suite.spec.of for suite in found.suites] == ["desk"]
    assert str(found.suites[0].document.places.key(("cases", 0, "id"))).startswith("suite.yaml:5:")


def test_a_vocabulary_of_a_hundred_thousand_phrases_is_compiled_in_seconds(compiled):
    rows = "".join(f"C{i},phrase number {i};phrase {i}\n" for i in range(50_000))
    body = "vocabularies: {v: {csv: words.csv}}\ngates: [{id: a, screen: v, refuse: No.}]\n"
    started = time.process_time()
    found = compiled(bundle__words_csv="code,aliases\n" + rows, bundle__desk_yaml=agent(body=body))
    assert time.process_time() - started < 10
    assert found.diagnostics == []
    assert len(found.plans["desk"].vocabularies["v"].terms) == 50_000


def test_the_title_of_a_code_stands_in_whichever_of_its_rows_has_one(compiled):
    body = "vocabularies: {cities: {csv: cities.csv}}\nslots: {city: {vocabulary: cities}}\n"
    found = compiled(
        bundle__desk_yaml=agent(body=body).replace("reply: Hello.", 'reply: "{{ slots.city | show }}"'),
        bundle__cities_csv="code,title,aliases\nSZX,,shenzhen\nSZX,Shenzhen,sham chun\n",
    )
    assert codes(found) == []
    (term,) = found.plans["desk"].vocabularies["cities"].terms
    assert (term.title, term.aliases) == ({"*": "Shenzhen"}, ("shenzhen", "sham chun"))


LOOKING_UP = """\
servers: {{desk: {{http: "https://desk.example"}}}}
models: {{general: {{model: m}}}}
tools:
  look:
    http: GET /facts
    effect: read
    output: {{price: {{type: string}}}}
    fact: {{value: price}}
responses: {{said: {{facts: {{found: "{{{{ fact.value }}}}", not_found: None., unrecognized: None.}}}}}}
mounts: [{{call: look}}]
routes: [{{flow: all}}]
flows: {{all: [{step}, {{respond: said}}, {{generate: general, no_result: keep}}], other: [{{call: look}}]}}
"""


@pytest.mark.parametrize(
    "step",
    [
        "{call: look}",
        "{act: {tools: [look]}}",
        "{act: {}}",
        "{plan: {goal: Find it., actions: [look]}}",
        "{flow: other}",
    ],
)
def test_no_result_means_something_where_any_step_may_look_a_fact_up(compiled, step):
    head = "apiVersion: interlock/v1\nkind: Agent\nname: desk\n"
    found = compiled(bundle__desk_yaml=head + LOOKING_UP.format(step=step))
    assert "no-effect" not in codes(found)
