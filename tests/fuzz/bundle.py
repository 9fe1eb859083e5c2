"""Bundles and pipelines that strangers send: all of one is put into the library, as sent, or nothing is touched."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from random import Random

from helio_dagster.domain.errors import HelioError
from helio_dagster.domain.pipeline_text import parse_pipeline, pipeline_sha
from helio_dagster.launch.home import Home
from helio_dagster.launch.library.pipeline_exchange import bring
from helio_dagster.storage.settings import Settings
from tests.fuzz.target import Defect, Target

FIELD = """version: 1
name: field
title: Field
start: 2003-10-01
steps:
  - id: b
    fetch: {archive: demo, dataset: AC_H0_MFI, parameter: BGSEc}
  - id: mag
    compute: {operation: magnitude, inputs: {vector: b}}
  - id: rms
    compute:
      inputs: {b: mag}
      unit: nT
      code: |
        d = b - b.mean()
        return (d ** 2).rolling("1h").mean() ** 0.5
  - id: storms
    table: {csv: "onset,name\\n2003-10-29T06:11Z,Halloween", source: "Gopalswamy 2005"}
  - id: overview
    figure:
      panels: [{traces: [{data: mag}, {data: rms}]}]
      events: storms
"""
READER = """version: 1
name: reader
start: 2003-10-01
steps:
  - id: twice
    compute: {operation: scale, inputs: {series: field/mag}, options: {factor: 2}}
"""
APPROVED = 'approved: {by: Somebody, at: 2026-01-01T00:00:00Z, sha: "SHA"}\n'
BEFORE = FIELD.replace("title: Field", "title: Mine")
_PIECES = (
    "&a [*a, *a]",
    "*a",
    "!!python/object/apply:os.system ['true']",
    "<<: {a: 1}",
    "? [a]",
    "[" * 200,
    "{a: " * 100,
    "- " * 500,
    "x" * 100_000,
    "9" * 5000,
    "1e999",
    ".nan",
    "2003-10-29T06:11:00+99:99",
    "0001-01-01",
    "P99999999Y",
    "\x1b[2J",
    "\u202e",
    "\x00",
    "../../../tmp/evil",
    "/etc/passwd",
    "--- # helio: pipelines/../evil.yaml\n",
    "--- # helio: operations/evil@1.yaml\n",
    "... # helio: end of 1 file\n",
    "--- # helio: pipelines/field.yaml, without a newline at its end\n",
    "\n---\n",
    "\r\n",
    "'",
    '"',
    "|\n",
    "hapi:file:///etc/passwd",
    "name: ../evil",
    "name: CON",
)
_LABELS = ("pipelines/field", "pipelines/../evil", "pipelines//evil", "operations/field@1", "pipelines/Field", "x/field", "")


def case(random: Random, folder: Path) -> str:
    """Send a changed bundle to a library that has a pipeline of the same name already, or is empty."""
    data = _bundle(random)
    settings = Settings(folder / "home", folder / "home" / "pipelines")
    settings.pipelines.mkdir(parents=True)
    if random.random() < 0.3:
        (settings.pipelines / "field.yaml").write_text(BEFORE)
    before = _files(folder)
    home = Home(settings)
    home.__dict__["catalog"] = _catalog()
    try:
        arrivals = bring(home, data, file="sent.yaml", replace=random.random() < 0.5)
    except HelioError as error:
        str(error)
        if _files(folder) != before:
            raise Defect(f"refused, and yet something was written: {error}") from None
        return "refused"
    after = _files(folder)
    changed = {name: content for name, content in after.items() if before.get(name) != content}
    is_kept = any(each.state == "refused" for each in arrivals)
    new = [] if is_kept else [each for each in arrivals if each.state in ("new", "replaced")]
    written = {str(each.path.relative_to(folder)) for each in new}
    if set(changed) != written or set(before) - set(after) or any(content not in data for content in changed.values()):
        raise Defect(f"written: {sorted(changed)}; said to be written: {sorted(written)}")
    for each in arrivals:
        if not re.fullmatch(r"[a-z][a-z0-9_]*(@[1-9][0-9]*)?", each.name) or each.path.parent.parent != folder / "home":
            raise Defect(f"{each.name!r} lies at {each.path}")
        sent = changed.get(str(each.path.relative_to(folder)))
        if each.approved_by and sent is not None and not parse_pipeline(sent.decode(), file="x").is_as_approved:
            raise Defect(f"{each.name} is said to be approved by {each.approved_by}, who approved something else")
    return "kept" if is_kept else "brought" if changed else "same"


@cache
def _catalog() -> object:
    return Home(Settings(Path("nowhere"), Path("nowhere"))).catalog


@cache
def _true_sha() -> str:
    file = parse_pipeline(FIELD + APPROVED.replace("SHA", "0" * 16), file="x")
    return pipeline_sha(file.pipeline)


def _files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def _bundle(random: Random) -> bytes:
    field = FIELD
    if random.random() < 0.5:
        field += APPROVED.replace("SHA", random.choice((_true_sha(), "0" * 64, "x")))
    if random.random() < 0.1:
        return _mutated(random, field).encode("utf-8", "surrogatepass")
    items = [("pipelines/field", field)] + ([("pipelines/reader", READER)] if random.random() < 0.5 else [])
    if random.random() < 0.1:
        items.append((random.choice(_LABELS), field))
    text = "# helio bundle 1: `helio pipelines import FILE` checks what stands here and puts it into a library.\n"
    if random.random() < 0.6:
        place = random.randrange(len(items))
        items[place] = (items[place][0], _mutated(random, items[place][1]))
    text += "".join(f"--- # helio: {label}.yaml\n{content}" for label, content in items)
    text += f"... # helio: end of {len(items)} file{'' if len(items) == 1 else 's'}\n"
    if random.random() < 0.2:
        text = _mutated(random, text)
    data = text.encode("utf-8", "surrogatepass")
    return data if random.random() < 0.9 else _bytes_changed(random, data)


def _mutated(random: Random, text: str) -> str:
    for _ in range(random.choice((0, 1, 1, 1, 2, 4))):
        lines = text.split("\n")
        line = random.randrange(len(lines))
        match random.randrange(6):
            case 0:
                place = random.randrange(len(text) + 1)
                text = text[:place] + random.choice(_PIECES) + text[place:]
            case 1:
                key, colon, _ = lines[line].partition(":")
                lines[line] = f"{key}{colon} {random.choice(_PIECES)}"
                text = "\n".join(lines)
            case 2:
                del lines[line]
                text = "\n".join(lines)
            case 3:
                lines.insert(line, random.choice(lines))
                text = "\n".join(lines)
            case 4:
                lines[line] = " " * random.randrange(9) + lines[line].lstrip()
                text = "\n".join(lines)
            case _:
                place = random.randrange(len(text) + 1)
                text = text[:place] + text[place + random.choice((1, 5, 50)) :]
    return text


def _bytes_changed(random: Random, data: bytes) -> bytes:
    place = random.randrange(len(data))
    return random.choice((data[:place], data[:place] + random.randbytes(3) + data[place:], data + data))


TARGET = Target("bundle", case, limit_mib=400, limit_s=20)
