"""`python -m docs.generate`: write every generated page anew, and say which have changed."""

import sys

from docs.generate.pages import REFERENCE, pages


def main() -> None:
    """Write what is not as the code has it."""
    for name, content in pages().items():
        path = REFERENCE / name
        if not path.exists() or path.read_text(encoding="utf-8") != content:
            path.write_text(content, encoding="utf-8")
            sys.stdout.write(f"wrote {path.relative_to(REFERENCE.parents[1])}\n")


if __name__ == "__main__":
    main()
