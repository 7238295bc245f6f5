"""The HR service that the payroll demo and its tests start: HTTP over SQLite. Not part of the engine."""
