"""A YAML file as people write it: read with the place of every value, edited in place, written in one style."""
