"""The statements of a standalone script: one for each step, inputs first."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from helio_dagster.assets.graph import AssetNode
from helio_dagster.compute.plain_form import PlainInput, plain_attributes
from helio_dagster.domain.pipeline import NamedResult
from helio_dagster.domain.time_range import format_duration
from helio_dagster.launch.carrying.needs import Needs, SourceFile
from helio_dagster.launch.carrying.plain_steps import PlainStep, reader_of
from helio_dagster.launch.carrying.python_text import call, dictionary, function, literal, moment, plain_line

_OF_EVENT = "edges"
"""The variable for the start and stop of an event's window."""


@dataclass(frozen=True)
class _Place:
    """Where statements stand: how they call the windows and inputs of a step; `event` for those of a single event.

    `singles` are the assets whose values are stored in single precision, in which a step's code gets them.
    """

    needs: Needs
    variables: Mapping[str, str]
    singles: frozenset[str]
    event: bool = False

    def edges(self, node: AssetNode) -> str:
        return _OF_EVENT if self.event else f"[{', '.join(moment(edge) for edge in self.needs.edges(node))}]"


def statements(steps: Sequence[PlainStep], needs: Needs) -> Iterator[str]:
    """The code of each step; the steps of an event make one function."""
    names = {step.node.name: step.variable for step in steps}
    singles = frozenset(step.node.name for step in steps if _is_single(step))
    place, listed = _Place(needs, names, singles), dict[tuple[SourceFile, ...], str]()
    bodies = {step.body: _function(step) for step in steps if step.body}
    yield from (f"\n{text}\n" for text in bodies.values())
    of_event = [step for step in steps if step.node.events is not None and not step.node.is_over_range]
    for step in steps:
        if step.node.events is None:
            yield _statement(step, place, listed)
    if of_event:
        yield _of_event(of_event, needs, names, singles)
        results = {step.node.name: call("of_all", ["RESULTS", literal(step.variable)]) for step in of_event if step.has_table}
        events = next(step.node.events for step in of_event if step.node.events is not None)
        rows = {events.list_asset: f"{names[events.list_asset]}.iloc[ROWS]"} if events.list_asset in names else {}
        place = _Place(needs, {**names, **results, **rows}, singles)
    for step in steps:
        if step.node.events is not None and step.node.is_over_range:
            yield _statement(step, place, listed)


def results_of(steps: Sequence[PlainStep]) -> dict[str, str]:
    """Variable of each step with a result to the expression for all of it."""
    return {
        step.variable: call("of_all", ["RESULTS", literal(step.variable)])
        if step.node.events is not None and not step.node.is_over_range
        else step.variable
        for step in steps
        if step.has_table and not step.is_list
    }


def _of_event(steps: Sequence[PlainStep], needs: Needs, names: Mapping[str, str], singles: frozenset[str]) -> str:
    """The function that computes one event, the events, and their results."""
    events = next(step.node.events for step in steps if step.node.events is not None)
    own = {events.list_asset: f"{names[events.list_asset]}.iloc[[row]]"} if events.list_asset in names else {}
    place = _Place(needs, {**names, **own}, singles, event=True)
    inner = "\n".join(_statement(step, place, {}) for step in steps)
    given = dictionary({step.variable: step.variable for step in steps if step.has_table})
    words = '"""The results of one event: `edges` are the start and stop of its window, `row` is its place in the list."""'
    body = textwrap.indent(f"{words}\n{inner}\nreturn {given}", "    ")
    windows = [(events.window(key), events.events[key].row) for key in needs.events]
    listed = literal([([moment(span.start)[1:-1], moment(span.stop)[1:-1]], row) for span, row in windows], 1)
    return (
        f"\ndef of_event(edges: list[str], row: int) -> dict[str, pd.DataFrame]:\n{body}\n\n\n"
        f"EVENTS = {listed}\nROWS = [row for _, row in EVENTS]\nRESULTS = [of_event(*event) for event in EVENTS]"
    )


def _statement(step: PlainStep, place: _Place, listed: dict[tuple[SourceFile, ...], str]) -> str:
    node, intent = step.node, plain_line(step.node.step.intent or "")
    lines = [f"# {intent}"] if intent else []
    if step.is_list:
        lines.append(_given(step))
    elif node.fetch is not None:
        files = tuple(place.needs.files[node.name])
        if files not in listed:
            listed[files] = f"{step.variable}_files"
            lines.append(f"{listed[files]} = {literal([(each.name, each.url, each.sha256) for each in files], 1)}")
        lines.append(_fetched(step, place.needs, listed[files]))
    elif isinstance(node.step, NamedResult):
        several = f"{place.variables[node.inputs['code']]}[{literal(node.step.id)}]"
        lines.append(call("named", [several, _columns(step), *_attributes(step)], step.variable))
    elif node.step.fetch is None:
        lines.append(_computed(step, place))
    if node.excluded:
        lines.append(_excluded(step, place))
    return "\n".join(lines)


