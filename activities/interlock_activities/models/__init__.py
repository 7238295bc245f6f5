"""Models: one question, one whole answer, by whichever provider the plan names."""
