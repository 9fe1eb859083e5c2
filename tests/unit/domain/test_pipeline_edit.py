"""Edits of a pipeline's text: what they change, what they leave alone, what they refuse."""

from __future__ import annotations

import copy
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from helio_dagster.domain.errors import InputError, PipelineError
from helio_dagster.domain.pipeline_edit import Edit, apply_edits
from helio_dagster.domain.pipeline_text import PipelineFile, parse_pipeline
from helio_dagster.domain.yaml.document import Value, parse_path
from tests.tiers import example_count

EXAMPLE = """\
version: 1
name: storm
title: "|B| at ACE"            # a comment
partitions: daily
start: 1997-09-02
steps:
  - id: b_gse
    intent: Fetch the field
    fetch: {archive: cdaweb, dataset: AC_H0_MFI, parameter: BGSEc}
  - id: b_mag
    compute: {operation: magnitude, inputs: {vector: b_gse}}   # of the vector
    # nothing else is known of it

  # the fluctuation
  - id: b_rms
    compute:
      inputs: {b: b_mag}
      lookback: PT5M
      code: |
        d = b["b_mag"]
        return d
  - id: onsets
    table: {csv: "onset,name\\n2003-10-29T06:11Z,Halloween", source: a paper}
  - id: overview
    critical: false
    figure:
      panels:
        - traces: [{data: b_gse}]
        # below
        - traces: [{data: b_mag, color: black}]
          y: {title: "|B|", range: [0, 60]}
      events: onsets

# approved it was
approved: {by: me, at: 2026-01-01T00:00:00Z, sha: aa}
"""


def edited(*edits: dict[str, Any], text: str = EXAMPLE) -> PipelineFile:
    """The example with edits as a planner writes them."""
    return apply_edits(parse_pipeline(text, file="storm.yaml"), TypeAdapter(list[Edit]).validate_python(edits))


ASSUMED = """\
assumptions:
  - AC_H0_MFI (16-second) is used.
  - WI_H0_MFI is used.   # why not
  - "The magnitude is computed from BGSEc, not from BF1."
  - 10-minute means are centred.
  - In bins of PT1H.
  - "The speed is that of protons: w_mean has PT10M."
"""
WIND = """\
  - id: w
    fetch: {archive: cdaweb, dataset: WI_H0_MFI, parameter: BF1}
  - id: w_mean
    compute: {operation: rolling_mean, inputs: {series: w}, options: {window: PT600S}}
"""


def test_a_removed_step_takes_what_was_assumed_of_it_along() -> None:
    """By dataset, parameter, id and length, in words or as ISO 8601; every other line stays."""
    text = EXAMPLE.replace("steps:\n", f"{ASSUMED}steps:\n{WIND}")
    after = edited({"kind": "remove_step", "step": "w_mean"}, {"kind": "remove_step", "step": "w"}, text=text)
    assert after.pipeline.assumptions == ["AC_H0_MFI (16-second) is used.", "In bins of PT1H."]
    assert after.text == EXAMPLE.replace(
        "steps:\n", "assumptions:\n  - AC_H0_MFI (16-second) is used.\n  - In bins of PT1H.\nsteps:\n"
    )


def test_assumptions_that_all_go_leave_no_key() -> None:
    """And one that an edit brings stays, whatever it names; a step that is replaced is not removed."""
    text = EXAMPLE.replace("steps:\n", f"assumptions: [WI_H0_MFI is used.]\nsteps:\n{WIND}")
    removals = [{"kind": "remove_step", "step": "w_mean"}, {"kind": "remove_step", "step": "w"}]
    assert edited(*removals, text=text).text == EXAMPLE
    said = {"kind": "edit_pipeline", "changes": {"assumptions": ["ACE replaces WI_H0_MFI."]}}
    assert edited(*removals, said, text=text).pipeline.assumptions == ["ACE replaces WI_H0_MFI."]
    again: list[dict[str, Any]] = [*removals, {"kind": "add_step", "step": {"id": "w", "fetch": WIND_FETCH}}]
    assert edited(*again, text=text).pipeline.assumptions == ["WI_H0_MFI is used."]


