"""What the operations on pay groups, payruns, batches and payslips do, each inside the caller's transaction."""

import json
import sqlite3

from demo.hr.database import next_number
from demo.hr.exchange import Json, Refusal, canonical
from demo.hr.identifiers import id64, id128


def row(db: sqlite3.Connection, query: str, key: str, what: str) -> sqlite3.Row:
    """The one row with a key; raises Refusal."""
    found: sqlite3.Row | None = db.execute(query, (key,)).fetchone()
    if found is None:
        raise Refusal(404, "NOT_FOUND", f"unknown {what}: {key}")
    return found


def pay_group(db: sqlite3.Connection, key: str) -> sqlite3.Row:
    """A pay group's row; raises Refusal."""
    return row(db, "SELECT * FROM pay_groups WHERE id = ?", key, "pay group")


def payrun(db: sqlite3.Connection, key: str) -> sqlite3.Row:
    """A payrun's row; raises Refusal."""
    return row(db, "SELECT * FROM payruns WHERE id = ?", key, "payrun")


def get_pay_group(db: sqlite3.Connection, arguments: Json) -> Json:
    """A pay group with the number of its active employees."""
    group = pay_group(db, arguments["payGroupId"])
    return {
        "payGroupId": group["id"],
        "name": group["name"],
        "currency": group["currency"],
        "headcount": len(_staff(db, group["id"], "ACTIVE")),
    }


def match_template(db: sqlite3.Connection, arguments: Json) -> Json:
    """The template of a pay group."""
    group = pay_group(db, arguments["payGroupId"])
    return {"payGroupId": group["id"], "templateId": group["template_id"]}


def import_template(db: sqlite3.Connection, arguments: Json) -> Json:
    """Each import is another one."""
    template = arguments["templateId"]
    row(db, "SELECT * FROM pay_groups WHERE template_id = ?", template, "template")
    key = id64("import", next_number(db))
    db.execute("INSERT INTO imports VALUES (?, ?, ?)", (key, template, arguments.get("remark")))
    return {"templateId": template, "importId": key, "status": "IMPORTED"}


def start_payrun(db: sqlite3.Connection, arguments: Json, *, running_reads: int) -> Json:
    """A payrun that is found running by its next reads."""
    group = pay_group(db, arguments["payGroupId"])
    row(db, "SELECT * FROM imports WHERE id = ?", arguments["importId"], "import")
    key = id64("payrun", next_number(db))
    db.execute(
        "INSERT INTO payruns VALUES (?, ?, ?, ?, ?, 'RUNNING', 1, 0, 0, '[]', '[]', 0)",
        (key, group["id"], arguments["month"], arguments["importId"], running_reads),
    )
    return {"payrunId": key, "payGroupId": group["id"], "status": "RUNNING"}


def get_payrun(db: sqlite3.Connection, arguments: Json) -> Json:
    """A payrun; reading it is what brings its calculation forward."""
    found = payrun(db, arguments["payrunId"])
    if found["status"] == "RUNNING":
        _advance(db, found)
        found = payrun(db, arguments["payrunId"])
    return {
        "payrunId": found["id"],
        "payGroupId": found["pay_group_id"],
        **{name: found[name] for name in ("month", "status", "version", "total", "headcount")},
        "warnings": json.loads(found["warnings"]),
        "newHires": json.loads(found["new_hires"]),
    }


def _advance(db: sqlite3.Connection, found: sqlite3.Row) -> None:
    if found["reads_left"]:
        db.execute("UPDATE payruns SET reads_left = reads_left - 1 WHERE id = ?", (found["id"],))
    elif _template_fits(db, found):
        _calculate(db, found["id"], found["pay_group_id"])
    else:
        db.execute("UPDATE payruns SET status = 'FAILED', version = 2 WHERE id = ?", (found["id"],))


