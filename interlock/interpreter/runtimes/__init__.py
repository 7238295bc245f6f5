"""Runtimes: how the rounds of an `act` step go. They choose; what they choose goes through the checks of every call."""
