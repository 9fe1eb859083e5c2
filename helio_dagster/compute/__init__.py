"""Operations on tables, registered and evaluated. Knows no Dagster, files or network."""
