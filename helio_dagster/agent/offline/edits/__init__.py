"""Changes of the pipeline on the table, said in words: read as slots, applied as edits."""
