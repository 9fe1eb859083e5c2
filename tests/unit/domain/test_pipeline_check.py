"""Rules over whole pipelines."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest

from helio_dagster.catalog.handmade import small_catalog
from helio_dagster.compute.operation import get_operation
from helio_dagster.domain.errors import PipelineError
from helio_dagster.domain.pipeline_check import Findings, examine_pipelines
from helio_dagster.domain.pipeline_text import parse_pipeline, pipeline_sha

FIELD = "- {id: b, fetch: {archive: demo, dataset: AC_H0_MFI, parameter: BGSEc}}"
SPEED = "- {id: v, fetch: {archive: demo, dataset: AC_H0_SWE, parameter: Vp}}"


def examine(*texts: str, head: str = "") -> Findings:
    """Check pipelines `one`, `two`, … given by their steps; the first may have more keys."""
    files = {}
    for name, steps in zip(("one", "two", "three"), texts, strict=False):
        more = head if name == "one" else ""
        text = f"version: 1\nname: {name}\n{more}steps:\n{indent(dedent(steps).strip(), '  ')}\n"
        files[name] = parse_pipeline(text, file=f"{name}.yaml")
    return examine_pipelines(files, get_operation, small_catalog())


def problems(*texts: str, head: str = "") -> list[str]:
    """The problems that forbid running, as printed."""
    return [str(problem) for problem in examine(*texts, head=head).problems]


def test_a_sound_pipeline_has_no_faults() -> None:
    """Neither problems nor notes on what is right."""
    steps = f"""\
    {FIELD}
    - {{id: mag, compute: {{operation: magnitude, inputs: {{vector: b}}}}}}
    - {{id: storms, table: {{csv: "onset,name\\n2003-10-29,x", source: me}}}}
    - {{id: plot, figure: {{panels: [{{traces: [{{data: mag}}]}}], events: storms}}}}
    """
    assert examine(steps, head="schedule: 0 6 * * mon-fri\nlag: PT36H\n") == Findings()


def test_an_approval_of_something_else_is_a_note() -> None:
    """It says who approved it and when; one that fits says nothing, wherever comments and layout were changed."""
    text = f"version: 1\nname: one\nsteps:\n  {FIELD}\n"
    sha = pipeline_sha(parse_pipeline(text, file="one.yaml").pipeline)
    for given, notes in ((sha, []), ("x", ["changed since me approved it on 2026-01-02"])):
        approved = f"# so it was\napproved: {{by: me, at: 2026-01-02, sha: {given}}}\n"
        found = examine_pipelines({"one": parse_pipeline(text + approved, file="one.yaml")}, get_operation, small_catalog())
        assert [note.problem for note in found.notes] == notes
        assert not found.problems


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        (
            "- {id: m, compute: {operation: magnitude, inputs: {vector: bb}}}",
            "one.yaml:6: steps[2].compute.inputs.vector: there is no step 'bb'\n  Did you mean b?",
        ),
        (
            "- {id: m, compute: {operation: magnitude, inputs: {vector: oen/b}}}",
            "one.yaml:6: steps[2].compute.inputs.vector: there is no pipeline 'oen'\n  Did you mean one?",
        ),
        ("- {id: b, figure: {panels: [{traces: [{data: v}]}]}}", "one.yaml:6: steps[2].id: the id 'b' appears twice"),
        (
            "- {id: m, compute: {operation: magnitud, inputs: {vector: b}}}",
            "one.yaml:6: steps[2].compute.operation: there is no operation 'magnitud'\n  Did you mean magnitude?",
        ),
        (
            "- {id: m, compute: {operation: rolling_mean, inputs: {series: v}, options: {windw: PT1M}}}",
            "one.yaml:6: steps[2].compute.options.windw: unknown key 'windw'\n  Did you mean window?",
        ),
        (
            "- {id: m, compute: {operation: rolling_mean, inputs: {series: v}, options: {window: PT0S}}}",
            "one.yaml:6: steps[2].compute.options.window: a duration above",
        ),
        (
            "- {id: m, compute: {operation: rolling_mean, inputs: {series: v}}}",
            "one.yaml:6: steps[2].compute.options.window: the key 'window' is missing\n  window: Length of the moving window",
        ),
        (
            "- {id: m, compute: {operation: magnitude, inputs: {vector: v}}}",
            "one.yaml:6: steps[2].compute.inputs: magnitude takes vector as 'vector', not series",
        ),
        (
            "- {id: m, compute: {operation: component, inputs: {vector: b}, options: {component: w}}}",
            "one.yaml:6: steps[2].compute.inputs: there is no component 'w'",
        ),
        (
            "- {id: d, fetch: {archive: demo, dataset: AC_H0_MFE, parameter: BGSEc}}",
            "one.yaml:6: steps[2].fetch.dataset: the archive 'demo' has no dataset 'AC_H0_MFE'\n  Did you mean AC_H0_MFI?",
        ),
        (
            "- {id: d, fetch: {archive: demo, dataset: AC_H0_MFI, parameter: BGSE}}",
            "one.yaml:6: steps[2].fetch.parameter: the dataset AC_H0_MFI has no parameter 'BGSE'\n  Did you mean BGSEc",
        ),
        (
            "- {id: f, figure: {panels: [{traces: [{data: v}], y: {range: [5, 5]}}]}}",
            "one.yaml:6: steps[2].figure.panels[0].y.range: the range from 5 to 5 holds nothing",
        ),
        (
            "- {id: f, figure: {panels: [{traces: [{data: v}], y: {scale: log, range: [0, 5]}}]}}",
            "one.yaml:6: steps[2].figure.panels[0].y.range: a logarithmic axis cannot begin at 0",
        ),
        (
            "- {id: f, figure: {panels: [{traces: [{data: v}]}], events: b}}",
            "one.yaml:6: steps[2].figure.events: 'b' is a fetch: events are rows of a table",
        ),
        (
            "- {id: t, table: {csv: 'time,name\n\n      2003-02-30,x', source: me}}",
            "one.yaml:6: steps[2].table.csv: '2003-02-30' in column 'time' is not a time",
        ),
    ],
)
def test_each_fault_is_found_before_anything_runs(step: str, expected: str) -> None:
    """A fault names its line and path, what is wrong, and the nearest right thing."""
    found = problems(f"{FIELD}\n{SPEED}\n{step}")
    assert len(found) == 1
    assert found[0].startswith(expected), found


LAGGED = (
    "- id: lagged\n  compute:\n    inputs: {b: b, v: v}\n"
    "    results: {lag: {kind: facts}, r: {kind: curve}, runs: {kind: events}, smooth: {unit: nT}}\n"
    "    code: return {}\n"
)


def test_a_named_result_is_referred_to_like_a_step() -> None:
    """By figures, inputs, exclusions, partitions and other pipelines."""
    reads = """\
    - {id: of_lag, compute: {inputs: {l: lag}, kind: facts, code: return l}}
    - {id: mean, exclude: runs, compute: {operation: rolling_mean, inputs: {series: smooth}, options: {window: PT1H}}}
    - {id: f, figure: {panels: [{traces: [{data: r}, {data: lag}]}], events: runs}}
    """
    other = "- {id: w, exclude: one/runs, fetch: {archive: demo, dataset: AC_H0_SWE, parameter: Vp}}"
    over = f"- {{id: copy, compute: {{inputs: {{a: one/smooth}}, code: return a}}}}\n{other}"
    assert problems(f"{FIELD}\n{SPEED}\n{LAGGED}{dedent(reads)}", over) == []
    assert problems(f"{FIELD}\n{SPEED}\n{LAGGED}  exclude: runs\n") == []  # the other results of the same code, too
    texts = {"one": f"{FIELD}\n{SPEED}\n{LAGGED}", "three": FIELD}
    heads = {"one": "", "three": "partitions: {events: one/runs}\n"}
    files = {
        name: parse_pipeline(f"version: 1\nname: {name}\n{heads[name]}steps:\n{indent(text, '  ')}\n", file=f"{name}.yaml")
        for name, text in texts.items()
    }
    assert examine_pipelines(files, get_operation, small_catalog()).problems == []


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        (
            "- {id: f, figure: {panels: [{traces: [{data: lagged}]}]}}",
            "one.yaml:11: steps[3].figure.panels[0].traces[0].data: lagged has no data itself: it is the code that "
            "makes lag, r, runs and smooth\n  Name lag, r, runs or smooth.",
        ),
        (
            "- {id: r, figure: {panels: [{traces: [{data: smooth}]}]}}",
            "one.yaml:11: steps[3].id: the id 'r' appears twice\n  steps[2] has it already",
        ),
        (
            "- {id: m, compute: {inputs: {b: b}, results: {v: {}}, code: return b}}",
            "one.yaml:11: steps[3].compute.results.v: the name of a result, 'v', is taken\n  steps[1] has it",
        ),
        (
            "- {id: m, compute: {inputs: {b: x}, results: {x: {}}, code: return b}}",
            "one.yaml:11: steps[3]: steps wait for each other: m -> x -> m",
        ),
        (
            "- {id: m, expect: {facts: {n: '> 0'}}, exclude: smoth, compute: {inputs: {b: b}, "
            "results: {x: {}, n: {kind: facts}}, code: return b}}",
            "one.yaml:11: steps[3].exclude: there is no step 'smoth'\n  Did you mean smooth?",
        ),
    ],
)
def test_faults_around_named_results_are_told_where_they_stand(step: str, expected: str) -> None:
    """The code itself has no data, names are taken once, and rings go through results."""
    found = problems(f"{FIELD}\n{SPEED}\n{LAGGED}{step}")
    assert [text.startswith(expected) for text in found] == [True], found


NINE = ", ".join(f"x{number}: {{}}" for number in range(9))


@pytest.mark.parametrize(
    ("step", "problem"),
    [
        ("compute: {operation: magnitude, inputs: {vector: b}, results: {x: {}}}", "results belong to code"),
        ("compute: {inputs: {b: b}, unit: nT, results: {x: {}}, code: return b}", "belong to each of the results"),
        ("compute: {inputs: {b: b}, results: {x: {uni: nT}}, code: return b}", "Did you mean unit"),
        ("compute: {inputs: {b: b}, results: {}, code: return b}", "compute.results"),
        (
            f"compute: {{inputs: {{b: b}}, results: {{{NINE}}}, code: return b}}",
            "compute.results",
        ),
        ("expect: {min: 0}\n  compute: {inputs: {b: b}, results: {x: {}, n: {kind: facts}}, code: return b}", "only the facts"),
        (
            "expect: {facts: {n: '> 0'}}\n  compute: {inputs: {b: b}, results: {x: {}}, code: return b}",
            "here is no result",
        ),
        (
            "exclude: b\n  compute: {inputs: {b: b}, results: {n: {kind: facts}}, code: return b}",
            "none of the results has",
        ),
    ],
)
def test_what_several_results_cannot_be_is_refused_with_the_file(step: str, problem: str) -> None:
    """When it is read."""
    with pytest.raises(PipelineError, match=problem):
        problems(f"{FIELD}\n- id: m\n  {step}")


def test_units_that_clash_are_found_along_a_chain() -> None:
    """Metadata follow from step to step, also into another pipeline, so that a clash is found before a fetch."""
    mean = "- {id: mag, compute: {operation: magnitude, inputs: {vector: b}}}"
    clash = f"{SPEED}\n- {{id: d, compute: {{operation: difference, inputs: {{a: v, b: one/mag}}}}}}"
    found = problems(f"{FIELD}\n{mean}", clash)
    assert len(found) == 1
    assert found[0].startswith("two.yaml:5: steps[1].compute.inputs: ")
    assert "km/s" in found[0]
    assert "nT" in found[0]


def test_figures_are_no_inputs() -> None:
    """Nothing is computed from a picture."""
    figure = "- {id: f, figure: {panels: [{traces: [{data: v}]}]}}"
    found = problems(f"{SPEED}\n{figure}\n- {{id: g, figure: {{panels: [{{traces: [{{data: f}}]}}]}}}}")
    assert found == [
        "one.yaml:6: steps[2].figure.panels[0].traces[0].data: 'f' is a figure: nothing can be computed or drawn from it\n"
        "  Refer to what the figure draws."
    ]


def test_a_ring_through_two_pipelines_is_found_in_both() -> None:
    """Steps that wait for each other never run; every pipeline that takes part says so."""
    one = "- {id: a, compute: {operation: scale, inputs: {series: two/c}, options: {factor: 2}}}"
    two = "- {id: c, compute: {operation: scale, inputs: {series: one/a}, options: {factor: 2}}}"
    found = problems(one, two)
    assert [line.split(": ")[0] for line in found] == ["one.yaml:4", "two.yaml:4"]
    assert "a -> two/c -> a" in found[0] or "two/c -> a -> two/c" in found[0]


def test_a_step_that_reads_itself_is_a_ring() -> None:
    """The shortest ring has one step."""
    found = problems("- {id: a, compute: {operation: scale, inputs: {series: a}, options: {factor: 2}}}")
    assert "a -> a" in found[0]


def test_a_long_chain_is_checked() -> None:
    """The check does not depend on how many steps follow each other."""
    steps = [FIELD, "- {id: s0, compute: {operation: magnitude, inputs: {vector: b}}}"]
    steps += [
        f"- {{id: s{n}, compute: {{operation: scale, inputs: {{series: s{n - 1}}}, options: {{factor: 2}}}}}}"
        for n in range(1, 120)
    ]
    assert problems("\n".join(reversed(steps))) == []


@pytest.mark.parametrize(
    ("body", "line", "words"),
    [
        ("x = (\nreturn x", 10, "never closed"),
        ("x = 1\nreturn x +", 11, "invalid syntax"),
        ("x = 1\ndef f():\n    return 1", 9, "returns nothing"),
    ],
)
def test_code_is_parsed_where_it_stands(body: str, line: int, words: str) -> None:
    """A mistake in a code step is found with its line in the file, without running it."""
    code = f"{SPEED}\n- id: c\n  compute:\n    inputs: {{v: v}}\n    unit: nT\n    code: |\n{indent(body, '      ')}\n"
    found = problems(code)
    assert len(found) == 1
    assert words in found[0]
    assert found[0].startswith(f"one.yaml:{line}: steps[1].compute.code: "), found


def test_code_inputs_are_no_python_words() -> None:
    """An input's name becomes an argument."""
    found = problems(f"{SPEED}\n- {{id: c, compute: {{inputs: {{lambda: v}}, code: return 1}}}}")
    assert "'lambda' is a word of Python" in found[0]


