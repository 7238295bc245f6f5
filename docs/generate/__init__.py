"""Writes the reference pages that can be told from the code: `python -m docs.generate`."""
