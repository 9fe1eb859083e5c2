"""Names that a follow-up leaves half unsaid, written out by what is drawn: `probe b`, `cluster 3 not 1`, `next encounter`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import timedelta

from helio_dagster.agent.answers import OpenQuestion, Replay
from helio_dagster.agent.drafting.derived import DERIVED_UNITS
from helio_dagster.agent.drafting.drawn_figure import Line
from helio_dagster.agent.drafting.lengths import spoken, spoken_alone, spoken_method
from helio_dagster.agent.drafting.nothing_measured import missions_with
from helio_dagster.agent.drafting.titling import SHAPED
from helio_dagster.agent.offline.edits.computing import LENGTH_OPTIONS
from helio_dagster.agent.offline.edits.forms import Form, form, matched
from helio_dagster.agent.offline.edits.frames import axis_of, frame_of
from helio_dagster.agent.offline.edits.table import Table
from helio_dagster.agent.offline.meanings import Filler, Mission
from helio_dagster.agent.offline.request_reading import read_request
from helio_dagster.agent.targets import Measured
from helio_dagster.catalog.choice.quantities import QUANTITIES, QUANTITY_WORDS
from helio_dagster.catalog.times.encounters import encounter, encounters_near
from helio_dagster.domain.catalog_entry import Quantity
from helio_dagster.domain.time_range import parse_duration

_SHORT = (
    (re.compile(r"\bg(1\d|[89])\b", re.IGNORECASE), "GOES", r"GOES \1"),
    (re.compile(r"\bc([1-4])\b", re.IGNORECASE), "Cluster", r"Cluster \1"),
    (re.compile(r"(?<!artemis )\bp([12])\b", re.IGNORECASE), "THEMIS-B", r"ARTEMIS P\1"),
    (re.compile(r"(?<!artemis )\bp([12])\b", re.IGNORECASE), "THEMIS-C", r"ARTEMIS P\1"),
    (re.compile(r"\bthe(?=\s*(?:$|[,;.?!]))", re.IGNORECASE), "THEMIS", "THEMIS-E"),
)
"""Short names beside data of a family: pattern, how the family's names begin, and the name."""
MOMENTS = frozenset[Quantity](("density", "temperature", "velocity", "pressure"))


def without_parts(text: str, table: Table) -> str:
    """`remove bx and by` of the one vector that is drawn as the component that is left; other sentences as they are."""
    vectors, gone = [line for line in table.plotted.lines if line.is_whole_vector], matched("elliptical.without", text)
    if gone is None or len(vectors) != 1 or len(vectors[0].quantities) != 1:
        return text
    letters = "rtn" if frame_of(vectors[0], table) == "RTN" else "xyz"
    left = {*letters} - {gone[each][-1].lower() for each in ("one", "other")}
    return f"only {QUANTITIES[vectors[0].quantities[0]].symbol}{left.pop()}{gone['rest'] or ''}" if len(left) == 1 else text