def _template_fits(db: sqlite3.Connection, found: sqlite3.Row) -> bool:
    imported = row(db, "SELECT * FROM imports WHERE id = ?", found["import_id"], "import")
    return bool(pay_group(db, found["pay_group_id"])["template_id"] == imported["template_id"])


def _calculate(db: sqlite3.Connection, key: str, group: str) -> None:
    paid, hires = _staff(db, group, "ACTIVE"), _staff(db, group, "NEW")
    warnings = [f"{one['name']} ({one['id']}): no bank account" for one in paid if not one["has_account"]]
    new = [{"employeeId": one["id"], "name": one["name"]} for one in hires]
    db.execute(
        "UPDATE payruns SET status = 'CALCULATED', version = 2, total = ?, headcount = ?, warnings = ?, new_hires = ?"
        " WHERE id = ?",
        (sum(one["salary"] for one in paid), len(paid), canonical(warnings), canonical(new), key),
    )


def _staff(db: sqlite3.Connection, group: str, status: str) -> list[sqlite3.Row]:
    query = "SELECT * FROM employees WHERE pay_group_id = ? AND status = ? ORDER BY rowid"
    return db.execute(query, (group, status)).fetchall()


def disburse_payrun(db: sqlite3.Connection, arguments: Json) -> Json:
    """A batch of payments; nothing but an idempotency key keeps a second one away."""
    found = payrun(db, arguments["payrunId"])
    _require_calculated(found)
    if found["version"] != arguments["expectedVersion"]:
        expected, current = arguments["expectedVersion"], found["version"]
        raise Refusal(409, "VERSION_CONFLICT", f"the payrun is of version {current}, not {expected}")
    key = id128("batch", next_number(db))
    db.execute("INSERT INTO batches VALUES (?, ?, ?, 'ACCEPTED')", (key, found["id"], found["total"]))
    db.execute("UPDATE payruns SET status = 'DISBURSED' WHERE id = ?", (found["id"],))
    return get_batch(db, {"batchId": key})


def _require_calculated(found: sqlite3.Row) -> None:
    if found["status"] not in ("CALCULATED", "DISBURSED"):
        raise Refusal(409, "NOT_CALCULATED", f"the payrun is {found['status']}")


def get_batch(db: sqlite3.Connection, arguments: Json) -> Json:
    """A batch of payments."""
    found = row(db, "SELECT * FROM batches WHERE id = ?", arguments["batchId"], "batch")
    return {
        "batchId": found["id"],
        "payrunId": found["payrun_id"],
        "total": found["total"],
        "status": found["status"],
    }


def list_batches(db: sqlite3.Connection, arguments: Json) -> Json:
    """The batches of a payrun that stand; more than one has paid twice."""
    found = payrun(db, arguments["payrunId"])
    query = "SELECT id FROM batches WHERE payrun_id = ? AND status = 'ACCEPTED' ORDER BY rowid"
    batches = [get_batch(db, {"batchId": one["id"]}) for one in db.execute(query, (found["id"],))]
    return {"payrunId": found["id"], "batches": batches}


def cancel_batch(db: sqlite3.Connection, arguments: Json) -> Json:
    """The payrun is merely calculated again once none of its batches stands."""
    batch = get_batch(db, arguments)
    db.execute("UPDATE batches SET status = 'CANCELLED' WHERE id = ?", (batch["batchId"],))
    db.execute(
        "UPDATE payruns SET status = 'CALCULATED' WHERE id = ? AND status = 'DISBURSED'"
        " AND NOT EXISTS (SELECT 1 FROM batches WHERE payrun_id = payruns.id AND status = 'ACCEPTED')",
        (batch["payrunId"],),
    )
    return get_batch(db, arguments)


def publish_payslips(db: sqlite3.Connection, arguments: Json) -> Json:
    """Every payslip of a payrun."""
    found = payrun(db, arguments["payrunId"])
    _require_calculated(found)
    db.execute("UPDATE payruns SET published = published + 1 WHERE id = ?", (found["id"],))
    return {"payrunId": found["id"], "published": True}
