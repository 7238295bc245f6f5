"""What the operations on employees and on the general ledger do, each inside the caller's transaction."""

import sqlite3

from demo.hr.database import next_number
from demo.hr.exchange import Json
from demo.hr.identifiers import id64
from demo.hr.payroll import pay_group, payrun, row


def list_employees(db: sqlite3.Connection, arguments: Json) -> Json:
    """The employees of one pay group or of all."""
    group = arguments.get("payGroupId")
    if group is not None:
        pay_group(db, group)
    query = "SELECT * FROM employees WHERE ? IS NULL OR pay_group_id = ? ORDER BY rowid"
    return {"employees": [_employee(one) for one in db.execute(query, (group, group))]}


def _employee(found: sqlite3.Row) -> Json:
    return {
        "employeeId": found["id"],
        "payGroupId": found["pay_group_id"],
        "name": found["name"],
        "salary": found["salary"],
        "status": found["status"],
    }


def onboard_employee(db: sqlite3.Connection, arguments: Json) -> Json:
    """From the next payrun on they are paid."""
    found = row(db, "SELECT * FROM employees WHERE id = ?", arguments["employeeId"], "employee")
    db.execute("UPDATE employees SET status = 'ACTIVE' WHERE id = ?", (found["id"],))
    return {"employeeId": found["id"], "status": "ACTIVE"}


def post_entry(db: sqlite3.Connection, arguments: Json) -> Json:
    """An entry in the general ledger."""
    run = payrun(db, arguments["payrunId"])
    values = (id64("entry", next_number(db)), run["id"], arguments["total"], arguments["reference"])
    db.execute("INSERT INTO entries VALUES (?, ?, ?, ?)", values)
    return dict(zip(("entryId", "payrunId", "total", "reference"), values, strict=True))


def find_entries(db: sqlite3.Connection, arguments: Json) -> Json:
    """The entries with a reference."""
    query = "SELECT * FROM entries WHERE reference = ? ORDER BY rowid"
    names = ("entryId", "payrunId", "total", "reference")
    found = db.execute(query, (arguments["reference"],))
    return {"entries": [dict(zip(names, tuple(one), strict=True)) for one in found]}
