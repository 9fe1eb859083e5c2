"""The same parameter of another member of a family of spacecraft, told by the names: `THA_L2_ESA` and `THD_L2_ESA`."""

from __future__ import annotations

from collections.abc import Iterator

from helio_dagster.catalog.known import KnownCatalog


def sibling(
    archive: str, dataset: str, parameter: str, missions: tuple[str, str], catalog: KnownCatalog
) -> tuple[str, str] | None:
    """The dataset and the parameter of the second mission that are called as those of the first one; None where none are.

    Parameters
    ----------
    archive, dataset, parameter
        What the first mission measures.
    missions
        Both missions by their names in the catalog, of one family: `THEMIS-A`, `THEMIS-D`.
    catalog
        What is known.
    """
    shared = next((at for at, (one, other) in enumerate(zip(*missions, strict=False)) if one != other), 0)
    old, new = (name[shared:] for name in missions)
    if not shared or not old or not new:
        return None
    for name in _renamed(dataset, old, new):
        facts = catalog.facts(archive, name)
        if facts is None or facts.mission != missions[1]:
            continue
        found = next((each for each in (*_renamed(parameter, old, new), parameter) if facts.parameter(each) is not None), None)
        if found is not None:
            return name, found
    return None


def _renamed(name: str, old: str, new: str) -> Iterator[str]:
    """A name with the old member's letter or number as the new one's, at each place by itself and at all of them."""
    cases = ((old, new), (old.lower(), new.lower()))
    for each, other in dict.fromkeys(cases):
        places = [at for at in range(len(name)) if name.startswith(each, at)]
        yield from [f"{name[:at]}{other}{name[at + len(each) :]}" for at in places]
        if len(places) > 1:
            yield name.replace(each, other)
