"""`helio settings`: where each setting comes from, and no key."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from helio_dagster.cli.settings import settings


def test_settings_tell_where_they_come_from_and_show_no_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """File and line, the environment, or the default; of a key only whether it is set."""
    (tmp_path / "helio.toml").write_text('home = "data"\n[code]\ncpu_s = 5\n')
    monkeypatch.chdir(tmp_path)
    for name, value in {"HELIO_CODE_CPU_S": "7", "OPENAI_API_KEY": "sk-secret", "HOME": str(tmp_path)}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("HELIO_HOME", raising=False)
    assert settings(as_json=True) == 0
    text = capsys.readouterr().out
    told = json.loads(text)
    rows = {row["key"]: (row["value"], row["from"]) for row in told["settings"]}
    assert rows["home"] == (str(tmp_path / "data"), f"{tmp_path}/helio.toml:1")
    assert rows["code.cpu_s"] == ("7", "environment (HELIO_CODE_CPU_S)")
    assert rows["model.requests"] == ("16", "default")
    assert told["keys"]["OPENAI_API_KEY"]
    assert "sk-secret" not in text
