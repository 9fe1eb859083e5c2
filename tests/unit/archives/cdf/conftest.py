"""Small CDF files of any shape, written with pycdfpp."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pycdfpp
import pytest

TIMES = np.array(["2023-01-01T00:00:00", "2023-01-01T00:00:01", "2023-01-01T00:00:02"], dtype="datetime64[ns]")


@dataclass(frozen=True)
class Stored:
    """A variable to write; `type` only where the values' dtype does not say it."""

    values: Any
    attributes: Mapping[str, Any] = field(default_factory=dict)
    is_constant: bool = False
    type: pycdfpp.DataType | None = None


WriteCdf = Callable[..., Path]


@pytest.fixture
def stored() -> type[Stored]:
    """The kind of value `write_cdf` takes."""
    return Stored


@pytest.fixture
def write_cdf(tmp_path: Path) -> WriteCdf:
    """Write variables to a CDF file; `Epoch` (three seconds, TT2000) and `DEPEND_0` are filled in where not given."""

    def write(name: str = "made.cdf", **variables: Stored) -> Path:
        cdf = pycdfpp.CDF()
        for variable, given in {"Epoch": Stored(TIMES), **variables}.items():
            is_series = not given.is_constant and np.asarray(given.values).dtype.kind != "M"
            attributes = {**({"DEPEND_0": "Epoch"} if is_series else {}), **given.attributes}
            cdf.add_variable(
                variable,
                values=given.values,
                data_type=given.type,
                is_nrv=given.is_constant,
                attributes={key: value for key, value in attributes.items() if value is not None},
            )
        path = tmp_path / name
        pycdfpp.save(cdf, str(path))
        return path

    return write