def named_in_full(text: str, table: Table) -> str:
    """The sentence with the names of spacecraft in full, as those are called that are drawn."""
    missions = table.plotted.missions
    if (number := matched("elliptical.number", text)) is not None and (unit := _unit_of_length(table)):
        table.notes.append(f"{number['count']} is taken as {number['count']} {unit}s, as the length is now.")
        return f"{number['count']} {unit}s"
    vectors = [line for line in table.plotted.lines if line.is_whole_vector]
    axis = matched("elliptical.axis", text) or matched("elliptical.axis_of", text)
    if axis is not None and axis["of"]:
        vectors = [line for line in table.plotted.named(axis["of"]) if line.is_whole_vector]
    if axis is not None and len({line.quantities for line in vectors}) == 1:
        symbol = QUANTITIES[vectors[0].quantities[0]].symbol
        if (axis["letter"] or symbol).casefold() == symbol.casefold():  # `vx of the velocity`
            return f"only {symbol}{axis['axis'].lower()}"
    if not vectors:
        text = form("elliptical.place").sub(r"heliographic \g<place>", text)
    of_fields = [frame_of(line, table) for line in vectors if line.quantities == ("magnetic_field",)]
    if of_fields == ["RTN"] and form("elliptical.turns").search(text) is None:
        text = form("elliptical.part").sub(lambda match: f"B{match['part'][0].lower()}", text)
    for pattern, family, name in _SHORT:
        if any(each.startswith(family) for each in missions):
            text = pattern.sub(name, text)
    quantities = {each for line in table.plotted.lines for each in line.quantities}
    if len(quantities) == 1 and quantities <= MOMENTS:  # `electrons too`
        text = form("elliptical.species").sub(rf"\g<lead>\g<species> {QUANTITY_WORDS[quantities.pop()]}", text)
    drawn = dict.fromkeys(of for line in table.plotted.lines for of in line.quantities)
    moments = [QUANTITY_WORDS[each] for each in drawn if each in MOMENTS]
    if moments and (other := matched("elliptical.other_particles", text)) is not None:  # `electrons instead`
        new, old = (" and ".join(f"{of} {each}" for each in moments) for of in (other["species"], "the"))
        return f"{new} instead of {old}"
    if any(line.is_spectrogram for line in table.plotted.lines):
        text = form("elliptical.species").sub(r"\g<lead>\g<species> energy flux spectrogram", text)
        if (other := matched("elliptical.other_species", text)) is not None:
            return f"{other['species']} energy spectrogram instead"
    if (match := matched("elliptical.all_but", text)) is not None:
        text = _for_others(match, table) or text
    if (match := matched("elliptical.cadence_of", text)) is not None:
        return _at_cadence_of(match["what"], match["of"], table) or text
    if not (stem := stem_of(missions)):
        return text

    def named(match: re.Match[str]) -> str:
        member = match["member"] or match["alone"] or match["first"]
        name = f"{stem}{member.upper()}"
        read = [each.meaning for each in read_request(name, table.now).mentions]
        is_mission = len(read) == 1 and isinstance(read[0], Mission) and read[0].name == name
        return f"{match['lead'] or match['lead2'] or ''}{name}" if is_mission else match[0]

    def called(match: re.Match[str]) -> str:
        """`the Behind spacecraft` beside STEREO-A: what the family's name before the word is the name of."""
        found = [each.meaning for each in read_request(f"{stem.strip(' -')} {match['word']}", table.now).mentions]
        return found[0].name if len(found) == 1 and isinstance(found[0], Mission) and found[0].name else match[0]

    return form("elliptical.called").sub(named, form("elliptical.of_family").sub(called, text))


def stem_of(missions: Sequence[str]) -> str:
    """What the names of the spacecraft that are drawn begin with before their letter or number; empty where they differ."""
    stems = {
        f"{match['stem']}{match['joint']}" for each in missions if (match := matched("elliptical.member", each)) is not None
    }
    return stems.pop() if len(stems) == 1 else ""


def _for_others(match: Form, table: Table) -> str:
    """What is said of all lines but one, said of the others by their names; empty where that one is not drawn."""
    named = table.plotted.named(match["but"])
    if not named:
        return ""
    others = [line for line in table.plotted.lines if line not in named]
    names = [
        next((name for name in _names(line) if (of := table.plotted.named(name)) and all(each in others for each in of)), "")
        for line in others
    ]
    if not all(names):
        return ""
    said = [f"{match['verb']} {name}{match['after']}" if match["verb"] else f"{match['before']} for {name}" for name in names]
    return " and ".join(dict.fromkeys(said))


def _names(line: Line) -> Iterator[str]:
    """What a line may be called, the shortest first."""
    part = re.search(r"_([xyzrtn])(_|$)", line.trace.data) if not line.is_whole_vector else None
    yield from [f"B{part[1]}"] if part and line.quantities == ("magnetic_field",) else []
    what = QUANTITY_WORDS[line.quantities[0]] if len(line.quantities) == 1 else ""
    yield from [what, *([f"{what} vector"] if line.is_whole_vector else [])] if what else [line.trace.data]


def _at_cadence_of(what: str, of: str, table: Table) -> str:
    """Averages of lines at the cadence of another; empty where that is not known.

    Raises
    ------
    OpenQuestion
        The other is the denser one.
    """
    known: list[timedelta] = []
    for words in (of, what):
        target = table.plotted.target(words)
        lines = target.lines if target is not None and target.is_named else []
        fetches = [step.fetch for line in lines for step in table.plotted.upstream(line.trace.data) if step.fetch]
        facts = [table.offers.catalog.facts(fetch.archive, fetch.dataset) for fetch in fetches]
        cadences = [each.cadence for each in facts if each is not None and each.cadence is not None]
        if not cadences:
            return ""
        known.append(max(cadences))
    wanted, own = known
    if wanted < own:
        raise OpenQuestion(f"{of} has a value every {spoken_alone(wanted)}, {what} only every {spoken_alone(own)}.",
                           [f"{spoken(own)} averages for {of}"])  # fmt: skip
    return f"{spoken(wanted)} averages for {what}"


