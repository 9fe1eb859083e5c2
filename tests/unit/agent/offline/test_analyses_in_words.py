"""Analyses as people ask for them: which operations the plan has, in their order, and what it states as assumed."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Asked
from helio_dagster.domain.pipeline import Pipeline
from tests.unit.agent.offline.asking import ask, edited, planned


def operations(pipeline: Pipeline) -> str:
    """The operations of a plan with the options that tell them apart."""
    told = (
        "order",
        "statistics",
        "above",
        "below",
        "lowest",
        "highest",
        "above_hz",
        "below_hz",
        "apart",
        "at_least",
        "merge",
        "window",
    )
    made = [step.compute for step in pipeline.steps if step.compute]
    return ", ".join(
        " ".join([str(each.operation), *(f"{name}={each.options[name]}" for name in told if name in each.options)])
        for each in made
    )


@pytest.mark.parametrize(
    ("request_text", "made"),
    [
        ("intervals with Kp of 7 or more in 2003", "intervals_where above=69.0"),
        ("which hours in May 2024 had Kp of 9", "intervals_where above=89.0"),
        ("when was Kp 9 in May 2024", "intervals_where above=89.0"),
        ("fit a line to AE against speed, OMNI January 2005", "scatter, fit_line"),
        ("plot PSP |B| as a function of distance from the Sun for 2021", "magnitude, scatter"),
        ("ACE |B| as a function of time on 2003-10-29", "magnitude"),
        ("linear regression of AE on VBs, OMNI January 2005", "dawn_dusk_electric_field, scatter, fit_line"),
        ("intervals where OMNI Dst was -100 nT or lower in 2003", "intervals_where below=-100"),
        ("distance between MMS1 and MMS4 during 2017-07-11",
         "scale, scale, align, difference, magnitude, facts_of statistics=['minimum', 'maximum']"),
        ("when were ACE and wind closest to eachother in 2003?",
         "scale, align, difference, magnitude, facts_of statistics=['minimum', 'maximum']"),
        ("walen test wind 2002-02-02 0130 to 0330", "dehoffmann_teller, walen, walen, walen"),
        ("Walen test MMS1 2015-09-19 07:43:20-07:43:40 fpi dis and fgm", "dehoffmann_teller, walen, walen, walen"),
        ("deHoffmann-Teller frame for the THEMIS E magnetopause crossing around 0716 on 2013-10-09, use +- 3 min",
         "dehoffmann_teller"),
        ("curlometer current, Cluster, 2003-08-24 18:00-19:00", "curlometer, curlometer"),
        ("rankine hugoniot / mixed mode normals for the ACE shock 21 Oct 1999 at 0220, compare MC, VC and MX3",
         "rankine_hugoniot, shock_parameters"),
        ("Bow shock standoff, Farris & Russell, with OMNI 5 min data 2 to 5 Apr 2010", "bow_shock_standoff"),
        ("structure functions of Br from psp, encounter 1, orders 1 to 3",
         "component, structure_function order=1, structure_function order=2, structure_function order=3"),
        ("kurtosis of dBr increments vs scale for psp 2021-04-28", "component, structure_function"),
        ("storm list for 2015: Dst minima under -75, at least 24 h apart, with time and value",
         "extrema apart=P1D, filter_events below=-75"),
        ("find peaks of ACE density over 40 in 2005, at least 6 hours apart", "extrema apart=PT6H, filter_events above=40"),
        ("intervals of AE above 1000 nT in 2003, at least 6 hours apart, as a table", "intervals_where above=1000 merge=PT6H"),
        ("superpose SYM-H for all storms < -100 in 2015, 1 day before to 5 days after the minimum",
         "extrema apart=PT12H, filter_events below=-100, superposed_epoch, epoch_statistics"),
        ("Find intervals where speed above 600 AND density below 3 for longer than 12 hrs, 2008",
         "intervals_where above=600.0, intervals_where below=3, intersection_of, filter_events at_least=PT12H"),
        ("how long did speed stay above 700 during the halloween storms",
         "intervals_where above=700, facts_of statistics=['coverage'] above=700"),
        ("Max and min symh, oct 28 to nov 1 2003", "facts_of statistics=['maximum', 'minimum', 'coverage']"),
        ("MVA on the MMS2 magnetic field, 2015-12-08 11:20:20 - 11:20:50, I need the normal and the eigenvalue ratios",
         "minimum_variance_frame, hodogram"),
        ("psd of wind |B| for 1999 doy 121 to 126, log log, and fit the slope in the inertial range",
         "magnitude, power_spectrum, spectral_slope lowest=0.001 highest=0.1"),
        ("bandpass ACE |B| in the Pc5 range 2004-11-09", "magnitude, butterworth above_hz=0.0017 below_hz=0.0067"),
        ("ACE |B| minus its 1-hour running mean 2003-10-29", "magnitude, detrend window=PT1H"),
        ("hodogram By vs Bz at Wind, 1997-01-10 06:00 to 1997-01-11 02:00, gse, 5 min avgs",
         "component, resample, component, resample, scatter"),
        ("Shue standoff distance through the gannon storm", "magnetopause_distance"),
        ("spectrogram of THEMIS-A Bz GSM 2013-03-17", "component, spectrogram window=PT30M"),
        ("despike the ACE density for june 1999", "despike window=PT11M44S"),
        ("hourly means of the ACE density without spikes for june 1999", "despike window=PT11M44S, resample"),
        ("despike the ACE density and average it over 10 minutes, june 1999", "despike window=PT11M44S, resample"),
        ("Lag AL behind VBs, 1 min, 2011 Aug 5-6, search 0 to 120 minutes",
         "dawn_dusk_electric_field, cross_correlation, peak_of"),
        ("alfven mach number distribution, wind, solar min 2008-2009, mark the median",
         "magnitude, alfven_mach, histogram, facts_of statistics=['median']"),
        ("OMNI speed histogram 2014 but only when B > 10 nT", "histogram, intervals_where below=10"),
        ("crossings of Bx = 0 for Geotail in the tail, 5 nov 1995", "component, crossings"),
        ("epsilon (Akasofu) and its time integral in april 2023",
         "compose_vector, epsilon, facts_of statistics=['integral', 'coverage']"),
        ("Run the Burton equation with omni for 19-23 nov 2003 and put it over the real Dst", "dst_model"),
        ("running cross correlation of Vx between themis b and c in the solar wind 1-5 feb 2012, 2h windows",
         "component, component, rolling_correlation window=PT2H"),
        ("Coherence between Bz GSM measured at ACE and at DSCOVR, first week of october 2016. Also the phase if you can.",
         "component, transform_frame, component, coherence"),
        ("stats of Dst in 2003 (min / mean / max)", "facts_of statistics=['minimum', 'mean', 'maximum', 'coverage']"),
        ("SEA of Dst around storms, take these as t0: 2003-10-29, 2003-11-20, minus 3 plus 7 days",
         "superposed_epoch, epoch_statistics"),
        ("acf of Voyager 2 |B| in 2010, whats the correlation time (1/e)", "cross_correlation"),
        ("when did Bz first turn south after the shock on 22/06/2015?", "crossings"),
        ("OMNI: fraction of the time with Bz<-5 in 2024",
         "intervals_where below=-5, facts_of statistics=['share', 'coverage'] below=-5"),
        ("integrated pc5 power of Bz GSM, ACE, 7-9 sep 2017",
         "component, butterworth above_hz=0.0017 below_hz=0.0067, rolling_statistic window=PT1H"),
        ("electron anisotropy Tpar/Tperp histogram, MMS4, 2016-12-09 09:00-09:30", "ratio, histogram"),
        ("ulysses Bn spectrum over the south pole pass in 1994, aug through oct, slope between 1e-5 and 1e-3",
         "component, power_spectrum, spectral_slope lowest=1e-05 highest=0.001"),
        ("Temperature vs velocity in ACE data 2007, 2d histogram", "histogram_2d"),
        ("how far was stereo b from earth in angle on 1 Nov 2011", ""),
    ],
)  # fmt: skip
def test_the_operations_of_an_analysis(request_text: str, made: str) -> None:
    """The plan reads back from its file and passes the check."""
    assert operations(planned(request_text)) == made


@pytest.mark.parametrize(
    ("request_text", "words"),
    [
        ("whats the theta_bn for the shock", "Of which spacecraft"),
        ("Curlometer with THEMIS A, D and E on 2010-03-09 plz", "of four spacecraft"),
        ("Separation cluster 1 - MMS 1 in 2002", "none for 2002"),
        ("Minimum variance of OMNI density 2011-08-05 17-19 UT", "is of a vector"),
        ("wavelet coherence of ACE and Wind |B| on 2003-10-29", "no coherence"),
        ("PSD of the ACE magnetic field from 1 to 100 Hz for 2004-11-09", "ends at 0.5 Hz"),
        ("substorm onsets march 2008", "A criterion finds them"),
        ("top ten hours of 2024 by AE", "A limit keeps the largest"),
        ("5 strongest storms of each solar cycle since 1964", "A limit keeps the largest"),
        ("average ap by solar wind speed bins of 50 km/s, 1996 thru 2008", "no means in bins of another quantity"),
        ("Cluster 3 electron density from the spacecraft potential 2002-03-18 14:30-15:30", "no density from the spacecraft"),
        ("despike the ACE density for june 1999 and tell me how many points you threw out", "I count no points"),
        ("mean Dst per year 1964-2022", "Calendar months and years"),
        ("spectral index of STEREO-A Br, july 2009, one number per day", "is made of the whole range"),
    ],
)
def test_what_an_analysis_lacks_is_said(request_text: str, words: str) -> None:
    """And not that a word is unknown."""
    asked = ask(request_text)
    assert isinstance(asked, Asked)
    assert words in asked.question.text


def test_another_limit_counts_for_the_hours_too() -> None:
    """`and above 1000?` changes the intervals and how many hours they are together."""
    pipeline = edited("how long was the ACE speed over 700 km/s, 28-31 oct 2003", "and above 1000?")
    assert operations(pipeline) == "intervals_where above=1000, facts_of statistics=['coverage'] above=1000"


def test_a_day_of_the_range_on_the_table_needs_no_month() -> None:
    """`on the 12th` is the one such day."""
    pipeline = edited(
        "Wind proton density 10 - 16 May 2002",
        "ignore everything between 14:00 and 15:30 on the 12th and between 03:00 and 04:00 on the 14th",
    )
    table = next(step.table for step in pipeline.steps if step.table)
    assert table.csv.split()[1:] == ["2002-05-12T14:00Z,2002-05-12T15:30Z", "2002-05-14T03:00Z,2002-05-14T04:00Z"]


def test_a_logarithmic_axis_leaves_the_band_to_the_spectrum() -> None:
    """`0.01 to 0.1 Hz` are frequencies, no limits of the other axis."""
    pipeline = planned("power spectrum of ACE |B| from 0.01 to 0.1 Hz, log log, 2004-11-09")
    panel = next(step.figure for step in pipeline.steps if step.figure).panels[0]
    assert panel.y is not None
    assert panel.y.range is None