@pytest.mark.parametrize("schedule", ["daily", "weekly", "monthly", "0 6 * * 1", "*/5 0-12/2 1,15 jan-mar sun"])
def test_schedules_are_words_or_cron(schedule: str) -> None:
    """Named schedules and five-field cron strings are taken."""
    assert problems(FIELD, head=f'schedule: "{schedule}"\n') == []


@pytest.mark.parametrize("schedule", ["hourly", "60 * * * *", "* * * *", "@daily", "* * * 13 *", "5-1 * * * *", "*/0 * * * *"])
def test_other_schedules_are_refused(schedule: str) -> None:
    """A schedule that would never fire as meant is found."""
    found = problems(FIELD, head=f'schedule: "{schedule}"\n')
    assert len(found) == 1
    assert found[0].startswith("one.yaml:3: schedule: ")


def test_an_unknown_dataset_of_a_real_archive_is_a_note() -> None:
    """Archives hold thousands of datasets that we do not know; only a near miss is worth a word."""
    typing_error = "- {id: b, fetch: {archive: cdaweb, dataset: AC_H0_MIF, parameter: BGSEc}}"
    stranger = "- {id: c, fetch: {archive: cdaweb, dataset: ERG_PWE_HFA_L3_1MIN, parameter: ne}}"
    sibling = "- {id: d, fetch: {archive: cdaweb, dataset: MMS2_FGM_SRVY_L2, parameter: x}}"
    found = examine(f"{typing_error}\n{stranger}\n{sibling}")
    assert found.problems == []
    assert [str(note) for note in found.notes] == [
        "one.yaml:4: steps[0].fetch.dataset: the catalog has no dataset 'AC_H0_MIF'\n  Did you mean AC_H0_MFI?"
    ]


