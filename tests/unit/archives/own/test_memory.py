"""A large text file is read by partition: memory is that of a block and a day, whatever the file's size."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from helio_dagster.archives.own.lines import BLOCK_BYTES

READ = """
import json, sys
from pathlib import Path
from helio_dagster.archives.own.text_files import TextFile
from helio_dagster.domain.own_files import OwnFileFields

def peak_bytes():
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))

found = []
for name in sys.argv[1:]:
    given = {"file": Path(name).name, "time": {"columns": "time"}, "columns": {"H": {"unit": "nT"}}}
    file = TextFile(OwnFileFields.model_validate(given), Path(name), Path(name).name)
    index = file.scan(Path(name))
    last = max(index.days)
    records = file.read(index.days[last], ["H"])
    found.append([len(index.days), len(records.time), float(records.values["H"][-1]), peak_bytes()])
print(json.dumps(found))
"""
LINES_OF_A_DAY = 1440


def write_days(path: Path, days: int, *, day_bytes: int) -> Path:
    """Minutes of some days, each line filled up with a remark so that a day takes some bytes."""
    remark = b"x" * (day_bytes // LINES_OF_A_DAY - 28)
    day = b"".join(
        b"DATE-00-00T%02d:%02d:00,%d,%s\n" % (minute // 60, minute % 60, minute, remark) for minute in range(LINES_OF_A_DAY)
    )
    with path.open("wb") as file:
        file.write(b"time,H,remark\n")
        for number in range(1, days + 1):
            file.write(day.replace(b"DATE-00-00", b"2024-01-%02d" % number))
    return path


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's account of memory")
def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    """Read after a file of two blocks, one of four takes less than a block more at its peak; its last day is there whole."""
    small = write_days(tmp_path / "small.csv", 4, day_bytes=BLOCK_BYTES // 2)
    large = write_days(tmp_path / "large.csv", 8, day_bytes=BLOCK_BYTES // 2)
    done = subprocess.run([sys.executable, "-c", READ, small, large], capture_output=True, text=True, check=True)
    (_, _, _, before), (days, records, value, after) = json.loads(done.stdout)
    assert (days, records, value) == (8, LINES_OF_A_DAY, LINES_OF_A_DAY - 1)
    assert after - before < BLOCK_BYTES < (large.stat().st_size - small.stat().st_size) * 0.6
