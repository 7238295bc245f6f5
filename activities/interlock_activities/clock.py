"""How long something has taken, for answers and logs."""

import time


def elapsed_ms(started: float) -> int:
    """Whole milliseconds since `started`, a reading of `time.monotonic`."""
    return round((time.monotonic() - started) * 1000)