WIND_FETCH = {"archive": "cdaweb", "dataset": "WI_H0_MFI", "parameter": "BF1"}


def change(step: str, **changes: Any) -> dict[str, Any]:
    """An edit of keys of one step."""
    return {"kind": "edit_step", "step": step, "changes": changes}


def differences(after: PipelineFile, text: str = EXAMPLE) -> tuple[list[str], list[str]]:
    """The lines that went and the lines that came, between the first and the last that differ."""
    old, new = text.splitlines(), after.text.splitlines()
    head = next((at for at, (one, other) in enumerate(zip(old, new, strict=False)) if one != other), min(len(old), len(new)))
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    return old[head : len(old) - tail], new[head : len(new) - tail]


@pytest.mark.parametrize(
    ("step", "path", "value", "gone", "come"),
    [
        (
            "overview",
            "figure.panels[1].traces[0].color",
            "red",
            ["        - traces: [{data: b_mag, color: black}]"],
            ["        - traces: [{data: b_mag, color: red}]"],
        ),
        (
            "b_mag",
            "compute.options.window",
            "PT5M",
            ["    compute: {operation: magnitude, inputs: {vector: b_gse}}   # of the vector"],
            ["    compute: {operation: magnitude, inputs: {vector: b_gse}, options: {window: PT5M}}   # of the vector"],
        ),
        (
            "overview",
            "figure.panels[0].traces[+]",
            {"data": "b_mag"},
            ["        - traces: [{data: b_gse}]"],
            ["        - traces: [{data: b_gse}, {data: b_mag}]"],
        ),
        (
            "overview",
            "figure.panels[2]",
            {"traces": [{"data": "b_rms"}], "y": {"title": "rms"}},
            [],
            ["        - traces: [{data: b_rms}]", "          y: {title: rms}"],
        ),
        ("overview", "figure.panels[0].y.range", [0, 5], [], ["          y: {range: [0, 5]}"]),
        ("overview", "figure.events", None, ["      events: onsets"], []),
        ("overview", "figure.panels[0]", None, ["        - traces: [{data: b_gse}]"], []),
        ("overview", "intent", "Look, and see", [], ["    intent: Look, and see"]),
        ("b_rms", "compute.unit", "nT", [], ["      unit: nT"]),
        ("b_rms", "compute.code", "return 1\n", ['        d = b["b_mag"]', "        return d"], ["        return 1"]),
    ],
)
def test_a_change_of_a_step_is_its_own_lines(step: str, path: str, value: Any, gone: list[str], come: list[str]) -> None:
    """Just the lines of the place that is named differ."""
    assert differences(edited({"kind": "edit_step", "step": step, "changes": {path: value}})) == (gone, come)


def test_an_operation_becomes_code_on_lines() -> None:
    """Brackets that get code of several lines are opened; the file stays readable."""
    after = edited(
        {
            "kind": "edit_step",
            "step": "b_rms",
            "changes": {"compute": {"operation": "rolling_mean", "inputs": {"series": "b_mag"}, "options": {"window": "PT5M"}}},
        }
    )
    again = edited(
        change("b_gse", fetch=None, compute={"inputs": {"b": "b_rms"}, "code": "x = 1\nreturn b\n"}), text=after.text
    )
    assert "    compute:\n      inputs: {b: b_rms}\n      code: |\n        x = 1\n        return b\n" in again.text


def test_paths_of_one_edit_name_places_as_they_were() -> None:
    """Removing the first panel does not make the second one the first for the other changes of the edit."""
    after = edited(
        {
            "kind": "edit_step",
            "step": "overview",
            "changes": {"figure.panels[0]": None, "figure.panels[1].height": 2, "figure.panels[+].traces[0].data": "b_rms"},
        }
    )
    figure = after.pipeline.step("overview").figure
    assert figure is not None
    assert [(panel.traces[0].data, panel.height) for panel in figure.panels] == [("b_mag", 2), ("b_rms", 1)]


def test_a_value_that_is_there_already_changes_no_byte() -> None:
    """An edit that says what the file says leaves it as it is, quotes and all."""
    assert (
        edited(change("b_gse", intent="Fetch the field"), {"kind": "edit_pipeline", "changes": {"title": "|B| at ACE"}}).text
        == EXAMPLE
    )


