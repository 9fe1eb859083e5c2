"""Values and rules of the field: pipeline, time range, grain, table, unit, error. Pure: no Dagster, network, files or clock."""
