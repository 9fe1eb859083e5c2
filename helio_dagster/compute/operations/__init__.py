"""The registered operations, one module a family."""
