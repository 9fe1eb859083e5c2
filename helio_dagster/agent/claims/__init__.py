"""Numbers that a language model states, held against what was computed."""
