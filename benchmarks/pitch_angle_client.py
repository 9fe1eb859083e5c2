"""Pitch-angle spectrogram by pyspedas, as its users would make it. A script of `benchmarks.pitch_angles`.

It runs under whatever interpreter has pyspedas, so only `trial`, numpy and pyspedas are imported.
"""

from __future__ import annotations

import logging
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING or __package__:
    from benchmarks.trial import reply
else:
    from trial import reply

_TRIES = 2


def main(given: Path, into: Path) -> None:
    """Read the arrays, make the spectrogram, save it; the answer is the least CPU seconds of the product alone."""
    os.environ.setdefault("SPEDAS_DATA_DIR", tempfile.mkdtemp(prefix="helio-bench-"))
    from pyspedas.projects.mms.particles.mms_part_products import mms_part_products
    from pyspedas.tplot_tools import get_data, store_data

    logging.disable(logging.CRITICAL)
    held = np.load(given)
    name = "mms1_dis_dist_fast"
    axes = {"v1": held["azimuth"], "v2": held["colatitude"], "v3": held["energy"]}
    took = []
    for _ in range(_TRIES):
        store_data(name, data={"x": held["times"], "y": held["f"].copy(), **axes})
        store_data("b", data={"x": held["times"], "y": held["field"]})
        store_data("r", data={"x": held["times"], "y": np.tile([40_000.0, 20_000.0, 10_000.0], (len(held["times"]), 1))})
        began = time.process_time()
        made = mms_part_products(
            name,
            units="df_cm",
            species="i",
            data_rate="fast",
            instrument="fpi",
            probe="1",
            output=["pa"],
            mag_name="b",
            pos_name="r",
            fac_type="xgse",
        )
        took.append(time.process_time() - began)
    found = get_data(made[0])
    np.savez(into, values=found.y, angles=found.v)
    reply({"cpu_s": min(took)})


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
