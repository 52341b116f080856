"""Folding: a text made plain for the grammar, with the way back to the original characters."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

_DROPPED = re.compile(r"[*`\u200b-\u200f\u2060\ufe0f\ufeff\u20e3]|(?<![A-Za-z0-9])_+|_+(?![A-Za-z0-9])")
_STRAIGHT = str.maketrans({"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u00a0": " ", "\r": "\n"})
_BLANK = " "

# Short forms, written out so that the grammar meets one spelling of each.
_SHORT_FORMS = re.compile(
    r"(?P<not>n't)(?![A-Za-z])|(?<=[Cc]an)(?P<cannot>not)(?![A-Za-z])"
    r"|(?<=\b[Ii]t)(?P<is>'s)\b|(?<=\b[Tt]hat)(?P<is2>'s)\b|(?<=\bI)(?P<would>'d)\b|(?<=\b[Tt]hey)(?P<are>'re)\b",
)
_LONG_FORMS = {"not": " not", "cannot": " not", "is": " is", "is2": " is", "would": " would", "are": " are"}

_THINK_NAMES = r"(?:think|thinking|thought|reasoning|analysis|scratchpad)"
_THINK_OPEN = re.compile(rf"<{_THINK_NAMES}>", re.IGNORECASE)
_THINK_CLOSE = re.compile(rf"</{_THINK_NAMES}>", re.IGNORECASE)

_QUOTES = re.compile(
    r"\"[^\"\n]*\"|(?<![A-Za-z0-9])'(?:[^'\n]|(?<=[A-Za-z0-9])'(?=[A-Za-z]))*'(?![A-Za-z0-9])"
    r"|\u300c[^\u300d\n]*\u300d|\u00ab[^\u00bb\n]*\u00bb",
)
_QUOTED_LINE = re.compile(r"^[ \t]*>[^\n]*", re.MULTILINE)


@dataclass(frozen=True)
class Folded:
    """A text without markup, and for each of its characters the place in the original.

    Attributes:
        text: the folded text.
        at: ``at[i]`` is the offset in the original of character ``i`` of ``text``.
    """

    text: str
    at: tuple[int, ...]

    def original_span(self, start: int, end: int) -> tuple[int, int]:
        """Return the span of the original that stands behind ``text[start:end]``, which must not be empty."""
        return self.at[start], self.at[end - 1] + 1

    def masked(self, spans: list[tuple[int, int]]) -> Folded:
        """Return the same text with the characters of these spans blanked out."""
        if not spans:
            return self
        characters = list(self.text)
        for start, end in spans:
            characters[start:end] = _BLANK * (end - start)
        return Folded("".join(characters), self.at)

    def part(self, start: int, end: int) -> Folded:
        """Return ``text[start:end]`` as a folded text of its own."""
        return Folded(self.text[start:end], self.at[start:end])


def fold(text: str) -> Folded:
    """Drop emphasis marks and invisible characters; make quotes straight and full-width forms narrow."""
    narrow = text if text.isascii() else "".join(map(_narrowed, text))
    straight = narrow.translate(_STRAIGHT)
    pieces: list[str] = []
    at: list[int] = []
    done = 0
    for match in _DROPPED.finditer(text):
        pieces.append(straight[done : match.start()])
        at += range(done, match.start())
        done = match.end()
    at += range(done, len(text))
    return _written_out(Folded("".join(pieces) + straight[done:], tuple(at)))


def _narrowed(character: str) -> str:
    """Return the plain form of a character where it has one of the same length."""
    plain = unicodedata.normalize("NFKC", character)
    return plain if len(plain) == 1 else character


def _written_out(folded: Folded) -> Folded:
    """Replace short forms by long ones: ``isn't`` becomes ``is not``."""
    pieces: list[str] = []
    at: list[int] = []
    done = 0
    for match in _SHORT_FORMS.finditer(folded.text):
        assert match.lastgroup is not None
        long_form = _LONG_FORMS[match.lastgroup]
        pieces += [folded.text[done : match.start()], long_form]
        at += folded.at[done : match.start()]
        at += [folded.at[min(match.start() + k, match.end() - 1)] for k in range(len(long_form))]
        done = match.end()
    return Folded("".join(pieces) + folded.text[done:], (*at, *folded.at[done:]))


def thinking_spans(text: str) -> list[tuple[int, int]]:
    """Return the spans that a judge thought aloud: closed blocks, and all after a block that was never closed.

    A closing mark without an opening one ends a block that began in the prompt, so that all before it
    is thinking.
    """
    spans: list[tuple[int, int]] = []
    marks = sorted(
        [(m.start(), m.end(), True) for m in _THINK_OPEN.finditer(text)]
        + [(m.start(), m.end(), False) for m in _THINK_CLOSE.finditer(text)],
    )
    opened: int | None = None
    for start, end, opens in marks:
        if opens:
            opened = start if opened is None else opened
        else:
            spans.append((0 if opened is None else opened, end))
            opened = None
    if opened is not None:
        spans.append((opened, len(text)))
    return spans


def quoted_spans(text: str) -> list[tuple[int, int]]:
    """Return the spans inside quotation marks, and quoted lines (``> …``)."""
    return [m.span() for m in _QUOTES.finditer(text)] + [m.span() for m in _QUOTED_LINE.finditer(text)]
