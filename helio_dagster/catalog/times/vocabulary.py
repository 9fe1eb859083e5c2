"""Words of time phrases in English, German, French and Spanish."""

from __future__ import annotations

_MONTHS = """
january jan januar jänner janvier janv enero ene
february feb februar février fevrier févr fev febrero
march mar märz maerz mars marzo
april apr avril avr abril abr
may mai mayo
june jun juni juin junio
july jul juli juillet juil julio
august aug août aout agosto
september sept sep septembre septiembre setiembre
october oct oktober okt octobre octubre
november nov novembre noviembre
december dec dezember dez décembre decembre déc diciembre dic
"""
MONTHS = {name: number for number, line in enumerate(_MONTHS.split("\n")[1:-1], start=1) for name in line.split()}
"""Name or abbreviation of a month to its number."""
NEEDS_DAY = frozenset({"mars"})
"""Names of months that are planets too: taken for a month only after a day."""

TO = frozenset({"to", "until", "till", "til", "bis", "au", "al", "hasta", "jusqu'au"})
AND = frozenset({"and", "und", "et", "y", "&"})
THROUGH = frozenset({"through", "thru", "-", "–", "—"})
LEADS = frozenset({"for", "on", "in", "at", "during", "over", "of", "from", "between", "covering", "across", "spanning"})
LEADS_ELSEWHERE = frozenset({"vom", "am", "im", "zwischen", "du", "en", "del", "el", "le", "entre", "von", "de", "desde"})
BETWEEN = frozenset({"between", "zwischen", "entre"})
ARTICLES = frozenset({"the", "den", "dem", "zum", "der", "die", "le", "el", "la", "las", "les"})
OF = frozenset({"of", "the", "de", "del", "du", "le", "la", ","})
"""What may stand between the parts of one date."""
INCLUSIVE = frozenset({"inclusive", "included"})

SEASONS = {
    **dict.fromkeys(("spring", "frühling", "frühjahr", "printemps", "primavera"), 3),
    **dict.fromkeys(("summer", "sommer", "été", "verano"), 6),
    **dict.fromkeys(("autumn", "fall", "herbst", "automne", "otoño"), 9),
    **dict.fromkeys(("winter", "hiver", "invierno"), 12),
}
"""Season of the northern hemisphere to its first month."""
LAST_ONE = {
    **dict.fromkeys((("letzte", "woche"), ("letzten", "woche"), ("semaine", "dernière"), ("semana", "pasada")), "last week"),
    **dict.fromkeys((("letzten", "monat"), ("letzter", "monat"), ("mois", "dernier"), ("mes", "pasado")), "last month"),
}
"""What is said for the last week or month in other languages, to the English for it."""
PARTS_OF_YEARS = frozenset({*MONTHS, *SEASONS} - NEEDS_DAY - {"may", "mar", "fall"})
"""Words that are times and nothing else."""
ZONES = frozenset({"ut", "utc", "z", "gmt"})
OTHER_ZONES = frozenset({"est", "edt", "cst", "cdt", "mst", "mdt", "pst", "pdt", "cet", "cest", "bst", "jst", "lt", "local"})
NUMBERED = {
    **dict.fromkeys(
        ("erste", "ersten", "erster", "erstes", "première", "premiere", "premier", "primera", "primeros", "primer"), 0
    ),
    **dict.fromkeys(("primeras", "premiers", "premières"), 0),
    **dict.fromkeys(("zweite", "zweiten", "zweites", "deuxième", "seconde", "segunda", "segundo"), 1),
    **dict.fromkeys(("dritte", "dritten", "drittes", "troisième", "tercera", "tercer"), 2),
    **dict.fromkeys(("letzte", "letzten", "letztes", "dernière", "derniers", "dernier", "dernières", "última", "último"), -1),
}
"""Which part of a period is meant, in German, French and Spanish."""
COUNTED = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
