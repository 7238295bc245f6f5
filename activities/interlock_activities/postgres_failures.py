"""What PostgreSQL's errors mean, in words without values: its own messages hold them."""

from typing import Final

import psycopg

from interlock.contract import strict_json
from interlock_activities.failures import Failure, failed, misconfigured, timed_out

_CANCELED: Final = "57014"
_READ_ONLY: Final = "25006"
_AGAIN: Final = ("40", "53", "55P03")
"""Beginnings of codes that another attempt may escape: conflicts with others, no resources, a lock."""

_GONE: Final = ("08", "57P")
"""Beginnings of codes that end the connection."""

_MISTAKES: Final = ("42", "0A")
"""Beginnings of codes about the statement itself; these messages name tables, columns and types only."""


def failure_of(problem: psycopg.Error, timeout_ms: int, *, committing: bool) -> Failure:
    """A statement that ended in an error. Before COMMIT whatever the server refuses is rolled back."""
    code = problem.sqlstate
    if code == _CANCELED:
        return timed_out(timeout_ms, sent=committing)
    if code is None:
        return _without_code(problem)
    if code.startswith(_GONE):
        return failed(f"the database ended the connection ({code})")
    if code.startswith(_AGAIN):
        return failed(f"the database asks to try again ({_name(problem)}, {code})", sent=False)
    if code == _READ_ONLY:
        return misconfigured("the statement would change something, and this tool may only read", tried=True)
    if code.startswith(_MISTAKES):
        why = strict_json.shown(problem.diag.message_primary or code)
        return misconfigured(f"the statement is refused: {why}", tried=True)
    constraint = problem.diag.constraint_name
    of = f", constraint {strict_json.shown(constraint)!r}" if constraint else ""
    return failed(f"the database refuses it ({_name(problem)}, {code}{of})", retryable=False, sent=False)


def refused(problem: psycopg.Error, where: str) -> Failure:
    """A connection that did not come about: nothing was sent. libpq tells only by words why."""
    if problem.sqlstate:
        return failed(f"{where} begins no transaction ({problem.sqlstate})", sent=False)
    said = str(problem).lower()
    if "authentication failed" in said or "no pg_hba.conf entry" in said:
        return misconfigured(f"{where} does not let this user in", tried=True)
    if "fatal:" in said and "does not exist" in said:
        return misconfigured(f"{where} has no such database or user", tried=True)
    if "does not support ssl" in said:
        return misconfigured(f"{where} speaks no TLS: say ?sslmode=disable in the address if it may go without")
    if "proactoreventloop" in said:
        return misconfigured("PostgreSQL on Windows needs a worker that runs on asyncio.SelectorEventLoop")
    why = ": its certificate is refused" if "certificate" in said else ""
    return failed(f"no connection to {where}{why}", sent=False)


def _without_code(problem: psycopg.Error) -> Failure:
    """No word of the server: the connection is gone, or psycopg could not write an argument."""
    if isinstance(problem, psycopg.OperationalError | psycopg.InterfaceError):
        return failed("the connection to the database broke off")
    return misconfigured(f"an argument cannot be sent ({_name(problem)})")


def _name(problem: psycopg.Error) -> str:
    return type(problem).__name__
