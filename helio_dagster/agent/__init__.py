"""From a sentence to a pipeline."""
