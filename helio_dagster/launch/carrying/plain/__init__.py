"""The parts of a standalone script that are the same in every one. They are copied into it, and run there alone."""
