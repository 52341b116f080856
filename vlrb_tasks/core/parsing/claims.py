"""Claims: what one sentence of a judgment says about which response is better.

A claim has a *sign* (a comparing word: better, worse, outperforms, prefer, equally …) and a *subject*
(the slot that the sign is about). The rules, in words:

- The subject of "better" is the nearest slot before it in the clause; in "the better one is …" it is the
  slot after it. A slot behind "than", "over", "unlike", "between" or "not" is an object, never a subject.
- "worse" and "loses to" give the win to the other slot.
- A claim that is denied ("is not better", "it is not true that …") is *void*: it names no winner. "Not as
  good as" does name one.
- A claim in a condition, a question, a first impression or somebody else's mouth is no claim.
- A claim about one aspect ("better in detail", "more accurate", "on clarity, …") is *partial*.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from .lexicon import NOUNS, Lexicon, Token

Winner = Literal["1", "2", "e", "x", "void"]
"""A slot, a tie (``e``), a slot that does not exist (``x``), or a denial that names no winner."""

_OTHER: dict[str, Winner] = {"1": "2", "2": "1", "x": "x"}


@dataclass(frozen=True)
class Claim:
    """One claim: who wins, the characters that say so, and whether it is about one aspect only."""

    winner: Winner
    start: int
    end: int
    partial: bool = False


_WHOLE = re.compile(
    rf"\s*(?:$|[.,;:!?)\]\"'—–]|-(?= )"
    rf"|(?:than|because|since|as|due|given|overall|here|of|by|and|but|or|so|while|though|although|in fact|too|quality"
    rf"|{NOUNS}|one|pick|reply|match|fit|for (?:the following|its|being|this|that|these|several|two|a few|both|me|reasons?)"
    rf"|in (?:my|this|that|general|every|all|both|most|almost|nearly|many|overall|quality|comparison|total|terms of (?:overall|quality))"
    rf"|on (?:the whole|balance|all|every|both|average)|at (?:answering|addressing|responding)|to (?:answer|response|the (?:first|second|other))"
    rf"|with respect to (?:all|both)|from an overall|suited (?:overall|answer))(?![a-z])|[\u4e00-\u9fff])",
    re.IGNORECASE,
)
_ADJECTIVE = re.compile(
    r"\s*(?:$|[.,;:!?)\]\"']|(?:good|bad|well|strong|weak|poor|correct|incorrect|wrong|valid|matched|acceptable|effective"
    r"|helpful|preferable|better|and|overall|satisfactory|unsatisfactory|in quality|as good)\b)",
    re.IGNORECASE,
)
_ASPECT_FIRST = re.compile(
    r"\W*(?:in terms of|when it comes to|with (?:respect|regard) to|regarding|concerning|as for|on|for|in)\s+"
    r"(?!conclusion|summary|short|sum\b|my|general|the end|the whole|balance|this|that|these|those|all|every|both|fact|overall|light"
    r"|reasons?|comparison|contrast|the above|the (?:reasons?|overall)|quality|most|its|total|me\b)[^,.:;]{3,60},",
    re.IGNORECASE,
)
_JUDGE = re.compile(r"\bI(?: \w+)?\s*$", re.IGNORECASE)
_PRONOUN = re.compile(r"\b(?:it|this(?: one| answer| response)?|that(?: one)?|making it|which)\b", re.IGNORECASE)


def sentence_claims(text: str, start: int, end: int, words: Lexicon, before: tuple[int, int] = (0, 0)) -> list[Claim]:
    """Return the claims of the sentence ``text[start:end]``, in order.

    Args:
        text: the folded judgment.
        start: where the sentence begins.
        end: where it ends, its full stop excluded.
        words: the lexicon of the prompt.
        before: the sentence before: "it" is the one slot that it names.
    """
    if text[end : end + 1] == "?" or not words.compares(text, start, end):
        return []
    sentence = _Sentence(text, start, words.tokens(text, start, end), words, before)
    codes = sentence.codes
    if codes.endswith("?"):
        return []
    claims = [claim for j, code in enumerate(codes) if (claim := sentence.claim(j, code)) is not None]
    elided = re.search(r"[;,k&]w{0,2}([12])i$", codes)
    if elided is not None and claims and claims[-1].winner == "void":
        # "Answer 1 is not the better one; Answer 2 is."
        place = sentence.tokens[elided.start(1)]
        claims.append(Claim("1" if elided.group(1) == "1" else "2", place.start, sentence.tokens[-1].end))
    if _ASPECT_FIRST.match(text, start, end):
        claims = [Claim(c.winner, c.start, c.end, partial=True) for c in claims]
    return claims


class _Sentence:
    """One sentence as tokens, with the roles of its slots worked out."""

    def __init__(self, text: str, start: int, tokens: list[Token], words: Lexicon, before: tuple[int, int]) -> None:
        self.text, self.start, self.tokens, self.words, self.before = text, start, tokens, words, before
        self.codes = "".join(token.code for token in tokens)
        self.objects = self._objects()
        self.joint = {k for m in re.finditer(r"(?=([12])[,b]?&([12]))", self.codes) for k in (m.start(1), m.start(2))}

    def _objects(self) -> set[int]:
        """Return the places of slots that are compared with, excluded, or offered as alternatives."""
        objects: set[int] = set()
        for match in re.finditer(r"t[wi]{0,3}([12xo])(?:[w,]?[&|t][w]?([12]))?", self.codes):
            # "between 1 and 2" holds both; "better than 1 and 2 …" is read the same way.
            objects |= {match.start(k) for k in (1, 2) if match.start(k) >= 0}
        objects |= {match.start(1) for match in re.finditer(r"nw?([12])(?=[,;k&w]|$)", self.codes)}
        objects |= {k for m in re.finditer(r"([12])\|w?([12])", self.codes) for k in (m.start(1), m.start(2))}
        return objects

    def claim(self, j: int, code: str) -> Claim | None:
        """Return the claim that the word at ``j`` makes, if it is a sign and makes one."""
        if code not in "BGWDvlpgeE" or self._supposed(j):
            return None
        if code == "p":
            return self._preference(j)
        if code in "eE":
            return self._tie(j, code)
        if code == "g":
            return self._as_good(j)
        return self._comparison(j, code)

    # -- one sign each -------------------------------------------------------------------------------

    def _comparison(self, j: int, code: str) -> Claim | None:
        loses = code in "WDl"
        partial = code in "GD" or (code in "BW" and _WHOLE.match(self.text, self.tokens[j].end) is None)
        if code in "BWGD" and "m" in self._clause(j):
            return self._made("e", j, j, partial)
        place = self._predicate(j) if code in "BW" else None
        if place is not None:
            if "n" in self.codes[j:place]:
                return self._made("void", j, place, partial)
            partial = False
        else:
            place = self._subject(j)
        if place is None:
            winner = self._implied(j)
            if winner is None:
                return None
        else:
            if place in self.joint:
                return None
            winner = self._named(place)
        if winner is None:
            return None
        if self._denied(j):
            return self._made("void", j, j, partial)
        return self._made(_OTHER[winner] if loses else winner, place if place is not None else j, j, partial)

    def _preference(self, j: int) -> Claim | None:
        subject = self._subject(j)
        if subject is not None and re.fullmatch(r"[12xo][wn]{0,3}", self.codes[subject:j]):
            return None  # "Answer 1 selects option B" is about what the response says
        after = re.match(r"p[wi:]{0,4}([12xo])", self.codes[j:])
        if after is not None and j + after.start(1) not in self.objects:
            place = j + after.start(1)
        elif after is None and _JUDGE.search(self.text, self.start, self.tokens[j].start):
            if subject is None:
                return None
            place = subject
        else:
            return None
        winner = self._named(place)
        if winner is None:
            return None
        return self._made("void" if self._denied(j) else winner, j, place)

    def _tie(self, j: int, code: str) -> Claim | None:
        clause = self._clause(j)
        spoken = set(self.codes) & {"1", "2"}
        if code == "e" and "b" not in clause and "m" not in clause and len(spoken) == 1:
            return None
        if self._denied(j) and not self.text[self.tokens[j].start :].lower().startswith("no "):
            return self._made("void", j, j)
        word = self.text[self.tokens[j].start : self.tokens[j].end].lower()
        partial = word.startswith("equal") and _ADJECTIVE.match(self.text, self.tokens[j].end) is None
        return self._made("e", j, j, partial)

    def _as_good(self, j: int) -> Claim | None:
        after = re.match(r"gw?([12])", self.codes[j:])
        if after is None:
            return None
        place = j + after.start(1)
        other = self.codes[place]
        denied = self._denied(j)
        if not denied and self._subject(j) is None:
            return None
        return self._made(other if denied else "e", j, place)

    # -- roles ---------------------------------------------------------------------------------------

    def _clause_start(self, j: int) -> int:
        return max((k + 1 for k in range(j) if self.codes[k] in "k;"), default=0)

    def _clause(self, j: int) -> str:
        return self.codes[self._clause_start(j) : j]

    def _supposed(self, j: int) -> bool:
        """Tell whether the sign at ``j`` stands in a condition, a question or a first impression."""
        clause = self._clause(j)
        asked = "c" in clause and re.search(r"c.*[12]", clause) is None  # "which answer is better"
        return "h" in clause or asked or ("u" in clause and "h" in self.codes[j:])

    def _denied(self, j: int) -> bool:
        """Tell whether the sign at ``j`` is denied: by a word close before it, or for the whole clause."""
        clause = self._clause(j)
        return "N" in clause or re.search(r"n[wiue|]{0,4}$", clause) is not None

    def _subject(self, j: int) -> int | None:
        """Return the place of the nearest slot before ``j`` in its clause that is no object."""
        first = self._clause_start(j)
        return next((k for k in range(j - 1, first - 1, -1) if self.codes[k] in "12xo" and k not in self.objects), None)

    def _predicate(self, j: int) -> int | None:
        """Return the place of the slot in "the better one is …", "winner: …"."""
        match = re.match(r"[BW][wG&B]{0,6}(?:tw{0,3}b?w?)?[,u]?(?:[i:][wni:]{0,3})([12xo])", self.codes[j:])
        if match is None:
            return None
        subject = self._subject(j)
        if subject is not None and re.fullmatch(r"[12xo][wi]{0,4}", self.codes[subject:j]):
            return None
        return j + match.start(1)

    def _implied(self, j: int) -> Winner | None:
        """Return the winner where the sentence names only the loser, or says "it"."""
        behind = re.match(r".t[wi]{0,3}([12])", self.codes[j:])
        if behind is not None:
            return _OTHER[behind.group(1)]
        if self.codes[j] in "vl" and (direct := re.match(r".[wi]{0,2}([12])", self.codes[j:])):
            return _OTHER[direct.group(1)]
        start = self.tokens[self._clause_start(j)].start
        if _PRONOUN.search(self.text, start, self.tokens[j].start):
            return self._spoken_of()
        return None

    def _spoken_of(self) -> Winner | None:
        """Return the one slot that the sentence before names."""
        named = self.words.slots_named(self.text, *self.before)
        return None if len(named) != 1 else "1" if "1" in named else "2"

    def _named(self, place: int) -> Winner | None:
        code = self.codes[place]
        if code == "o":
            named = [c for c in self.codes[:place] if c in "12"] or [self._spoken_of() or ""]
            return _OTHER.get(named[-1])
        return "1" if code == "1" else "2" if code == "2" else "x"

    def _made(self, winner: Winner | str, j: int, k: int, partial: bool = False) -> Claim:
        first, last = min(j, k), max(j, k)
        assert winner in ("1", "2", "e", "x", "void")
        return Claim(winner, self.tokens[first].start, self.tokens[last].end, partial)
