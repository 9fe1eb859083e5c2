"""`python -m helio_dagster` is `helio`."""

from helio_dagster.cli import main

if __name__ == "__main__":
    main()
