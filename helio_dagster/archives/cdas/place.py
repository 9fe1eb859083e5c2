"""Where CDAWeb keeps its master CDFs, seen from a service's base URL."""

from __future__ import annotations

from urllib.parse import quote, urljoin

MASTERS_PATH = "/pub/software/cdawlib/0MASTERS/"


def master_url(base_url: str, dataset: str) -> str:
    """The URL of a dataset's master file at the host of a service: CDAWeb's own, or a server that plays it."""
    return urljoin(base_url, f"{MASTERS_PATH}{quote(dataset.lower(), safe='')}_00000000_v01.cdf")
