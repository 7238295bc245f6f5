"""Text of people: normalised views, phrases, identifier patterns, extractors, language; with positions in the raw text."""
