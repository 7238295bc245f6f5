"""The store of facts of `specs/finance-facts`, as a SQLite file."""
