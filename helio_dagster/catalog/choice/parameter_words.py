"""Which words in names and descriptions of parameters and datasets tell what they are about."""

from __future__ import annotations

import re
from datetime import timedelta

OF_DRIFT = re.compile(r"\bdrift\b|\bEDI\b|\bE ?x ?B\b", re.IGNORECASE)
"""Words of a drift across the field, for which no particles were counted."""
NOT_ITSELF = re.compile(
    r"thermal(?!_temp)|most probable|uncert|error|err$|sigma|delta(?!-ev)|std|stdev|deviation|rms|_bg_|background|extrapol|igrf"
    r"|tsy|model|hertn|spacecraft velocity|^sc_vel|v_solo|_log$|_l$|log scale|1800$|partial|_part_|counts?\b|direction cosine"
    r"|correction|dust|pickup|reduced|_(gse|gsm|rtn)_p(log)?$|_plog$|_rfilt|spintone|range|quality|angle|pressure tensor"
    r"|parallel|perp|para"
    r"|minimum|maximum|_m(?:in|ax)$|energy density|sat[ae]llite velocity|speed relative to|relative to isee|time lagged"
    r"|unfiltered|(?:low|upp)er[_ ]limit|(?<![a-z])t(?:89|96|0[145])(?![a-z0-9])|\bopq\b"
    r"|population|^v(?:sc)?xb|^vsc x b|corotation efield|_coro_|valf|alfv|_phi$|_theta$|azimuth|elev|\bimf\b|imf_",
    re.IGNORECASE,
)
"""Words of parameters that are about a quantity and not the quantity."""
NO_PLACE_OF_IT = re.compile(
    r"foot|trace|\bsun[ _](?:position|vector|earth)|moon|of (?:the )?earth\b|_earth\b|time axis label|separation|from ref"
    r"|bow shock|nose|magnetopause|flow|velocity|of the field|of sc \d axis|event|guest|tangent|pixel|mirror",
    re.IGNORECASE,
)
"""Words of parameters that tell where something else is."""
PROTONS_NAMED = re.compile(r"protons?(?![a-z])|(?<![A-Za-z])H\^?\+|hplus", re.IGNORECASE)
NO_PARTICLES = re.compile(r"^(?!.*(?:PLASMA|MERGED|OMNI|COHO)).*(?:_(?:MFI|MAG|FGM|MGF)(?:_|$)|STATE_VECTOR)", re.IGNORECASE)
"""Ids of files that count no particles: a velocity in one is the spacecraft's."""
OF_A_PART = re.compile(r"(?<![a-z])(?:core|halo|strahl|pick-?up|suprathermal|neutral)(?![a-z])", re.IGNORECASE)
"""Words of particles that are a part of all, as are the core of the electrons and pickup ions."""
IONS_NAMED = re.compile(r"(?<![A-Za-z])ions?(?![A-Za-z])", re.IGNORECASE)
"""Words of moments of the protons, and of all ions."""
OF_ERRORS = re.compile(r"uncert|error|err$|sigma|delta|std|deviation|anisotrop|ratio|pressure", re.IGNORECASE)
"""Words that make of any quantity something else."""
OF_DIRECTIONS = re.compile(r"para|perp|tprp|tpar|tensor|thermal|field.aligned|model|background|_bg_|flux", re.IGNORECASE)
"""Words of parameters that are a part of a quantity, or no measurement of it."""
OF_ELECTRONS = re.compile(r"electron|(?<![a-z])(elec?|ne|te|peem|pee[fbr]|pte(?!ns)\w*|des)(?![a-z])|eesa|swea", re.IGNORECASE)
BY_POTENTIAL = re.compile(r"(?<![a-z])(efw|efi|edp)(?![a-z])|electric field|spacecraft potential|plasma wave", re.IGNORECASE)
"""Where a density comes from the spacecraft's potential or the plasma line: it is that of the electrons."""
OF_ALPHAS = re.compile(r"alpha|helium|he\+|heplus|(?<![a-z])he(?![a-z])|^[nvt]_a(?![a-z])|^a_(dens|temp|vel)", re.IGNORECASE)
OF_SINGLY_CHARGED = re.compile(r"heplus(?!plus)|he(?:lium)?\+(?![+\d])|(?<![a-z])he_?1(?!\d)", re.IGNORECASE)
"""Helium that is not an alpha particle."""
OF_OTHERS = re.compile(
    r"oxygen|carbon|iron|heavy|oplus|(?<![a-z])(o|c|fe|s|na)[0-9_]?\+|sulfur|sodium|so2|(?<![a-z])(o|s|na)(_\d|_hot)?_(den|tem)"
    r"|heplus|_his_|swics|o2plus|\bamu\b|(?<!\bh)\^\+"
    r"|(?<![a-z])(?:h_?2|w)\^?\+|water group",
    re.IGNORECASE,
)
OF_NEUTRALS = re.compile(
    r"(?<![A-Za-z])(?:H2O|H2|O2|O|OH|CO2|CO|CH4|N2|NO|Ar|He)[_ ](?:number )?(?:[Dd]ensity|[Aa]bundance)|\b[Nn]eutral (?!sheet)"
)
"""Atoms and molecules that carry no charge, in the archive's spelling: `NGIMS_CO_density`."""
A_LENGTH = re.compile(
    r"mag(nitude)?(?![a-z])|total|tot(al)?(?![a-z])|\|b\||strength|^abs_b$|^b$|^f\d?$|average_b|^bt(av)?$|^v$", re.IGNORECASE
)
AXIS = re.compile(r"(?:^|_)(?:b|v|e|vp|proton_v)_?([xyzrtn])(?:_|\d|$)", re.IGNORECASE)
AXIS_SPELT = re.compile(r"^[bv]_(r)adial|^[bv]_(t)angential|^[bv]_(n)ormal", re.IGNORECASE)
AXIS_NAMED = re.compile(r"(?<![A-Za-z])B_?([xyzXYZRTN])(?![A-Za-z])")
MINOR = re.compile(
    r"_K\d_|_K\d$|_PP_|PRELIM|PREDICTED|_QL|BROWSE|_LL|_L1_|_LB_|_R0_|BRST|BURST|HIRES|_DCB|COMPOSITION", re.IGNORECASE
)
KEY_PARAMETERS = re.compile(r"_K\d(?:_|$)|PRELIM|_QL(?:_|$)", re.IGNORECASE)
"""Ids of first looks at data, which are not for publication."""
MAGNETOMETERS = re.compile(r"MAG|MGF|FGM|MFI|VHM|MFE|MERGED|OMNI|COHO|NESSMAG", re.IGNORECASE)
OF_WAVES = re.compile(r"SCM|STA_CWF|PWI|SCAM|WAV|SEARCH.?COIL", re.IGNORECASE)
OF_ALL_DIRECTIONS = re.compile(
    r"\bspin[- ]averaged|\bomni|differential energy flux|\b1D\b"
    r"|\bion energy spectrogram|(?:function of(?: time-varying)?|flux vs) energy",
    re.IGNORECASE,
)
"""Words of a flux over energy that is that of a whole instrument."""
OF_ONE_DIRECTION = re.compile(
    r"(?<!omni)(?<!omni-)directional|look dir|sensor|telescope|sector|forward|reverse|\bview|\bside\b|angle|stack|time series",
    re.IGNORECASE,
)
"""Words of a flux over energy in one direction, or of a plot of lines of it."""
IN_ONE_DIRECTION = re.compile(r"\b(?:north|south|sun|anti-?sun|asun) direction", re.IGNORECASE)
"""Words of datasets of one telescope of several."""
SHORT_LIFE = timedelta(days=365)
PROTONS = re.compile(r"proton|(?<![a-z])h(?:\+)?(?![a-z])", re.IGNORECASE)
OF_ANGLES = re.compile(r"pad(?![a-z])|_pa\d|_at[a-z]|pitch|sector", re.IGNORECASE)
"""Words of parameters that are of one direction."""
