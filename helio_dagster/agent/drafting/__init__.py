"""One drafter: an intent becomes a pipeline, whoever read the words."""
