"""A bundle is a folder: its YAML files, the CSV files they name, and what is wrong with any of them."""

import os

import pytest

from interlock.source import find_bundles, read_bundle


@pytest.fixture
def folder(tmp_path):
    def write(files, name="demo"):
        for file, content in files.items():
            path = tmp_path / name / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return tmp_path / name

    return write


def codes(found):
    return [(f.code, str(f.location)) for f in found]


def test_all_yaml_files_belong_to_it_in_the_order_of_their_paths(folder):
    root = folder(
        {"b.yaml": "b: 1", "a/z.yml": "z: 1", "a.YAML": "a: 1", "note.txt": "x", ".h.yaml": "h", ".d/x.yaml": ""}
    )
    bundle, found = read_bundle(root)
    assert found == []
    assert bundle.name == "demo"
    assert [d.file for d in bundle.documents] == ["a.YAML", "a/z.yml", "b.yaml"]


def test_findings_of_all_files_come_together(folder):
    bundle, found = read_bundle(folder({"b.yaml": "a: 007", "a.yaml": "a: 'x", "c.yaml": "a: 1"}))
    assert codes(found) == [("yaml-syntax", "a.yaml:1:4"), ("unsafe-scalar", "b.yaml:1:4")]
    assert [d.file for d in bundle.documents] == ["b.yaml", "c.yaml"]


def test_a_sheet_is_read_relative_to_the_spec_that_names_it(folder):
    files = {
        "lib/words.yaml": "vocabularies:\n  a: {csv: ../data/w.csv}\ndecisions:\n  d: {csv: t.csv}\n",
        "data/w.csv": "word\n竞安\n",
        "lib/t.csv": '\ufeffamount,group\n< 5,"a, b"\n',
        "unused.csv": "\0",
    }
    bundle, found = read_bundle(folder(files))
    assert found == []
    assert {file: sheet.rows for file, sheet in bundle.sheets.items()} == {
        "data/w.csv": (("竞安",),),
        "lib/t.csv": (("< 5", "a, b"),),
    }
    assert bundle.sheets["lib/t.csv"].header == ("amount", "group")


def test_a_missing_sheet_is_reported_where_it_is_named_with_the_nearest_name(folder):
    _, (finding,) = read_bundle(folder({"a.yaml": "vocabularies:\n  a: {csv: wrods.csv}\n", "words.csv": "word\n"}))
    assert codes([finding]) == [("missing-file", "a.yaml:2:12")]
    assert "words.csv" in finding.hint


@pytest.mark.parametrize("name", ["../secret.csv", "/etc/hostname", "../demo2/x.csv"])
def test_a_sheet_outside_the_bundle_is_refused(folder, name):
    folder({"x.csv": "word\n"}, "demo2")
    bundle, found = read_bundle(folder({"a.yaml": f"vocabularies:\n  a: {{csv: {name}}}\n"}))
    assert codes(found) == [("outside-bundle", "a.yaml:2:12")]
    assert not bundle.sheets


@pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")
def test_links_that_leave_the_bundle_are_refused_and_others_followed(folder, tmp_path):
    root = folder({"real/a.yaml": "a: 1"})
    (tmp_path / "secret.yaml").write_text("password: x")
    (root / "out.yaml").symlink_to(tmp_path / "secret.yaml")
    (root / "in.yaml").symlink_to(root / "real" / "a.yaml")
    (root / "loop").symlink_to(root)
    bundle, found = read_bundle(root)
    assert codes(found) == [("outside-bundle", "loop:1:1"), ("outside-bundle", "out.yaml:1:1")]
    assert [d.file for d in bundle.documents] == ["in.yaml", "real/a.yaml"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_what_is_no_regular_file_is_refused_and_not_waited_for(folder):
    root = folder({"a.yaml": "a: 1"})
    os.mkfifo(root / "pipe.yaml")
    (root / "folder.yaml").mkdir()
    assert codes(read_bundle(root)[1]) == [("unreadable-file", "pipe.yaml:1:1")]


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="needs a file that cannot be read")
def test_an_unreadable_file_is_a_finding(folder):
    root = folder({"a.yaml": "a: 1"})
    (root / "a.yaml").chmod(0)
    assert codes(read_bundle(root)[1]) == [("unreadable-file", "a.yaml:1:1")]


def test_a_dangling_link_is_a_finding(folder):
    root = folder({"b.yaml": "a: 1"})
    (root / "a.yaml").symlink_to(root / "nowhere.yaml")
    assert codes(read_bundle(root)[1]) == [("missing-file", "a.yaml:1:1")]


def test_an_empty_folder_a_missing_one_and_a_wrong_file_are_findings(folder, tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "note.txt").write_text("x")
    assert codes(read_bundle(tmp_path / "empty")[1]) == [("empty-bundle", ".:1:1")]
    assert codes(read_bundle(tmp_path / "note.txt")[1]) == [("not-a-spec", ".:1:1")]
    _, (missing,) = read_bundle(tmp_path / "empyt")
    assert missing.code == "missing-file"
    assert "'empty'" in missing.hint


def test_bundles_are_found_from_a_bundle_a_folder_of_bundles_or_one_file(folder, tmp_path):
    one = folder({"specs/one/a.yaml": "a: 1", "specs/two/sub/b.yaml": "b: 1", "specs/.x/c.yaml": ""}, "") / "specs"
    assert find_bundles([one / "one"]) == [one / "one"]
    assert find_bundles([one / "one" / "a.yaml"]) == [one / "one"]
    assert find_bundles([one]) == [one / "one", one / "two" / "sub"]
    assert find_bundles([one, one / "one"]) == [one / "one", one / "two" / "sub"]
    assert find_bundles([tmp_path / "nowhere"]) == [tmp_path / "nowhere"]


def test_a_bundle_reads_the_same_twice(folder):
    root = folder({f"{n}.yaml": f"a: {n}x" for n in range(20)})
    assert [d.file for d in read_bundle(root)[0].documents] == [d.file for d in read_bundle(root)[0].documents]


@pytest.mark.skipif(os.name == "nt", reason="names of files are text on Windows")
def test_the_name_of_a_file_can_always_be_printed(folder):
    root = folder({"a.yaml": "a: 1"})
    try:
        (root / os.fsdecode(b"b\xff.yaml")).write_text("a: 007")
    except OSError:
        pytest.skip("this file system takes only UTF-8 names")
    assert str(read_bundle(root)[1][0]).encode()
