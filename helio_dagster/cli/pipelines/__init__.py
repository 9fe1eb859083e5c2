"""`helio pipelines`: the library of pipelines."""
