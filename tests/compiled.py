"""Plans of specs that a test writes, or changes some words of."""

from functools import cache

from interlock.compiler import compile_folder


def exchanged(text, changes):
    """A text with changes of `(old, new)`, each made once, in order; what is old must stand there."""
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    return text


def plans_in(folder):
    """The plans of a folder by name; the compiler has nothing to say of it."""
    found = compile_folder(folder)
    assert [str(one) for one in found.diagnostics] == []
    return found.plans


def plan_of(file, folder_for):
    """Compiles a spec file, named as its spec is, under changes; the same changes give the same plan.

    `folder_for` makes an empty folder of a name, as `tmp_path_factory.mktemp` does.
    """
    text = file.read_text(encoding="utf-8")

    @cache
    def compiled(*changes):
        folder = folder_for(file.stem)
        (folder / file.name).write_text(exchanged(text, changes), encoding="utf-8")
        return plans_in(folder)[file.stem]

    return compiled
