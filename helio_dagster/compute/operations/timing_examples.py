"""Examples of timings by four and by two spacecraft."""

from __future__ import annotations

from helio_dagster.compute.operations.examples import Example, ExampleTable

_TIMES = (0.0, 10.0)
_START = "2024-01-01T00:00:0"


def _at(x: float, y: float, z: float) -> ExampleTable:
    columns = {"x": (x, x), "y": (y, y), "z": (z, z)}
    return ExampleTable(kind="vector", unit="km", frame="GSE", columns=columns, seconds=_TIMES)


def _event(second: float) -> ExampleTable:
    return ExampleTable(kind="events", columns={"size": (1.0,)}, seconds=(second,))


_CORNERS = {
    "position1": _at(0, 0, 0),
    "position2": _at(100, 0, 0),
    "position3": _at(0, 100, 0),
    "position4": _at(0, 0, 100),
}
FOUR_EXAMPLES = (
    Example(
        inputs=_CORNERS,
        options={"times": [f"{_START}{each}Z" for each in ("3", "4.2", "4.6", "3")], "time_uncertainty": "PT0.1S"},
        expected={
            "normal_x": (0.6,),
            "normal_y": (0.8,),
            "normal_z": (0,),
            "speed": (50,),
            "delay2": (1.2,),
            "speed_uncertainty": (2500 * 0.001 * 2.96**0.5,),
            "normal_uncertainty": (50 * 0.001 * 3.04**0.5 * 57.29577951308232,),
        },
        window=(0, 20),
        seconds=(0,),
        units={"speed": "km/s", "normal_uncertainty": "deg", "delay2": "s"},
        relative=1e-9,
        source="by hand: t = n r / V; sum k k = (1 + all ones) / 100^2 per km^2, so n k k n = 1 + 1.4^2 and its trace 6",
    ),
    Example(
        inputs={**_CORNERS, **{f"crossing{place}": _event(second) for place, second in enumerate((3, 3, 3, 1), start=1)}},
        expected={
            "normal_x": (0,),
            "normal_y": (0,),
            "normal_z": (-1,),
            "speed": (50,),
            "speed_uncertainty": (None,),
            "correlation": (None,),
        },
        window=(0, 20),
        seconds=(0,),
        relative=1e-9,
        source="by hand: two seconds earlier where z is 100 km",
    ),
)
TWO_EXAMPLES = (
    Example(
        inputs={"position1": _at(1_000, 0, 0), "position2": _at(200, 600, 0)},
        options={"times": [f"{_START}1Z", f"{_START}3Z"], "time_uncertainty": "PT0.2S"},
        expected={
            "speed": (400,),
            "speed_uncertainty": (400 * 2**0.5 * 0.1,),
            "normal_x": (-1,),
            "separation": (1_000,),
            "separation_angle": (36.86989764584401,),
        },
        window=(0, 20),
        seconds=(0,),
        units={"speed": "km/s", "separation": "km"},
        relative=1e-9,
        source="by hand: 800 km towards the Earth in 2 s, a triangle of 3, 4 and 5",
    ),
    Example(
        inputs={"position1": _at(1_000, 0, 0), "position2": _at(200, 600, 0), "crossing1": _event(1), "crossing2": _event(3)},
        options={"normal": [0, -2, 0]},
        expected={"speed": (-300,), "normal_y": (-1,), "delay2": (2,)},
        window=(0, 20),
        seconds=(0,),
        relative=1e-9,
        source="by hand: 600 km along +Y in 2 s, against the normal",
    ),
)
