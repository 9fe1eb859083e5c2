"""What checking a file against itself costs: `python -m benchmarks.checking [--repetitions N]`.

A day's file is decoded as the worker does it, with the walk, the MD5 and the gzip checksums, and by the fast reader alone; in
turns, in this process. The files have no MD5; its column is the time to hash such a file.
"""

from __future__ import annotations

import argparse
import mmap
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.products import FIRST_DAY, PRODUCTS, Product, write_day
from benchmarks.tables import print_table, ratio
from helio_dagster.archives.cdf.checked import open_checked
from helio_dagster.archives.cdf.checksums import check_md5
from helio_dagster.archives.cdf.decode import decode
from helio_dagster.archives.cdf.fast_file import PycdfppFile
from helio_dagster.archives.cdf.layout import HAS_CHECKSUM, IS_MD5
from helio_dagster.archives.cdf.structure import walk
from helio_dagster.domain.errors import CorruptFile

_MEASURED = ("BENCH_MAG_1SEC", "BENCH_SPECTRA", "BENCH_MAG_16HZ")


def main() -> None:
    """Measure and print one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=9)
    given = parser.parse_args()
    with TemporaryDirectory(prefix="helio-bench-") as folder:
        rows = [_measure(PRODUCTS[name], Path(folder), given.repetitions) for name in _MEASURED]
    header = ["file", "MB", "fast reader alone ms", "checked ms", "ratio", "of it walk ms", "MD5 ms"]
    print_table(f"One day's file decoded, median of {given.repetitions}", header, rows)


def _measure(product: Product, folder: Path, repetitions: int) -> list[str]:
    path = folder / product.file_name(FIRST_DAY)
    write_day(product, path, FIRST_DAY)
    with path.open("rb") as stream:
        stored = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
    ways: dict[str, Callable[[], object]] = {
        "alone": lambda: decode(PycdfppFile(path), product.parameter),
        "checked": lambda: decode(open_checked(path, PycdfppFile, lambda _: None), product.parameter),
        "walk": lambda: walk(stored),
        "md5": lambda: _hash(stored),
    }
    found: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(repetitions):
        for way, run in ways.items():
            began = time.perf_counter()
            run()
            found[way].append(1000 * (time.perf_counter() - began))
    middle = {way: median(times) for way, times in found.items()}
    return [
        product.title,
        f"{path.stat().st_size / 1e6:.1f}",
        f"{middle['alone']:.1f}",
        f"{middle['checked']:.1f}",
        ratio(middle["checked"], middle["alone"]),
        f"{middle['walk']:.1f}",
        f"{middle['md5']:.1f}",
    ]


def _hash(stored: mmap.mmap) -> None:
    try:
        check_md5(stored, HAS_CHECKSUM | IS_MD5)
    except CorruptFile:
        return  # it has none


if __name__ == "__main__":
    main()