@pytest.mark.parametrize(
    ("before", "above"),
    [(None, "      events: onsets"), ("b_gse", "steps:"), ("b_rms", ""), ("onsets", "        return d")],
)
def test_an_added_step_is_one_stretch_of_lines_in_the_house_layout(before: str | None, above: str) -> None:
    """It stands before the step named, above the comments of that one, else as the last; nothing else differs."""
    step = {"id": "new", "intent": "It", "compute": {"inputs": {"b": "b_mag"}, "code": "x = 1\nreturn b\n", "unit": "nT"}}
    after = edited({"kind": "add_step", "step": step, "before": before})
    gone, come = differences(after)
    lines = [
        "  - id: new",
        "    intent: It",
        "    compute:",
        "      inputs: {b: b_mag}",
        "      unit: nT",
        "      code: |",
        "        x = 1",
        "        return b",
    ]
    assert not gone
    assert sorted(line for line in come if line) == sorted(lines)
    start = after.text.splitlines().index(lines[0])
    assert after.text.splitlines()[start : start + len(lines)] == lines
    assert after.text.splitlines()[start - 1] == above


def test_a_removed_step_takes_its_lines() -> None:
    """With the comment right above it; all other lines stay, comments that a blank line sets apart, too."""
    assert differences(edited({"kind": "remove_step", "step": "b_rms"})) == (EXAMPLE.splitlines()[13:21], [])
    apart = EXAMPLE.replace("  # the fluctuation\n", "  # the fluctuation\n\n")
    assert "# the fluctuation" in edited({"kind": "remove_step", "step": "b_rms"}, text=apart).text


def test_a_step_that_others_read_is_not_removed() -> None:
    """Who reads it is named."""
    with pytest.raises(InputError, match="b_gse cannot be removed: b_mag and overview refer to it"):
        edited({"kind": "remove_step", "step": "b_gse"})


def test_a_step_whose_results_others_read_is_not_removed() -> None:
    """They refer to the result by its name."""
    text = """\
version: 1
name: storm
steps:
  - {id: b, fetch: {archive: demo, dataset: AC_H0_MFI, parameter: BGSEc}}
  - {id: both, compute: {inputs: {b: b}, results: {size: {unit: nT}, peak: {kind: facts}}, code: return b}}
  - {id: drawn, figure: {panels: [{traces: [{data: size}]}]}}
"""
    with pytest.raises(InputError, match="size cannot be removed: drawn refers to it"):
        edited({"kind": "remove_step", "step": "both"}, text=text)


def test_a_step_is_removed_with_those_that_read_it() -> None:
    """The edits count together, in whatever order they stand."""
    after = edited(
        {"kind": "remove_step", "step": "onsets"}, {"kind": "edit_step", "step": "overview", "changes": {"figure.events": None}}
    )
    assert [step.id for step in after.pipeline.steps] == ["b_gse", "b_mag", "b_rms", "overview"]


def test_keys_of_the_pipeline_stand_in_the_order_of_the_model() -> None:
    """New ones come before the steps, removed ones take their line."""
    changes = {"description": "A storm", "assumptions": ["none"], "start": None, "title": "B"}
    gone, come = differences(edited({"kind": "edit_pipeline", "changes": changes}))
    assert gone == ['title: "|B| at ACE"            # a comment', "partitions: daily", "start: 1997-09-02"]
    assert come == ["title: B            # a comment", "description: A storm", "partitions: daily", "assumptions: [none]"]


