"""What stands in a new database: two pay groups, their employees, and three new hires. Two people share a name."""

import sqlite3

from demo.hr.identifiers import id64, id128

GROUPS = (("PG-000042", "深圳总部"), ("PG-000107", "Travel allowances"))
CURRENCY = "CNY"

# fmt: off
STAFF = (
    "王芳", "李伟", "张敏", "刘洋", "陈静", "杨磊", "黄丽", "赵军", "周婷",
    "吴强", "徐娜", "孙浩", "马超", "朱琳", "胡斌", "郭燕", "何平", "高峰",
    "林雪", "罗刚", "郑爽", "梁晨", "谢婷婷", "欧阳明", "司徒静", "王芳",
    "Alice Brown", "Tom O'Neill", "Mary Smith", "José García", "Priya Nair",
    "Hans Müller", "Grace Lee", "David Cohen", "Emma Wilson",
)
# fmt: on
ALLOWED = ("宋佳", "唐宁", "Olga Petrova", "Liam Walker", "Noor Haddad", "冯雨")
HIRES = ("邓紫薇", "曹阳", "Sofia Rossi")

NO_ACCOUNT = "Noor Haddad"
"""Has no bank account, so that each payrun of the second group carries a warning."""


def template_of(pay_group: str) -> str:
    """The id of a pay group's template."""
    return id128("template", int(pay_group.removeprefix("PG-")))


def sow(db: sqlite3.Connection) -> None:
    """Fill an empty database; a filled one is left alone."""
    if db.execute("SELECT 1 FROM pay_groups").fetchone():
        return
    for group, name in GROUPS:
        db.execute("INSERT INTO pay_groups VALUES (?, ?, ?, ?)", (group, name, CURRENCY, template_of(group)))
    people = [("PG-000042", name, 800_000 + 35_000 * (at % 17), "ACTIVE") for at, name in enumerate(STAFF)]
    people += [("PG-000107", name, 9_000 + 1_500 * at, "ACTIVE") for at, name in enumerate(ALLOWED)]
    people += [("PG-000042", name, 760_000, "NEW") for name in HIRES]
    db.executemany(
        "INSERT INTO employees VALUES (?, ?, ?, ?, ?, ?)",
        [(id64("employee", at), *person, person[1] != NO_ACCOUNT) for at, person in enumerate(people, start=1)],
    )
