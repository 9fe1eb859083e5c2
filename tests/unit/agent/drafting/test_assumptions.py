"""What is assumed while a plan is drafted: each line with what it is about, and an offer in the place of another."""

from __future__ import annotations

from helio_dagster.agent.drafting.assumptions import Assumption, Assumptions, Topic, topics_of
from helio_dagster.agent.targets import Target
from helio_dagster.catalog.choice.offer import Offer
from helio_dagster.domain.grain import Grain

ACE, WIND = Target("ACE", "density"), Target("Wind", "density")


def _offer(dataset: str, frame: str | None = None) -> Offer:
    of = {"mission": "", "instrument": "", "label": "", "start": None, "stop": None, "cadence": None, "grain": Grain.DAILY}
    return Offer(dataset, **of, parameter="N", quantity="density", kind="series", unit="cm^-3", frame=frame)  # type: ignore[arg-type] # fields of one type each


def _lines(said: Assumptions) -> list[str]:
    return [each.text for each in said.records]


def test_a_line_is_about_all_within_which_it_is_said() -> None:
    """And no longer once that is left."""
    said = Assumptions()
    with said.about(Topic("mission", "ACE")):
        said.say("a", Topic("frame", "GSE"))
    said.say("b")
    assert said.records == (Assumption("a", (Topic("mission", "ACE"), Topic("frame", "GSE"))), Assumption("b"))


def test_an_offer_in_the_place_of_another_is_spoken_of_there() -> None:
    """Not where the other one answers another target, too."""
    said = Assumptions()
    for target in (ACE, WIND):
        said.say_of(target, _offer("ONE"), lambda offer: [f"{offer.dataset} is used."])
    said.say("last")
    said.exchange(ACE, _offer("ONE"), _offer("OTHER"))
    assert _lines(said) == ["OTHER is used.", "ONE is used.", "last"]
    assert said.records[0].about == (Topic("dataset", "OTHER"),)


def test_a_reason_is_dropped_where_another_one_is_given() -> None:
    """A sample decides: what else is to be known of the offer is said of the new one."""
    said = Assumptions()
    said.say_of(ACE, _offer("ONE"), lambda offer: [f"{offer.dataset} is used."], is_reason=True)
    said.say_of(ACE, _offer("ONE"), lambda offer: [f"{offer.dataset} has ions."])
    said.exchange(ACE, _offer("ONE"), _offer("OTHER"), keeps_reasons=False)
    assert _lines(said) == ["OTHER has ions."]


def test_the_frame_of_one_target_alone_is_taken_back() -> None:
    """By another offer, which has another one."""
    said = Assumptions()
    for target in (ACE, WIND):
        with said.about(*topics_of(target)):
            said.say(f"GSE is used for {target.mission}.", Topic("frame", "GSE"))
    said.exchange(ACE, _offer("ONE", "GSE"), _offer("OTHER", "GSM"))
    assert _lines(said) == ["GSE is used for Wind."]