@pytest.mark.parametrize(
    ("edit", "problem", "hint"),
    [
        ({"kind": "remove_step", "step": "onset"}, "there is no step onset", "Did you mean onsets"),
        (change("overvew", intent="x"), "there is no step overvew", "Did you mean overview"),
        ({"kind": "add_step", "step": {"id": "b_gse", "table": {"csv": "time", "source": "x"}}}, "already", "another id"),
        (
            {"kind": "add_step", "step": {"id": "n", "table": {"csv": "time", "source": "x"}}, "before": "q"},
            "no step q",
            "b_gse",
        ),
        ({"kind": "edit_step", "step": "b_gse", "changes": {"fetch.data set": "x"}}, "no place", "Did you mean fetch.dataset"),
        ({"kind": "edit_step", "step": "b_gse", "changes": {"compute.unit": "x"}}, "no place", "fetch.dataset"),
        ({"kind": "edit_step", "step": "b_gse", "changes": {"fetch.unit": None}}, "no place", "fetch.archive"),
        ({"kind": "edit_step", "step": "overview", "changes": {"figure.panels[7].height": 2}}, "no place", "figure.panels"),
        ({"kind": "edit_step", "step": "overview", "changes": {"figure.panels[-1].height": 2}}, "no place", "figure.panels"),
        (change("b_gse", id="b"), "the id of b_gse cannot be changed", "remove the old"),
        ({"kind": "edit_pipeline", "changes": {"lag": None}}, "the pipeline has no lag", "title"),
    ],
)
def test_what_is_not_there_is_told_with_the_nearest(edit: dict[str, Any], problem: str, hint: str) -> None:
    """An edit that misses its place changes nothing and says where it could have gone."""
    with pytest.raises(InputError) as caught:
        edited(edit)
    assert problem in caught.value.problem
    assert hint in caught.value.hint


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        ({"kind": "edit_step", "step": "overview", "changes": {"figure.pannels": 1}}, "Did you mean panels"),
        ({"kind": "edit_step", "step": "b_gse", "changes": {"fetch": None}}, "exactly one of fetch"),
        ({"kind": "edit_step", "step": "b_rms", "changes": {"compute.lookback": "five"}}, "PT10M"),
        ({"kind": "edit_step", "step": "b_rms", "changes": {"compute.inputs.b": None}}, "at least 1"),
    ],
)
def test_an_edit_that_breaks_the_pipeline_is_refused(edit: dict[str, Any], words: str) -> None:
    """What comes of an edit is always a valid pipeline."""
    with pytest.raises(PipelineError) as caught:
        edited(edit)
    assert words in str(caught.value)


def test_line_ends_of_another_system_stay() -> None:
    """Lines that are added end as all others do."""
    after = edited(
        {"kind": "add_step", "step": {"id": "n", "table": {"csv": "time", "source": "x"}}}, text=EXAMPLE.replace("\n", "\r\n")
    )
    assert after.text.count("\n") == after.text.count("\r\n") > EXAMPLE.count("\n")


words = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), max_size=20)
codes = words.map(lambda word: f"x = 1\n# {word}\nreturn x\n")
comments = st.lists(st.sampled_from(["# first", "  # a step", "      # deep", "", "#"]), max_size=2)


@st.composite
def commented(draw: st.DrawFn) -> str:
    """The example with comments and blank lines between its lines, lists indented or not, line ends of either kind."""
    lines: list[str] = []
    in_code = False
    indent = draw(st.sampled_from(["", "  ", "    "]))
    for line in EXAMPLE.splitlines():
        in_code = (line.startswith("        ") and in_code) or line.endswith("|")
        lines += [indent + line[2:] if line.startswith("  ") else line, *([] if in_code else draw(comments))]
    ends = draw(st.sampled_from(["\n", "\r\n"]))
    return ends.join(lines) + ends


def comments_of(text: str) -> list[str]:
    """Lines that are comments, and blank ones."""
    return [line for line in text.splitlines() if not line.partition("#")[0].strip()]


VALUES: list[tuple[str, str, st.SearchStrategy[Value]]] = [
    ("b_gse", "intent", words),
    ("b_gse", "fetch.parameter", words.map(lambda word: word or "B")),
    ("b_mag", "compute.options.window", words | st.floats(-1e6, 1e6) | st.lists(words, max_size=2)),
    ("b_rms", "compute.code", codes),
    ("b_rms", "compute.unit", words),
    ("b_rms", "compute.inputs.other", st.just("b_gse")),
    ("onsets", "table.csv", words | codes),
    ("onsets", "intent", words),
    ("overview", "figure.title", words),
    ("overview", "figure.panels[0].y.title", words),
    ("overview", "figure.panels[1].traces[0].color", words),
    ("overview", "figure.panels[1].traces[1]", st.fixed_dictionaries({"data": st.just("b_rms"), "label": words})),
]