def _excluded(step: PlainStep, place: _Place) -> str:
    """The step's own result, or a fetch that others share, without excluded samples."""
    node = step.node
    source = place.variables[next(iter(node.data_inputs.values()))] if node.step.fetch is not None else step.variable
    cut = call("within", [source, f"[{_OF_EVENT}]"]) if node.step.fetch is not None and place.event else source
    lists = f"[{', '.join(place.variables[asset].partition('.iloc')[0] for asset in node.excluded)}]"
    return call("excluded", [cut, place.edges(node), lists], step.variable)


def _fetched(step: PlainStep, needs: Needs, files: str) -> str:
    fetch, span = step.node.fetch, needs.spans[step.node.name]
    if fetch is None:
        raise TypeError(f"{step.node.name} is not fetched")
    _, reader = reader_of(step)
    bins = ["has_bins=True"] if step.table.meta.kind == "spectrogram" else []
    edges = [moment(span.start), moment(span.stop)]
    arguments = ["FILES", reader, literal(fetch.parameter), files, _columns(step), *edges, *bins, *_attributes(step)]
    pieces = needs.pieces.get(step.node.name, ())
    if len(pieces) < 2:
        return call("fetch", arguments, step.variable)
    apart = literal([(moment(each.start)[1:-1], moment(each.stop)[1:-1]) for each in pieces])
    return call("within", [call("fetch", arguments), apart], step.variable)


def _computed(step: PlainStep, place: _Place) -> str:
    node = step.node
    halo = {"lookback": node.lookback, "lookahead": node.lookahead}
    reach = [f'{name}="{format_duration(length)}"' for name, length in halo.items() if length]
    given = {name: place.variables[asset] for name, asset in node.data_inputs.items()}
    options = [f"{name}={literal(value)}" for name, value in step.plain.options.items()] if step.plain else []
    if step.plain is not None:
        given = {name: _argument(given[name], how) for name, how in step.plain.inputs.items()}
    if step.body:
        is_as_stored = {
            name: asset in place.singles and given[name] == place.variables[asset] for name, asset in node.data_inputs.items()
        }
        given = {name: f'{each}.astype("float32")' if is_as_stored[name] else each for name, each in given.items()}
        several = [f"options={literal(step.plain.options)}"] if step.plain and step.plain.options else []
        arguments = [step.body, place.edges(node), dictionary(given), literal(step.kinds), *reach, *several]
        if not step.has_table:
            return f"{step.variable} = {call('by_code', arguments)}"
        inner = f"{call('by_code', arguments)}[{literal(node.step.id)}]"
    elif step.plain is None:
        raise TypeError(f"{node.name} is not computed")
    elif step.plain.is_of_window:
        inner = call("by_window", [step.plain.name, place.edges(node), dictionary(given), *options])
    elif place.event or (node.events is not None and node.is_over_range):
        inner = call("by_event", [step.plain.name, place.edges(node), dictionary(given), *reach, *options])
    else:
        inner = call(step.plain.name, [*given.values(), *options])
    return call("named", [inner, _columns(step), *_attributes(step)], step.variable)


def _is_single(step: PlainStep) -> bool:
    return bool(step.table.columns) and all(values.dtype == np.float32 for values in step.table.columns.values())


def _function(step: PlainStep) -> str:
    """The code of a step, or of a saved operation, as a function of its inputs and options."""
    if step.saved is not None:
        return function(step.body, [*step.saved.file.inputs, *step.saved.file.options], step.code)
    return function(step.body, list(step.node.data_inputs), step.code)


def _argument(name: str, how: PlainInput) -> str:
    if how == PlainInput():
        return name
    columns = [literal(list(how.columns))] if how.columns else []
    return call("taken", [name, *columns, *([f"factor={how.factor!r}"] if how.factor != 1 else [])])


def _given(step: PlainStep) -> str:
    """A table of the pipeline's file, as it was read."""

    def written(values: np.ndarray[Any, Any]) -> str:
        if values.dtype.kind == "M":
            return f"pd.to_datetime({literal([None if np.isnat(each) else str(each) for each in values])})"
        return literal(values.tolist())

    inner = dictionary({name: written(values) for name, values in step.table.columns.items()})
    index = call("pd.DatetimeIndex", [literal(step.table.time.astype(str).tolist()), 'tz="UTC"', 'name="time"'])
    frame = call("pd.DataFrame", [inner, f"index={index}"])
    return call("named", [frame, _columns(step), *_attributes(step), "is_whole=True"], step.variable)


def _columns(step: PlainStep) -> str:
    return literal([column.name for column in step.table.meta.columns])


def _attributes(step: PlainStep) -> list[str]:
    return [f"{name}={literal(value)}" for name, value in plain_attributes(step.table.meta).items()]
