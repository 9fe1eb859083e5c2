"""Requests for a recipe of the field by its name, such as a Walen test: the data it needs, its steps and its figure."""
