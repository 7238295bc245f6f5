"""The pause that a service asks for before another attempt."""

import math
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime


def retry_after_ms(headers: Mapping[str, str]) -> int | None:
    """Milliseconds by `retry-after-ms` or `retry-after`, in seconds or as a date; none where neither can be read."""
    exact = headers.get("retry-after-ms", "").strip()
    if exact.isascii() and exact.replace(".", "", 1).isdecimal():
        return math.ceil(float(exact[:12]))
    text = headers.get("retry-after", "").strip()
    if text.isascii() and text.isdecimal():
        return int(text[:9]) * 1000
    try:
        when = parsedate_to_datetime(text)
    except ValueError:
        return None
    when = when if when.tzinfo else when.replace(tzinfo=UTC)
    return max(0, int((when - datetime.fromtimestamp(time.time(), UTC)).total_seconds() * 1000))