def test_more_units_than_a_panel_has_axes_are_a_note() -> None:
    """Two units have an axis each."""
    mag = "- {id: m, compute: {operation: magnitude, inputs: {vector: b}}}"
    volt = "- {id: w, compute: {operation: scale, inputs: {series: m}, options: {unit: mV}}}"
    two = "- {id: f, figure: {panels: [{traces: [{data: m}, {data: v}]}]}}"
    found = examine(f"{FIELD}\n{SPEED}\n{mag}\n{two}")
    assert found.problems == []
    assert not any("share one panel" in str(note) for note in found.notes)
    three = "- {id: f, figure: {panels: [{traces: [{data: m}, {data: v}, {data: w}]}]}}"
    found = examine(f"{FIELD}\n{SPEED}\n{mag}\n{volt}\n{three}")
    told = [str(each) for each in (*found.problems, *found.notes)]
    assert any("two value axes at most" in each for each in told)


def test_a_lag_without_schedule_is_a_note() -> None:
    """A key without effect is pointed out."""
    assert "lag does nothing" in str(examine(FIELD, head="lag: PT1H\n").notes[0])


def test_what_cannot_be_excluded() -> None:
    """From a step without samples, by a step that lists no events, and by the list of the partitions themselves."""
    bad = '- {id: bad, table: {csv: "start,stop\\n2003-10-29,2003-10-30", source: me}}'
    steps = f"""\
    {FIELD}
    {bad}
    - {{id: mag, exclude: bad, compute: {{operation: magnitude, inputs: {{vector: b}}}}}}
    - {{id: storms, exclude: bad, compute: {{operation: intervals_where, inputs: {{series: mag}}, options: {{above: 9}}}}}}
    - {{id: twice, exclude: [bad, mag], compute: {{operation: magnitude, inputs: {{vector: b}}}}}}
    """
    samples, events = problems(steps)
    assert "steps[3].exclude: a step that gives events has no samples to exclude" in samples
    assert "steps[4].exclude[1]: 'mag' does not list events" in events
    (own,) = problems(f"{bad}\n{FIELD[:-1]}, exclude: bad}}", head="partitions: {events: bad}\n")
    assert "bad lists the partitions, so excluding it leaves nothing" in own


