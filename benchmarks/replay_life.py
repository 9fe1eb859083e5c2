"""The life of one home through the command line: made, asked again, one file republished, steps changed. Part of `replay`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.command import run_command
from benchmarks.products import write_day
from benchmarks.replay_pipeline import PIPELINE, PRODUCT, span_of, warm_span
from benchmarks.trial import Answer, TrialFailed
from helio_dagster.domain.time_range import format_time

SCENES = {
    "first": "first time",
    "nothing": "nothing changed",
    "day": "one day republished, `--refresh`",
    "last": "an option of the last step changed",
    "middle": "the operation of the middle step changed",
    "status": "`helio status`, all fresh",
}
"""Scene to what a person reads; measured in this order."""
STARTUP = "startup"


@dataclass(frozen=True)
class Life:
    """One home over a served folder of files.

    `seed` tells one repetition's republished file from another's.
    """

    files: Path
    cache: Path
    url: str
    partitions: int
    seed: int

    def measure(self) -> dict[str, Answer]:
        """Scene to its figures, each with the start-up measured beside it and what was `made`."""
        with TemporaryDirectory(prefix="helio-bench-") as folder:
            return dict(self._scenes(Path(folder)))

    def _scenes(self, home: Path) -> Iterator[tuple[str, Answer]]:
        (home / "pipelines").mkdir()
        (home / "cache").symlink_to(self.cache)
        environment = {"HELIO_HOME": str(home), "HELIO_PIPELINES": str(home / "pipelines"), "HELIO_CDAWEB_URL": self.url}
        save = (home / "pipelines" / "bench.yaml").write_text
        save(PIPELINE)
        span, warm = span_of(self.partitions), warm_span(self.partitions)
        asked = ["run", "bench", format_time(span.start), format_time(span.stop), "--yes"]
        run_command(["helio_dagster", "run", "bench", format_time(warm.start), format_time(warm.stop), "--json"], environment)
        before: dict[str, tuple[Callable[[], object], list[str]]] = {
            "first": (lambda: None, asked),
            "nothing": (lambda: None, asked),
            "day": (self._republish, [*asked, "--refresh"]),
            "last": (lambda: save(PIPELINE.replace("PT10M", "PT12M")), asked),
            "middle": (
                lambda: save(
                    PIPELINE.replace(
                        "magnitude, inputs: {vector: b}", "component, inputs: {vector: b}, options: {component: x}"
                    )
                ),
                asked,
            ),
            "status": (lambda: None, ["status", "bench", *asked[2:4]]),
        }
        for scene in SCENES:
            prepare, arguments = before[scene]
            prepare()
            startup, _ = run_command(["benchmarks.startup", "bench"], environment)
            answer, said = run_command(["helio_dagster", *arguments, "--json"], environment)
            answer["startup_wall_s"], answer["startup_cpu_s"] = startup["wall_s"], startup["cpu_s"]
            answer["made"] = _made(scene, said, self.partitions)
            yield scene, answer

    def _republish(self) -> None:
        """Put another file in the place of the day in the middle, as an archive does after a recalibration."""
        day = span_of(self.partitions).start + (span_of(self.partitions).duration / 2)
        day = day.replace(hour=0, minute=0)
        path = self.files / PRODUCT.file_name(day)
        path.unlink()
        write_day(PRODUCT, path, day, seed=1 + self.seed)
        newer = path.stat().st_mtime + 2 + self.seed
        os.utime(path, (newer, newer))


def _made(scene: str, said: Mapping[str, Any], partitions: int) -> str:
    """How many partitions each step made; TrialFailed where the scene did not do what it is named for."""
    if scene == "status":
        states = {each["state"] for asset in said["assets"] for each in asset["partitions"]}
        if states != {"fresh"}:
            raise TrialFailed(f"not all was fresh: {states}")
        return "–"
    counts = [step["computed"] for step in said["steps"].values()]
    expected = {
        "first": counts == [partitions] * 3,
        "nothing": counts == [0, 0, 0],
        "day": counts[1:] == [1, 3],
        "last": counts == [0, 0, partitions],
        "middle": counts == [0, partitions, partitions],
    }
    if said["status"] != "success" or not expected[scene]:
        raise TrialFailed(f"{scene}: {said['status']}, made {counts}")
    return " + ".join(map(str, counts))
