"""Traces of what runs do: where a span belongs, how that travels with Temporal's headers, and who exports it."""