@pytest.mark.parametrize(("frame", "hint"), [("RTM", "Did you mean RTN?"), ("LMN", "SC or MFA")])
def test_an_option_with_several_lists_of_words_has_one_fault(frame: str, hint: str) -> None:
    """At the option's own path, with the near word, or all that are allowed."""
    turned = f"- {{id: turned, compute: {{operation: transform_frame, inputs: {{vector: b}}, options: {{to: {frame}}}}}}}"
    [problem] = problems(f"{FIELD}\n{turned}")
    assert f"compute.options.to: '{frame}' is not allowed here" in problem
    assert hint in problem


@pytest.mark.parametrize(
    ("target", "hint"),
    [
        ("PPS", "Did you mean PSP?"),
        ("Solar Orbitar", "Did you mean SOLO?"),
        ("Stereo-Ahed", "Did you mean STEREO_A"),
        ("ACE", "hapi:sscweb"),
    ],
)
def test_an_unknown_body_is_answered_with_near_ones_or_where_else_to_look(target: str, hint: str) -> None:
    """By its name in files, its label and its other names."""
    fetch = f"{{archive: spice, target: {target}, observer: SUN, frame: HCI, cadence: PT1H}}"
    with pytest.raises(PipelineError, match="there is no body") as refused:
        examine(f"- {{id: place, fetch: {fetch}}}")
    assert hint in str(refused.value)
