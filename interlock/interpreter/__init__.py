"""The pure machine: events in, commands out, one serialisable state. No I/O, no clock, no asyncio."""
