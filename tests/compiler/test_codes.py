"""Every code that the engine raises is in the registry, and the registry holds no code that nothing raises."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import interlock
from interlock.compiler.codes import CODES

ROOT = Path(interlock.__file__).parent
LAYERS = ("source", "spec", "expressions", "contract", "compiler", "authoring/importing")
MAKERS = {
    "Diagnostic",
    "Problem",
    "Finding",
    "Broken",
    "fail",
    "fault",
    "error",
    "warning",
    "problem",
    "SqlError",
    "_warning",
    "_report",
    "Form",
}
CODE = re.compile(r"[a-z]+(-[a-z0-9]+)*")


def raised() -> Iterator[str]:
    """Codes by their form: the first text of a call that makes a finding, a `code=`, or of a tuple of texts."""
    for layer in LAYERS:
        for module in sorted((ROOT / layer).rglob("*.py")):
            if not module.name.startswith("codes"):
                yield from in_module(ast.parse(module.read_text(encoding="utf-8")))


def in_module(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            named = [word.value for word in node.keywords if word.arg == "code"]
            first = node.args[:1] if name in MAKERS else []
            yield from (text for value in [*first, *named] for text in texts(value) if CODE.fullmatch(text))
        elif isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple) and len(node.value.elts) == 3:
            yield from (text for text in texts(node.value.elts[0]) if "-" in text)


def texts(node: ast.AST) -> list[str]:
    """The constant, or the two of `a if b else c`."""
    if isinstance(node, ast.IfExp):
        return [*texts(node.body), *texts(node.orelse)]
    return [node.value] if isinstance(node, ast.Constant) and isinstance(node.value, str) else []


def literals() -> set[str]:
    """Every text in the modules that look for mistakes."""
    modules = (
        module for layer in LAYERS for module in (ROOT / layer).rglob("*.py") if not module.name.startswith("codes")
    )
    trees = (ast.parse(module.read_text(encoding="utf-8")) for module in modules)
    return {text for tree in trees for node in ast.walk(tree) for text in texts(node)}


def test_every_code_that_is_raised_has_its_meaning_and_remedy():
    found = set(raised())
    assert len(found) > 100
    assert sorted(found - set(CODES)) == []


def test_every_code_of_the_registry_is_raised_somewhere():
    made_of_two = {"empty-list", "empty-map"}
    assert sorted(set(CODES) - literals() - made_of_two) == []


def test_meanings_are_short_and_remedies_are_sentences():
    for code, meaning in CODES.items():
        assert CODE.fullmatch(code)
        assert len(meaning.what) <= 100
        assert not meaning.what.endswith(".")
        assert meaning.remedy.endswith(".")
