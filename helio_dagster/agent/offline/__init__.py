"""The planner without a language model: a grammar over the catalog and the operations."""
