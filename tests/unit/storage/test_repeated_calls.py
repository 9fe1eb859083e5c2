"""Keys of calls: what came of the first is found again, and the oldest are forgotten."""

from __future__ import annotations

from pathlib import Path

from helio_dagster.storage.repeated_calls import Known, RepeatedCalls


def test_a_key_is_found_again_and_the_oldest_are_forgotten(tmp_path: Path) -> None:
    """Whatever is written in it."""
    calls = RepeatedCalls(tmp_path / "new")
    with calls.held():
        assert calls.read("../x\x00") is None
        for number in range(520):
            calls.write(f"k{number}", str(number), "20240510-000000")
        calls.write("../x\x00", "digest", "20240510-000001")
        assert calls.read("../x\x00") == Known("digest", "20240510-000001")
        assert calls.read("k0") is None
        assert calls.read("k519") == Known("519", "20240510-000000")


def test_a_damaged_file_has_no_keys(tmp_path: Path) -> None:
    """A call is then made again, as without a key."""
    (tmp_path / "calls.json").write_bytes(b"{")
    assert RepeatedCalls(tmp_path).read("k") is None