def _unit_of_length(table: Table) -> str:
    """The unit of the one length over which something is smoothed or averaged; empty where there is none, or a limit too."""
    steps = [step.compute for step in table.plotted.pipeline.steps if step.compute]
    if any(each.operation == "intervals_where" for each in steps):
        return ""
    found = [each.options.get(LENGTH_OPTIONS[each.operation]) for each in steps if each.operation in LENGTH_OPTIONS]
    lengths = {spoken(parse_duration(str(each))).rpartition("-")[2] for each in found if each is not None}
    return lengths.pop() if len(lengths) == 1 else ""


def another_alone(text: str, table: Table) -> str:
    """`now probe b` as the same for it: what `now` is said of takes the place of what is drawn.

    So does the quantity that is named where what is drawn relates another one of two spacecraft: `and for the density?`.
    """
    if (also := matched("elliptical.likewise", text)) is not None and _is_of_two(table):
        found = read_request(also["what"], table.now)
        named = [each for each in found.mentions if not isinstance(each.meaning, Filler)]
        if len(named) == len(found.all(Measured)) == 1 and not found.unknown:
            return f"the same for {also['what']}"
    for part in dict.fromkeys([text, *(each.strip() for each in form("in_turn.joint").split(text) if each)]):
        if matched("elliptical.another", part) is not None:
            raise _which_other(table, *text.split(part, 1))
    match = matched("elliptical.now", text)
    what = named_in_full(match["what"], table) if match is not None else ""
    reading = read_request(what, table.now)
    is_mission = len(reading.mentions) == 1 and isinstance(reading.mentions[0].meaning, Mission) and not reading.unknown
    return f"the same for {what}" if is_mission else text


def _which_other(table: Table, ahead: str, behind: str) -> OpenQuestion:
    """The question which spacecraft takes the place of one that is drawn: those that measure all that is drawn of it, then.

    Its choices keep what is said ahead of it and behind it.
    """
    drawn = [each for each in table.plotted.missions if each != "OMNI"]
    choices = []
    for mission in drawn:
        of_it = {each for line in table.plotted.lines if mission in line.missions for each in line.quantities}
        having = [missions_with(each, table.offers.catalog, table.offers.archive, table.span) for each in sorted(of_it)]
        others = [each for each in (having[0] if having else ()) if each not in drawn and all(each in of for of in having)]
        of = f" instead of {mission}" if len(drawn) > 1 else ""
        choices += [f"{ahead}the same for {other}{of}{behind}" for other in others]
    return OpenQuestion(f"Which spacecraft do you want instead of {' or '.join(drawn)}?", choices)


def _is_of_two(table: Table) -> bool:
    """Whether all that is drawn relates one quantity of two spacecraft: their correlation, their difference."""
    lines = table.plotted.lines
    return bool(lines) and all(len(line.missions) == 2 and len(line.quantities) == 1 for line in lines)


def about_what_is_drawn(text: str, table: Table) -> str:
    """A follow-up that is a request of its own about what is drawn, in full and for the same time; empty for other words."""
    match, names = matched("elliptical.lag", text), names_of_two(table)
    if table.span is None:
        return ""
    related = matched("elliptical.related", text.strip(" ?"))
    if related is not None and len(names) == len(table.plotted.lines) == 2:
        drawn = [table.plotted.target(related[each]) for each in ("one", "other")]
        is_drawn = all(each is not None and each.is_named and len(each.lines) == 1 for each in drawn)
        return (
            f"correlation between {' and '.join(names)}{means_of(table.plotted.lines, table)} {table.when}" if is_drawn else ""
        )
    if match is not None and len(names) == len(table.plotted.lines) == 2:
        what = "correlation" if match["correlation"] else "lag"
        return f"{what} between {' and '.join(names)}{means_of(table.plotted.lines, table)} {table.when}"
    if matched("elliptical.scatter", text) is not None and len(names) == len(table.plotted.lines) == 2:
        return f"scatter plot of {names[0]} against {names[1]}{means_of(table.plotted.lines, table)}, {table.when}"
    if (spectrum := matched("elliptical.spectrum", text)) is not None and len(names) == len(table.plotted.lines) == 1:
        rest = spectrum["rest"] or ""
        return f"{spectrum['what']} of {names[0]}{means_of(table.plotted.lines, table)}{rest}, {table.when}"
    around, limits = matched("elliptical.around", text), form("elliptical.limited")
    events = [found for step in table.plotted.pipeline.steps if (found := limits.fullmatch(step.intent)) is not None]
    if around is None or len(events) != 1:
        return ""
    whose = "" if read_request(around["what"], table.now).all(Mission) else f"{' and '.join(table.plotted.missions)} "
    window = f", {around['window']}" if around["window"] else ""
    return f"superposed epoch of {whose}{around['what']} around intervals with {events[0]['limit']}{window}, {table.when}"


