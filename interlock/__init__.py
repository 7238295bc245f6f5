"""Interlock: declarative rules and workflows that compile to a checked plan and run on Temporal."""

__version__ = "0.1.0"
