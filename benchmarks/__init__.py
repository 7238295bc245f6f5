"""What Interlock costs, measured beside what a user would take instead, in one run: `python -m benchmarks`."""
