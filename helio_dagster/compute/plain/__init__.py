"""Operations written plainly, for a reader who wants to see a computation: pandas and numpy alone, over whole ranges.

`helio script --standalone` copies these functions, and what they use, into a script that runs without helio_dagster. Each has
the id of its operation, which names its module in `compute.operation`; its arguments are the operation's inputs (DataFrames
with a UTC index; how far records reach in `attrs["extent"]`, in s) and its options. The columns of its result stand in the
order of the operation's. Nothing here runs in a pipeline.
"""
