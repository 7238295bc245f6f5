"""Retrievers as the compiler gives them: what is searched, by names that hold on every machine."""

from pathlib import Path

import pytest

from interlock.compiler import compile_folder
from interlock.plan.tools import Retriever

LIBRARY = "apiVersion: interlock/v1\nkind: Library\nname: knowledge\n"
AGENT = "apiVersion: interlock/v1\nkind: Agent\nname: desk\nroutes: [{flow: f}]\nflows: {f: [{reply: Hello}]}\n"


@pytest.fixture
def bundle(tmp_path: Path):
    """Compiles a bundle `desk` of these files."""
    root = tmp_path / "specs" / "desk"

    def compiled(**files: str):
        for name, text in files.items():
            path = root / name.replace("__", "/").replace("_", ".")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return compile_folder(root)

    return compiled


def test_documents_are_named_by_bundle_and_path(bundle):
    found = bundle(
        parts__knowledge_yaml=LIBRARY
        + "retrievers: {handbook: {documents: ../docs/hr/}, wiki: {python: wiki.find, top: 3}}\n",
        docs__hr__a_md="text",
    )
    assert found.diagnostics == []
    assert found.retrievers == (
        Retriever(at="parts/knowledge.yaml:4:14", kind="documents", bundle="desk", documents="docs/hr"),
        Retriever(at="parts/knowledge.yaml:4:50", kind="python", python="wiki.find", top=3),
    )


def test_a_plan_is_the_same_with_and_without_a_retriever_that_nothing_uses(bundle):
    before = bundle(agent_yaml=AGENT).plans["desk"].digest
    found = bundle(agent_yaml=AGENT + "retrievers: {handbook: {documents: docs}}\n", docs__a_txt="text")
    assert [(one.code, one.severity) for one in found.diagnostics] == [("unused", "warning")]
    assert (len(found.retrievers), found.plans["desk"].digest) == (1, before)


def test_what_documents_say_is_no_part_of_the_plan(bundle):
    first = bundle(k_yaml=LIBRARY + "retrievers: {handbook: {documents: docs}}\n", docs__a_txt="text")
    assert bundle(docs__a_txt="other").retrievers == first.retrievers


def test_a_link_that_leads_out_of_the_bundle_is_refused(bundle, tmp_path):
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "a.txt").write_text("text")
    (tmp_path / "specs" / "desk").mkdir(parents=True)
    (tmp_path / "specs" / "desk" / "docs").symlink_to(tmp_path / "outside")
    found = bundle(k_yaml=LIBRARY + "retrievers: {handbook: {documents: docs}}\n")
    assert {finding.code for finding in found.diagnostics} == {"outside-bundle"}


def test_two_libraries_may_not_declare_one_name(bundle):
    retriever = "retrievers: {wiki: {python: wiki}}\n"
    found = bundle(k_yaml=LIBRARY + retriever, agent_yaml=AGENT + "uses: [knowledge]\n" + retriever)
    assert [finding.code for finding in found.diagnostics] == ["duplicate-name", "unused"]
    assert "retriever 'wiki'" in found.diagnostics[0].message


def test_a_step_brings_what_it_searches_into_the_plan(bundle):
    searching = AGENT.replace("[{reply: Hello}]", "[{retrieve: handbook, top: 2}, {reply: Hello}]")
    found = bundle(
        agent_yaml=searching + "uses: [knowledge]\n",
        k_yaml=LIBRARY + "retrievers: {handbook: {documents: docs}, wiki: {python: wiki}}\n",
        docs__a_txt="text",
    )
    assert found.diagnostics == []
    assert found.plans["desk"].retrievers == {
        "handbook": Retriever(at="k.yaml:4:14", kind="documents", bundle="desk", documents="docs")
    }


def test_findings_are_told_anew_when_the_documents_have_changed(bundle, tmp_path):
    from interlock.cli.marks import Marks

    root = str(tmp_path / "specs" / "desk")
    bundle(k_yaml=LIBRARY + "retrievers: {handbook: {documents: docs}}\n", docs__a_txt="text")
    before = Marks().of(root)
    (tmp_path / "specs" / "desk" / "docs" / "a.txt").unlink()
    assert Marks().of(root) != before
