"""What the addresses of the interface say: names, steps and times; and the types of the files that it sends."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Query

Name = Annotated[str, Path(pattern=r"^[a-z][a-z0-9_]*$", max_length=120, description="The pipeline's name.")]
Step = Annotated[str, Path(max_length=120, description="A step's id.")]
When = Annotated[str | None, Query(max_length=120, description="As on the command line: 2003-10, last 7 days.")]
OnePipeline = Annotated[str | None, Query(pattern=r"^[a-z][a-z0-9_]*$", max_length=120, description="Of this pipeline alone.")]
FileName = Annotated[
    str | None,
    Query(
        pattern=r"^[^./\\\x00-\x1f\x7f][^/\\\x00-\x1f\x7f]*$", max_length=120, description="The file's name, which CDF keeps."
    ),
]
CONTENT_TYPES = {"png": "image/png", "svg": "image/svg+xml", "pdf": "application/pdf", "html": "text/html; charset=utf-8"}
CONTENT_TYPES |= {
    "csv": "text/csv; charset=utf-8",
    "parquet": "application/vnd.apache.parquet",
    "cdf": "application/x-cdf",
    "netcdf": "application/x-netcdf",
}
ISOLATED = {"Content-Security-Policy": "sandbox allow-scripts allow-downloads", "Cache-Control": "no-store"}
