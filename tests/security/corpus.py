"""The corpus as data: attacks by goal and honest code by subject, read from YAML. Running them is the harness's."""

from __future__ import annotations

from pathlib import Path
from string import Template
from typing import Annotated, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field

FOLDER = Path(__file__).parent

Evidence = Literal[
    "said", "mark", "victim", "heard", "bystander", "parent", "left", "hung", "grew", "threads", "descriptors", "swamped",
    "crashed", "leaked", "raw", "inputs", "kept",
]  # fmt: skip
"""How it is known that an attack succeeded; `evidence.py` says what each means."""


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Attack(_Model):
    """One snippet that tries to do what code may not."""

    id: str
    evidence: Evidence
    body: str
    then: str = ""
    """A second call, which must answer as if the first had not been."""
    like: str = ""
    """The attack of the same file that is stopped at the same place: this one is tried at night only."""
    root: bool = False
    """Whether it can work only with the rights of root."""
    goal: str = ""

    @property
    def name(self) -> str:
        """Goal and id."""
        return f"{self.goal.replace(' ', '_')}-{self.id}"

    def written_for(self, places: dict[str, str]) -> Attack:
        """The attack with the places of this machine written in, such as `$SECRET` and `$BYSTANDER`."""
        written = {key: Template(text).safe_substitute(places) for key, text in (("body", self.body), ("then", self.then))}
        return self.model_copy(update=written)


class Goal(_Model):
    """One file of attacks."""

    goal: str
    attacks: list[Attack]


class Honest(_Model):
    """One snippet as a heliophysicist writes them."""

    id: str
    body: str
    inputs: Annotated[list[str], Field(min_length=1)] = ["b"]
    columns: int = 1
    """How many columns its result has."""


class Subject(_Model):
    """One file of honest snippets."""

    subject: str
    snippets: list[Honest]


def load_attacks() -> list[Attack]:
    """Every attack, with its goal."""
    goals = [Goal.model_validate(yaml.safe_load(path.read_text())) for path in sorted((FOLDER / "attacks").glob("*.yaml"))]
    return [attack.model_copy(update={"goal": goal.goal}) for goal in goals for attack in goal.attacks]


def load_honest() -> list[Honest]:
    """Every honest snippet."""
    subjects = [Subject.model_validate(yaml.safe_load(path.read_text())) for path in sorted((FOLDER / "honest").glob("*.yaml"))]
    return [snippet for subject in subjects for snippet in subject.snippets]
