"""The registered operations, one module a family. Looking one up by its id stands in `compute.operation`."""
