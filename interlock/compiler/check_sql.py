"""Tools that send SQL: one statement that can be read, every argument bound, and no write into what is only read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from interlock.compiler.closure import server_of
from interlock.compiler.findings import suggestion
from interlock.contract import sql
from interlock.contract.sql import SqlError

if TYPE_CHECKING:
    from interlock.compiler.findings import Findings
    from interlock.compiler.units import Part
    from interlock.contract.sql import Statement

_ANSWER = re.compile(r"count|rows(\.[0-9]+(\..+)?)?")


def check_sql(part: Part, findings: Findings) -> None:
    """One tool with `sql`."""
    _unwrap(part, findings)
    try:
        statement = sql.read(part.model.sql)
    except SqlError as problem:
        at = part.unit.inside((*part.path, "sql"), problem.offset)
        findings.error(problem.code, problem.message, at, hint=problem.hint)
        return
    _first_word(part, statement, findings)
    _arguments(part, statement, findings)
    _writable(part, findings)


def _unwrap(part: Part, findings: Findings) -> None:
    """What every answer looks like is known."""
    written = part.model.unwrap
    if written is None or _ANSWER.fullmatch(written):
        return
    hint = "the answer is `{rows, count}`: `rows.0` is its first row, `rows.0.total` a column of it"
    findings.error("unknown-path", f"there is no {written!r} in the answer", part.value("unwrap"), hint=hint)


def _first_word(part: Part, statement: Statement, findings: Findings) -> None:
    effect = part.model.effect
    if effect in ("none", "read"):
        if statement.first not in sql.READS:
            message = f"the tool says `effect: {effect}`, and its statement begins with {statement.first}"
            hint = f"what reads begins with {', '.join(sorted(sql.READS))}; what writes says `effect: write`"
            findings.error("not-a-query", message, part.value("sql"), hint=hint)
    elif statement.first not in sql.WRITES:
        message = f"a statement that begins with {statement.first} cannot be a tool"
        hint = f"it begins with one of {', '.join(sorted(sql.WRITES))}"
        findings.error("bad-sql", message, part.value("sql"), hint=hint)


def _arguments(part: Part, statement: Statement, findings: Findings) -> None:
    declared = part.model.input or {}
    carried = part.model.idempotency.argument if part.model.idempotency is not None else None
    known = [*declared, *([carried] if carried is not None else [])]
    for name, offset in zip(statement.names, statement.offsets, strict=True):
        if name not in known and not part.is_open("args"):
            at = part.unit.inside((*part.path, "sql"), offset)
            hint = suggestion(name, known, none="declare it under `input`")
            findings.error("unknown-argument", f"no argument fills :{name}", at, hint=hint)
    for name in declared:
        if name not in statement.names:
            message = f"the statement does not use {name!r}"
            hint = f"write :{name} in it, or take the argument out"
            findings.error("unused-argument", message, part.key("input", name), hint=hint)
    if carried is not None and carried not in statement.names:
        message = f"the statement does not use the key {carried!r}"
        hint = f"store :{carried} where it is unique, so that a repeated request changes nothing"
        findings.error("unused-argument", message, part.value("idempotency", "argument"), hint=hint)


def _writable(part: Part, findings: Findings) -> None:
    written = part.model
    server = server_of(part)
    if written.effect in ("none", "read") or server is None or server.model.sql is None or not server.model.read_only:
        return
    message = f"the tool says `effect: {written.effect}`, and {server.called} is only read"
    also = ((server.key(), "it is declared here"),)
    hint = "say `read_only: false` there if tools may write into it"
    findings.error("read-only-server", message, part.value("effect"), also=also, hint=hint)
