"""What runs: the compiled plan, JSON-shaped and immutable; it knows nothing of YAML."""