@settings(max_examples=example_count(100), deadline=None)
@given(commented(), st.sampled_from(VALUES), st.data())
def test_any_change_is_the_plain_change_and_touches_one_step(
    text: str, target: tuple[str, str, st.SearchStrategy[Value]], data: st.DataObject
) -> None:
    """With comments anywhere, the value read back is the plain edit, and every line outside the step is as it was."""
    step, path, values = target
    value = data.draw(values)
    before = parse_pipeline(text, file="storm.yaml")
    index = [each.id for each in before.pipeline.steps].index(step)
    after = edited({"kind": "edit_step", "step": step, "changes": {path: value}}, text=text)
    wanted = copy.deepcopy(before.document.value)
    place: Any = wanted["steps"][index]  # type: ignore[index, call-overload]
    *way, last = parse_path(path)
    for part in way:
        place = place.setdefault(part, {}) if isinstance(part, str) else place[part]
    if isinstance(last, int) and last == len(place):
        place.append(value)
    else:
        place[last] = value
    assert after.document.value == wanted
    where = before.document.places["steps", index]
    first = text[: where.start].count("\n")
    assert text.splitlines()[:first] == after.text.splitlines()[:first]
    _, *rest = text[where.stop :].splitlines()
    while rest and rest[0].lstrip().startswith("#"):  # a comment right after its last line may be of the step
        rest.pop(0)
    assert after.text.splitlines()[-len(rest) :] == rest
    assert not Counter(comments_of(text)) - Counter(comments_of(after.text))


@settings(max_examples=example_count(60), deadline=None)
@given(commented(), st.sampled_from(["b_gse", "b_mag", "b_rms", "onsets", "overview", None]), words, codes)
def test_an_added_step_leaves_every_line_there(text: str, before: str | None, intent: str, code: str) -> None:
    """With comments anywhere, the lines of the file without the new step's stretch are those that were."""
    step = {"id": "new", "intent": intent, "compute": {"inputs": {"b": "b_mag"}, "code": code}}
    after = edited({"kind": "add_step", "step": step, "before": before}, text=text)
    ids = [each.id for each in after.pipeline.steps]
    assert ids.index("new") == (ids.index(before) - 1 if before else len(ids) - 1)
    gone, come = differences(after, text)
    assert not gone
    assert after.pipeline.step("new").intent == intent
    assert len(after.text.splitlines()) == len(text.splitlines()) + len(come)


@settings(max_examples=example_count(60), deadline=None)
@given(commented())
def test_a_step_that_is_added_and_removed_was_never_there(text: str) -> None:
    """Removing what was added gives the same lines; a blank one that set it apart stays."""
    step = {"id": "new", "fetch": {"archive": "demo", "dataset": "AC_H0_MFI", "parameter": "BGSEc"}}
    added = edited({"kind": "add_step", "step": step}, text=text)
    again = edited({"kind": "remove_step", "step": "new"}, text=added.text).text
    assert [line for line in again.splitlines() if line] == [line for line in text.splitlines() if line]


def block_of(lines: list[str], step: str) -> int:
    """The line that a step begins with: its own, or the first of the comments right above that stand as deep."""
    at = next(number for number, line in enumerate(lines) if line.lstrip().startswith(f"- id: {step}"))
    indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
    while lines[at - 1].startswith(f"{indent}#"):
        at -= 1
    return at


@settings(max_examples=example_count(100), deadline=None)
@given(commented(), st.sampled_from([("b_rms", "onsets"), ("overview", None)]))
def test_a_removed_step_takes_the_comments_right_above_it(text: str, steps: tuple[str, str | None]) -> None:
    """With comments anywhere: what stands before them stays, and so does the next step with its own."""
    step, following = steps
    lines, after = text.splitlines(), edited({"kind": "remove_step", "step": step}, text=text).text.splitlines()
    first = block_of(lines, step)
    assert after[:first] == lines[:first]
    assert not any(f"id: {step}" in line for line in after)
    tail = lines[block_of(lines, following) :] if following else lines[-1:]
    assert after[-len(tail) :] == tail
    assert len(after) <= len(lines) - (lines.index(next(line for line in lines if f"id: {step}" in line)) - first) - 1
