"""A day of 16 Hz vectors in another frame, beside numpy's rotation by matrices that are ready: `python -m benchmarks.frames`.

CPU seconds of this process, the median of the repetitions of both in turn.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from statistics import median

import numpy as np

from benchmarks.tables import print_table, ratio
from helio_dagster.compute.frame_change import rotate_between

_REPETITIONS = 15
_DAY_NS, _STEP_NS = 86_400 * 10**9, 62_500_000
_START_NS = int(np.datetime64("2015-03-17", "ns").astype(np.int64))
_PAIRS = (("GSE", "GSM"), ("GSE", "GEO"), ("GSE", "HEEQ"), ("HCI", "Carrington"))


def main() -> None:
    """Print what each pair of frames costs, and its ratio to numpy's matrix product of the same day."""
    at_ns = _START_NS + np.arange(0, _DAY_NS, _STEP_NS)
    rows = np.random.default_rng(1).normal(size=(len(at_ns), 3))
    x, y, z = (np.ascontiguousarray(rows[:, place]) for place in range(3))
    matrices = np.broadcast_to(np.eye(3), (len(at_ns), 3, 3)).copy()
    found = []
    for source, target in _PAIRS:
        rotate_between((x[:9], y[:9], z[:9]), at_ns[:9], source, target)
        own, numpys = [], []
        for _ in range(_REPETITIONS):
            numpys.append(_cpu_s(lambda: matrices @ rows[:, :, None]))
            own.append(_cpu_s(partial(rotate_between, (x, y, z), at_ns, source, target)))
        found.append(
            (f"{source} to {target}", f"{median(own):.3f}", f"{median(numpys):.3f}", ratio(median(own), median(numpys)))
        )
    print_table(f"{len(at_ns):,} vectors, CPU s", ("frames", "ours", "numpy", "ratio"), found)


def _cpu_s(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


if __name__ == "__main__":
    main()
