"""Lists of events in the forms in which they are published: each reader gives the same rows of text."""
