"""The sandbox as others use it: call code over DataFrames, get a DataFrame or one clear error."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self

import pandas as pd

from helio_dagster.sandbox.answer import Answer
from helio_dagster.sandbox.limits import SandboxLimits

_DEFAULT_LIMITS = SandboxLimits()


class Sandbox:
    """Runs code in confined processes."""

    def __init__(
        self,
        limits: SandboxLimits = _DEFAULT_LIMITS,
        *,
        allow_weak: bool = False,
        seed: int = 0,
        hash_seed: int = 0,
        zone: str = "UTC",
    ) -> None:
        self.limits = limits

    def call(
        self, body: str, inputs: Mapping[str, pd.DataFrame], *, name: str = "code", options: Mapping[str, Any] | None = None
    ) -> Answer:
        """Run a function body over inputs."""
        raise NotImplementedError

    def close(self) -> None:
        """End the worker."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()