def names_of_two(table: Table) -> list[str]:
    """What requests call the one or two lines that are drawn; empty where one has no such name, or there are more."""
    lines = [line for line in table.plotted.lines if not line.is_spectrogram]
    names = list(dict.fromkeys(named_by_itself(line, table) for line in lines))
    return names if len(names) in (1, 2) and all(names) and len(names) == len(lines) else []


def named_by_itself(line: Line, table: Table) -> str:
    """What a request calls a line that is one quantity of one spacecraft; empty for others."""
    if len(line.missions) != 1 or len(line.quantities) != 1 or not _means(line, table):
        return ""
    if "magnitude" in line.operations:
        what = f"{QUANTITY_WORDS[line.quantities[0]]} magnitude"
    elif axis := axis_of(line, table):
        letter = QUANTITIES[line.quantities[0]].symbol
        what = f"{letter}{axis} in {frame_of(line, table)}" if frame_of(line, table) else ""
    else:
        what = f"{_whose(line, table)}{QUANTITY_WORDS[line.quantities[0]]}" if not line.is_whole_vector else ""
    fetches = [step.fetch for step in table.plotted.upstream(line.trace.data) if step.fetch is not None]
    names = {each.dataset for each in fetches if each.archive == table.offers.archive}
    home = f" from {names.pop()}" if len(names) == 1 else ""
    return f"{line.missions[0]} {what}{home}" if what else ""


def _whose(line: Line, table: Table) -> str:
    """Whose particles a line is of, before its quantity: `electron `; empty for those of the solar wind."""
    species = table.plotted.species(line)
    return f"{species} " if species else ""


def means_of(lines: Sequence[Line], table: Table) -> str:
    """What a request says behind the names of lines of the means that are drawn of all of them: `, 1-hour means`."""
    found = {_means(line, table) for line in lines}
    return "".join(found.pop()) if len(found) == 1 else ""


def _means(line: Line, table: Table) -> tuple[str, ...]:
    """The means that a line is, in words; none where something else is made of its quantity."""
    words = ""
    for step in table.plotted.upstream(line.trace.data):
        compute = step.compute
        if compute is None or compute.operation in SHAPED or compute.operation in DERIVED_UNITS:
            continue
        if compute.operation == "resample":
            length = spoken(parse_duration(str(compute.options["cadence"])))
            words += f", {length} {spoken_method(str(compute.options.get('method', 'mean')))}"
        elif compute.operation == "rolling_mean":
            words += f", {spoken(parse_duration(str(compute.options['window'])))} running mean"
        else:
            return ()
    return (words,)


def read_encounter(text: str, table: Table) -> Replay | None:
    """The same for another encounter with the Sun of the one spacecraft that is drawn; None where the sentence says none.

    Raises
    ------
    InputError
        Its date is not known.
    OpenQuestion
        The range is at several encounters.
    """
    match = matched("elliptical.encounter", text)
    if match is None or table.span is None or len(table.plotted.missions) != 1:
        return None
    (mission,) = table.plotted.missions
    near = encounters_near(mission, table.span)
    if near is None:
        return None
    if match["number"]:
        span, note = encounter(mission, int(match["number"]))
    else:
        if len(near) > 1:
            raise OpenQuestion(f"{table.span} has several encounters of {mission}. Which one do you want?")
        step = 1 if match["way"].lower() in ("next", "following") else -1
        span, note = encounter(mission, near[0][0] + step)
    return Replay(span, notes=(note,))
