"""Ids as an HR system gives them: digits with leading zeros, too large for a float; the same ones in every run."""

import hashlib


def id64(kind: str, number: int) -> str:
    """A 64-bit id of 20 digits; the first is always 0, the value is above 2^62."""
    return f"{(_hashed(kind, number, 8) >> 1) | (1 << 62):020d}"


def id128(kind: str, number: int) -> str:
    """A 128-bit id of 39 digits; the first two are always 0, the value is above 2^119."""
    return f"{(_hashed(kind, number, 16) >> 8) | (1 << 119):039d}"


def _hashed(kind: str, number: int, size: int) -> int:
    return int.from_bytes(hashlib.sha256(f"{kind}:{number}".encode()).digest()[:size])


def neighbour(value: str) -> str:
    """Another id of the same shape."""
    return value[:-1] + str((int(value[-1]) + 1) % 10)
