"""Over how long the field is averaged along which a request wants vectors: `averaged over 10 minutes`."""

from __future__ import annotations

import re

from helio_dagster.agent.offline.recipes.vocabulary import Recipe
from helio_dagster.catalog.times.lengths import LENGTH, read_length
from helio_dagster.domain.time_range import format_duration

OPTION = "average"
_ALIGNED = re.compile(r"\b(?:field[- ]aligned|mfa)\b", re.IGNORECASE)
_MEAN = r"(?:(?:running|moving|sliding|centred) )?(?:averag(?:e|es|ing)|means?|windows?|background)(?: (?:field|window))?"
_OF = r",? *\(?(?:(?:with|using|by|of|from|for) )?(?:(?:an?|the|its) )?(?:(?:mean |background )?field )?"
_AVERAGED = tuple(
    re.compile(rf"{_OF}{words}\)?(?!\w)", re.IGNORECASE)
    for words in (rf"(?:averaged?|smoothed|{_MEAN}) (?:over|of|with|in) (?:an? )?{LENGTH}", rf"{LENGTH}[- ]{_MEAN}")
)


def read_average(name: str) -> tuple[str, str]:
    """A request for a field-aligned vector without its average, and the length of that as ISO 8601; none where not said."""
    found = next(filter(None, (each.search(name) for each in _AVERAGED)), None) if _ALIGNED.search(name) else None
    if found is None:
        return name, ""
    return name.replace(found[0], "", 1).strip(" ,"), format_duration(read_length(found))


def averaged(recipe: Recipe, length: str) -> Recipe:
    """The recipe with the field averaged over that length."""
    steps = (each.model_copy(update={"options": {**each.options, OPTION: length}}) for each in recipe.steps)
    return recipe.model_copy(update={"steps": tuple(steps), "assumed": recipe.assumed[1:]})
