"""`helio doctor`: show what this machine supports, and how it confines code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from helio_dagster.cli.options import AsJson, settings_from_environment
from helio_dagster.cli.terminal import write_json

if TYPE_CHECKING:
    from helio_dagster.cli.console import Console
    from helio_dagster.sandbox import Diagnosis
    from helio_dagster.storage.settings import Settings

_MODES = {
    "kernel": "confined by the kernel",
    "bubblewrap": "confined by bubblewrap",
    "weak": "NOT confined: code steps are refused unless HELIO_ALLOW_WEAK_SANDBOX=1",
}
_PACKAGES = ("dagster", "pandas", "numpy", "scipy", "pywavelets", "pyarrow", "pydantic", "plotly", "kaleido")


def doctor(as_json: AsJson = False) -> int:
    """Show how code steps are confined on this machine, what is not protected, where things are, and versions.

    It finds out by trying to break out.
    """
    from helio_dagster.cli.console import Console
    from helio_dagster.domain.errors import SandboxUnavailable
    from helio_dagster.figures.browser import find_browser
    from helio_dagster.sandbox import diagnose

    settings = settings_from_environment()
    diagnosis: Diagnosis | None = None
    problem = ""
    try:
        diagnosis = diagnose()
    except SandboxUnavailable as error:
        problem = error.problem
    browser = find_browser()
    if as_json:
        write_json(_as_json(diagnosis, problem, browser, settings))
    else:
        _print(diagnosis, problem, browser, settings, Console())
    return 0 if diagnosis is not None else 1


def _as_json(diagnosis: Diagnosis | None, problem: str, browser: str | None, settings: Settings) -> dict[str, object]:
    sandbox = diagnosis.model_dump() if diagnosis is not None else {"mode": None, "problem": problem}
    home = {"home": str(settings.home), "home_exists": settings.home.is_dir(), "pipelines": str(settings.pipelines)}
    return {"sandbox": sandbox, "browser": browser, **home, "versions": _versions()}


def _print(diagnosis: Diagnosis | None, problem: str, browser: str | None, settings: Settings, console: Console) -> None:
    if diagnosis is None:
        lines = ["Code steps: cannot run here", f"  {problem}"]
    else:
        lines = [f"Code steps: {_MODES[diagnosis.mode]} ({diagnosis.platform})"]
        for layer in diagnosis.layers:
            reason = "" if layer.active else f" ({layer.why_not})"
            lines.append(f"  {'on ' if layer.active else 'off'}  {layer.name}: {layer.does}{reason}")
        lines.append("  Tried just now:")
        lines += [f"    {'stopped' if probe.stopped else 'NOT STOPPED'}: {probe.attempt}" for probe in diagnosis.probes]
        lines.append("  Not protected:")
        lines += [f"    {each}" for each in diagnosis.unprotected]
        if diagnosis.why_not_stronger:
            lines.append(f"  Why not stronger: {diagnosis.why_not_stronger}")
    lines.append(f"Browser for PNG: {browser or 'none (Debian, Ubuntu: apt-get install chromium; or set BROWSER_PATH)'}")
    lines.append(f"Home: {settings.home}{'' if settings.home.is_dir() else ' (does not exist yet)'}")
    lines.append(f"Pipelines: {settings.pipelines}")
    lines.append("Versions: " + ", ".join(f"{name} {version}" for name, version in _versions().items()))
    for line in lines:
        console.print(line, soft_wrap=True)


def _versions() -> dict[str, str]:
    import platform
    from importlib.metadata import PackageNotFoundError, version

    from helio_dagster import __version__

    found = {"helio_dagster": __version__, "python": platform.python_version()}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "missing"
    return found
