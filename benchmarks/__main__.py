"""`python -m benchmarks [NAME …] [--quick]`: measures, and prints one table."""

import argparse
import sys

from benchmarks import conditions, costs, durable, growing, procedures, processes, retrieval, tables, turns, words
from benchmarks.measuring import Effort
from benchmarks.table import Row, circumstances, printed

BENCHMARKS = {
    "conditions": conditions.rows,
    "tables": tables.rows,
    "words": words.rows,
    "turns": turns.rows,
    "retrieval": retrieval.rows,
    "check": processes.check,
    "start": processes.start,
    "durable": durable.rows,
    "costs": costs.rows,
    "growing": growing.rows,
    "procedure": procedures.rows,
}


def main(arguments: list[str] | None = None) -> int:
    """Run the benchmarks named, or all, and print their rows."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure Interlock beside named rivals.")
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"which to run: {', '.join(BENCHMARKS)} (default: all)"
    )
    parser.add_argument("--quick", action="store_true", help="do everything once; shows that it works, measures little")
    given = parser.parse_args(arguments)
    unknown = [name for name in given.names if name not in BENCHMARKS]
    if unknown:
        parser.error(f"no benchmark {unknown[0]!r}; there are: {', '.join(BENCHMARKS)}")
    rows: list[Row] = []
    for name in given.names or BENCHMARKS:
        print(f"measuring {name} …", file=sys.stderr)
        rows += BENCHMARKS[name](Effort(quick=given.quick))
    print(f"{circumstances()}\n\n{printed(rows)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
