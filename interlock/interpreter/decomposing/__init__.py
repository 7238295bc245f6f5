"""Which of several values belong together, as packages may say it: the port, its registry, and its conformance."""
