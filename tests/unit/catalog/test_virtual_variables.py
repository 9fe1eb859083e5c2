"""The functions of virtual variables that masters name, counted."""

from __future__ import annotations

from pathlib import Path

import pytest

from helio_dagster.catalog.virtual_variables import count_functions, main, table_of


def test_functions_in_order_of_what_they_open() -> None:
    """Most parameters first, names in any case; known ones are marked."""
    found = count_functions(
        [
            ("a", {"x": "ALTERNATE_VIEW", "y": "convert_log10", "z": "alternate_view"}, {}),
            ("b", {"x": "alternate_view"}, {"t": "comp_themis_epoch"}),
        ]
    )
    assert [(name, use.parameters, use.times, len(use.datasets)) for name, use in found.items()] == [
        ("alternate_view", 3, 0, 2),
        ("convert_log10", 1, 0, 1),
        ("comp_themis_epoch", 0, 1, 1),
    ]
    assert "| `alternate_view` | 3 | 0 | 2 | computes it |" in table_of(found)
    assert "| `convert_log10` | 1 | 0 | 1 | refuses it by name |" in table_of(found)


def test_real_masters(shared_data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What the masters of FAST ESA and of a THEMIS ground station name."""
    assert main(shared_data / "masters") == 0
    printed = capsys.readouterr()
    assert "| `make_stack_array` | 3 | 0 | 1 | computes it |" in printed.out
    assert "| `arr_slice` | 2 | 0 | 1 | computes it |" in printed.out
    assert "4 masters read, 0 not" in printed.err
