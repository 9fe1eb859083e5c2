"""Writes docs/answers.md: conversations that end in results other than a series."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tests.scenario.processes import ROOT
from tests.scenario.scripts import Reply, code, fetch, figure, operation, plan
from tests.scenario.transcribe import transcript

HEAD = """# Nine answers

Questions whose answer is a list, a number, a curve or points. Real output of `helio chat` in an empty folder, with
`--archive demo`: all data are synthetic. What a person typed is after a prompt.
"""


@dataclass(frozen=True)
class Answered:
    """A conversation of the page: its title, a line about it, and what is said; `script` is that of a scripted model."""

    title: str
    about: str
    request: str
    said: tuple[str, ...] = ("approve",)
    script: tuple[Reply, ...] = ()

    def page(self) -> str:
        """Its part of the page."""
        shown = transcript(self.request, self.said, self.script)
        return f"\n## {self.title}\n\n{self.about}\n\n```text\n{shown}\n```\n"


WALEN = """\
va = 21.8 * b.reindex(v.index, method="nearest", tolerance="32s").iloc[:, 1] / np.sqrt(n.reindex(v.index).iloc[:, 0])
return pd.DataFrame({"alfven": va - va.mean(), "flow": v.iloc[:, 1] - v.iloc[:, 1].mean()}).dropna()
"""
"""The y components of what a Walen relation compares; 21.8 km/s is the Alfven speed for 1 nT and 1 proton per cm3."""
WALEN_PLAN = plan(
    "Walen relation at ACE",
    "29 Oct 2003 from 12:00 to 18:00",
    fetch("b", "AC_H0_MFI/BGSEc", intent="ACE magnetic field in GSE"),
    fetch("n", "AC_H0_SWE/Np", intent="ACE proton density"),
    fetch("v", "AC_H0_SWE/V_GSE", intent="ACE velocity in GSE"),
    {
        **code("walen", WALEN, unit="km/s", b="b", n="n", v="v"),
        "result": "points",
        "over": "range",
        "intent": "Changes of the flow against those of the Alfven velocity, y component",
    },
    {**operation("line", "fit_line", points="walen"), "intent": "Slope of the relation"},
    {**figure(["walen", "line"]), "intent": "Draw the relation with its line"},
    assumptions=["Only protons count to the mass density, and the pressure is taken to be isotropic."],
)
ANSWERED = (
    Answered(
        "Intervals, as a list and on the plot",
        "A step that detects events. They are listed after the run and shaded in the figure.",
        "find the intervals where ACE Bz in GSE was below -5 nT for at least two hours, 28 to 31 Oct 2003",
    ),
    Answered(
        "Numbers of each interval",
        "The list of the intervals with a column for each number; further pipelines can read it.",
        "mean speed and maximum |B| for each interval with ACE Bz GSM below -5 nT for 1 hour, 29 to 30 Oct 2003",
    ),
    Answered(
        "The lag of two spacecraft, with its curve",
        "One result for the whole range: the best lag with its uncertainty, from which questions are answered.",
        "what is the lag between ACE and Wind |B| from 29 to 31 Oct 2003?",
        ("approve", "what is the lag?"),
    ),
    Answered(
        "A power spectrum with its slope",
        "A curve over frequency, and the exponent of its power law.",
        "power spectrum of ACE Bz in GSE with its slope for 29 Oct 2003",
    ),
    Answered(
        "Minimum variance, with a hodogram",
        "The axes, their variances and the error of the normal, over exactly the hour that was asked for.",
        "minimum variance analysis of the ACE magnetic field in GSE on 29 Oct 2003 from 05:30 to 06:30, with a hodogram",
    ),
    Answered(
        "Four storms, superposed",
        "Each storm is a partition of its own, between which nothing is fetched; median, quartiles and mean are a curve.",
        "superposed epoch of ACE |B| around 2003-10-29T06:11, 2003-11-20T08:03, 2004-11-07T18:27 and 2005-05-15T02:38, "
        "one day before to two days after",
    ),
    Answered(
        "A Walen scatter plot",
        "With a scripted model, which writes code that a person approves: points with their times, and a line through them.",
        "does the Walen relation hold at ACE on 29 Oct 2003 from 12:00 to 18:00?",
        ("approve",),
        (WALEN_PLAN,),
    ),
    Answered(
        "Numbers of a range",
        "Facts are printed after the run, listed by `helio facts`, and numbers in Dagster.",
        "mean and maximum of the ACE speed from 28 to 31 Oct 2003",
        ("approve", "when was the maximum?"),
    ),
    Answered(
        "Without bad intervals",
        "Samples inside them do not count; the figure hatches them.",
        "mean of ACE |B| on 29 Oct 2003, excluding 06:00 to 09:00",
    ),
)


def main(answered: Sequence[Answered] = ANSWERED) -> None:
    """Have the conversations and write the page."""
    (ROOT / "docs" / "answers.md").write_text(HEAD + "".join(each.page() for each in answered))


if __name__ == "__main__":
    main()
