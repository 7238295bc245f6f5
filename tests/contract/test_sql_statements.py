"""Statements of tools: what is an argument in them and what only looks like one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.contract.sql import SqlError, read


@pytest.mark.parametrize(
    "around",
    [
        "SELECT ':no', {}",
        "SELECT 'it''s :no', {}",
        r"SELECT E'it\'s :no', {}",
        r"SELECT e'\\', {}, ':no'",
        r"SELECT 'C:\', {}, ':no'",
        'SELECT ":no ""x"" :no", {}',
        "SELECT `:no`, {}",
        "SELECT $$ :no '$$, {}",
        "SELECT $a$ $$ :no $$ $b$ $a$, {}",
        "SELECT /* :no ' */ {}",
        "SELECT -- :no; 'no\n {}",
        "SELECT x::text, {}",
        "SELECT x :: text, {}",
        "SELECT a[1 : 2], {}",
        "SELECT f(x := {})",
        "SELECT 12:: int, {}",
        "SELECT data ? 'key', {}",
        "SELECT 名, {} FROM 表 WHERE 名 = '：否'",
        "(SELECT {}) UNION (SELECT 2)",
        "select {};\n  -- the end",
    ],
)
def test_only_what_stands_outside_of_texts_names_and_comments_is_an_argument(around):
    statement = read(around.format(":id_1"))
    assert statement.names == ("id_1",)
    assert statement.first == "SELECT"
    assert statement.numbered("$") == around.format("$1").partition(";\n  --")[0]
    assert statement.offsets == (around.index("{}"),)


def test_one_name_is_one_number_wherever_it_stands():
    statement = read("SELECT :b, :a::int FROM t WHERE a = :a AND b IN (:b,:c)")
    assert statement.arguments == ("b", "a", "c")
    assert statement.numbered("?") == "SELECT ?1, ?2::int FROM t WHERE a = ?2 AND b IN (?1,?3)"


@pytest.mark.parametrize(
    ("text", "code", "offset"),
    [
        ("", "bad-sql", 0),
        ("  /* a */ ;", "bad-sql", 0),
        ("SELECT 1; SELECT 2", "several-statements", 10),
        ("SELECT 1;;", "several-statements", 9),
        ("SELECT ';' ; DROP TABLE t --", "several-statements", 13),
        ("SELECT '{{ x }}'", "sql-template", 8),
        ("SELECT {% if x %}", "sql-template", 7),
        ("DELETE FROM t -- the old ones WHERE state = 'OLD'", "bad-sql", 14),
        ("SELECT 'a", "bad-sql", 7),
        (r"SELECT E'a\'", "bad-sql", 8),
        ('SELECT "a', "bad-sql", 7),
        ("SELECT `a", "bad-sql", 7),
        ("SELECT /* a", "bad-sql", 7),
        ("SELECT /* a /* b */ */ 1", "bad-sql", 12),
        ("SELECT $$ a", "bad-sql", 7),
        ("SELECT $a$ a $$", "bad-sql", 7),
        ("SELECT $1", "bad-sql", 7),
        ("SELECT $name", "bad-sql", 7),
        ("SELECT ?1", "bad-sql", 7),
    ],
)
def test_what_cannot_be_told_for_sure_is_refused(text, code, offset):
    with pytest.raises(SqlError) as caught:
        read(text)
    assert (caught.value.code, caught.value.offset) == (code, offset)


@given(st.text(alphabet="a:'\"`$-/*;?(){}%\\ \n1é", max_size=40))
def test_whatever_is_read_is_put_together_again_unchanged(text):
    try:
        statement = read("SELECT " + text)
    except SqlError:
        return
    rebuilt = statement.pieces[0]
    for name, piece in zip(statement.names, statement.pieces[1:], strict=True):
        rebuilt += f":{name}{piece}"
    assert ("SELECT " + text).startswith(rebuilt)
    assert ("SELECT " + text)[len(rebuilt) :].lstrip().startswith(";") or rebuilt == "SELECT " + text
