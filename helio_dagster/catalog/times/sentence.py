"""What stands at a place of a sentence of tokens: a word, a number, one of several phrases, what joins two dates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from helio_dagster.catalog.times.dates import is_year
from helio_dagster.catalog.times.tokens import Token
from helio_dagster.catalog.times.vocabulary import AND, ARTICLES, COUNTED, THROUGH, TO


@dataclass(frozen=True)
class Sentence:
    """A sentence and its tokens."""

    text: str
    tokens: Sequence[Token]

    def word(self, at: int) -> str:
        """The text of a token in lower case; empty beyond the ends."""
        return self.tokens[at].text if 0 <= at < len(self.tokens) else ""

    def is_number(self, at: int) -> bool:
        """Whether a number stands there."""
        return at < len(self.tokens) and self.tokens[at].kind == "number"

    def is_year(self, at: int) -> bool:
        """Whether a year stands there."""
        return at < len(self.tokens) and is_year(self.tokens[at])

    def is_end(self, at: int) -> bool:
        """Whether a clause ends before a place."""
        return at >= len(self.tokens) or self.tokens[at].kind == "mark"

    def is_apart(self, at: int) -> bool:
        """Whether white space stands before a token."""
        return 0 < at < len(self.tokens) and self.tokens[at - 1].last < self.tokens[at].first

    def ordinal(self, at: int) -> int:
        """The number that `fifth` or `5th` is; 0 for anything else."""
        if self.is_number(at) and not self.word(at).isdecimal():
            return self.tokens[at].number
        return COUNTED.index(self.word(at)) + 1 if self.word(at) in COUNTED else 0

    def skip(self, place: int, words: AbstractSet[str], *, most: int) -> int:
        """The place after as many of the words as stand there, at most so many."""
        for _ in range(most):
            place += self.word(place) in words
        return place

    def after_any(self, at: int, phrases: Sequence[str]) -> Iterator[int]:
        """Where those of the phrases end that begin at a place."""
        first = self.word(at)
        for phrase in phrases:
            if not phrase.startswith(first):
                continue
            words = phrase.split()
            if [token.text for token in self.tokens[at : at + len(words)]] == words:
                yield at + len(words)

    def joint(self, place: int, first: int) -> tuple[int, str]:
        """The place after `to`, a dash and the like, and that word; an empty word where there is none.

        An arrow is a `to`. `5 au` is a distance; only `du 5 au` begins a range, whose first date is at the token `first`.
        """
        word = self.word(place)
        if word == "→":
            word = "to"
        if word == "-" and self.word(place + 1) == ">" and self.tokens[place].last == self.tokens[place + 1].first:
            place, word = place + 1, "to"
        if word in ("au", "al") and self.word(first - 1) not in ("du", "del"):
            return place, ""
        if word == "up" and self.word(place + 1) == "to":
            place, word = place + 1, "to"
        if word in TO | THROUGH | AND | {"/", ".."}:
            return self.skip(place + 1, ARTICLES, most=1), word
        return place, ""
