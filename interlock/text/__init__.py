"""Reading what people write: normalised views, phrases, patterns, extractors, language; positions in the raw text."""
