"""Other clients fetching daily CDF files from a loopback archive, as their users would. A script of `benchmarks.fetch`.

Each contender is a function that returns a pandas DataFrame with NaN for fill values. It runs under whatever interpreter has
the client: so only `trial`, the standard library and the clients themselves are imported.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING or __package__:
    from benchmarks.trial import Answer, reply, timed
else:
    from trial import Answer, reply, timed


@dataclass(frozen=True)
class Job:
    """What to fetch: whole days of one parameter, from the server's file folder or its CDAS service, into an empty folder."""

    service: str
    files: str
    dataset: str
    parameter: str
    days: tuple[datetime, ...]
    folder: Path

    @property
    def names(self) -> list[str]:
        """Names of the daily files."""
        return [f"{self.dataset.lower()}_{day:%Y%m%d}_v01.cdf" for day in self.days]

    @property
    def last(self) -> datetime:
        """The last millisecond: these clients include the stop."""
        return self.days[-1] + timedelta(days=1, milliseconds=-1)


def fetch_with_xhelio(job: Job) -> Any:
    """Fetch with xhelio-cdaweb: its library call, the service's address replaced, parameters unknown to its catalog."""
    import cdawebmcp
    from cdawebmcp import fetch, metadata

    (job.folder / "metadata").mkdir(parents=True)
    (job.folder / "metadata" / f"{job.dataset}.json").write_text('{"parameters": []}')
    cdawebmcp.configure(cache_dir=job.folder)
    fetch.CDAWEB_REST_BASE = job.service.rstrip("/")
    metadata.MASTER_CDF_BASE = job.files  # which has no masters, and says so at once
    start, stop = job.days[0].isoformat(timespec="seconds"), job.last.isoformat(timespec="milliseconds")
    found = fetch.fetch_data(job.dataset, [job.parameter], start, stop)[job.parameter]
    if "error" in found:
        raise RuntimeError(found["error"])
    return found["data"]


def fetch_with_speasy(job: Job) -> Any:
    """Fetch with speasy: its direct archive downloader with a URL pattern."""
    from speasy.core.direct_archive_downloader.direct_archive_downloader import RegularSplitDirectDownload

    pattern = f"{job.files}{job.dataset.lower()}_{{Y}}{{M:02d}}{{D:02d}}_v01.cdf"
    start, stop = (moment.replace(tzinfo=None) for moment in (job.days[0], job.last))
    found = RegularSplitDirectDownload.get_product(pattern, job.parameter, start, stop, split_frequency="daily")
    return found.replace_fillval_by_nan().to_dataframe()


def fetch_with_pyspedas(job: Job) -> Any:
    """Fetch with pyspedas: its download and its reader, which takes the files together."""
    import numpy as np
    import pandas as pd
    from pyspedas import cdf_to_tplot, del_data, get_data
    from pyspedas.utilities.download import download

    paths = download(remote_path=job.files, remote_file=job.names, local_path=str(job.folder), no_wildcards=True)
    del_data("*")
    cdf_to_tplot(paths, varnames=[job.parameter], merge=True)
    found = get_data(job.parameter)
    index = pd.to_datetime(np.round(found.times * 1e9).astype("int64"))
    return pd.DataFrame(found.y, index=index).rename(columns=str)


def fetch_with_sunpy(job: Job) -> Any:
    """Fetch with sunpy: its reader, after a download with httpx, since its own goes to CDAWeb alone."""
    import pandas as pd
    from sunpy.io import read_file  # noqa: F401  # loads the readers
    from sunpy.io._cdf import read_cdf

    parts = [read_cdf(path)[0].to_dataframe() for path in _download(job, at_once=5)]
    return pd.concat(parts)


def fetch_with_cdflib(job: Job) -> Any:
    """Fetch with a plain loop: httpx, cdflib, numpy, one file after the other."""
    import cdflib
    import numpy as np
    import pandas as pd

    parts = []
    for path in _download(job, at_once=1):
        cdf = cdflib.CDF(path)
        values, fill = cdf.varget(job.parameter), cdf.varattsget(job.parameter)["FILLVAL"]
        values[values == fill] = np.nan
        parts.append(pd.DataFrame(values, index=cdflib.cdfepoch.to_datetime(cdf.varget("Epoch"))).rename(columns=str))
    return pd.concat(parts)


def _download(job: Job, *, at_once: int) -> list[Path]:
    import httpx

    job.folder.mkdir(parents=True, exist_ok=True)
    with httpx.Client() as client, ThreadPoolExecutor(at_once) as pool:

        def download(name: str) -> Path:
            path = job.folder / name
            path.write_bytes(client.get(job.files + name).raise_for_status().content)
            return path

        return list(pool.map(download, job.names))


CLIENTS: dict[str, Callable[[Job], Any]] = {
    "xhelio-cdaweb": fetch_with_xhelio,
    "speasy": fetch_with_speasy,
    "pyspedas": fetch_with_pyspedas,
    "sunpy": fetch_with_sunpy,
    "cdflib": fetch_with_cdflib,
}
NEEDED = {"xhelio-cdaweb": "cdawebmcp"}


def main() -> None:
    """Warm up on two days, fetch the others, write them to one Parquet file, say what was found."""
    parser = argparse.ArgumentParser()
    parser.add_argument("client", choices=CLIENTS)
    parser.add_argument("job", help="what to fetch, as JSON")
    given = parser.parse_args()
    job = json.loads(given.job)
    fetch = CLIENTS[given.client]
    answer: Answer = {}
    warm, days = (tuple(datetime.fromisoformat(day) for day in job.pop(key)) for key in ("warm", "days"))
    with tempfile.TemporaryDirectory(prefix="helio-bench-") as scratch:
        os.environ |= {"SPEASY_CACHE_PATH": f"{scratch}/speasy", "SPEASY_CORE_DISABLED_PROVIDERS": "amda,cda,csa,ssc,archive"}
        os.environ |= {"SPEDAS_DATA_DIR": f"{scratch}/pyspedas", "SUNPY_CONFIGDIR": f"{scratch}/sunpy"}
        with timed(answer, "first"):
            fetch(Job(**job, days=warm, folder=Path(scratch, "warm"))).to_parquet(Path(scratch, "warm.parquet"))
        with timed(answer, "all"):
            with timed(answer, "memory"):
                found = fetch(Job(**job, days=days, folder=Path(scratch, "all")))
            found.to_parquet(Path(scratch, "all.parquet"), compression="zstd")
        values = found.to_numpy()
        answer |= {
            "records": len(found),
            "valid": int((values == values).sum()),
            "sum": float(values[values == values].astype("float64").sum()),
        }
        reply(answer)


if __name__ == "__main__":
    main()
