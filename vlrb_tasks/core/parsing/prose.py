"""Prose: which of the claims in a judgment is its verdict.

A judgment is read as sentences under headings. The verdict stands in the last *final section* (what an
"Overall Judgment", "Final verdict", "In conclusion" opens) that names one; else in the last sentence that
draws a conclusion ("Therefore, …"); else anywhere outside the lists of criteria. Within each of these the
last claim about the whole stands, and claims about one aspect count only if they agree. Remarks under a
criterion ("1. Accuracy: …") are never a verdict. A final section that only denies ("Answer 2 is not
better") is an answer too: it names no winner, and nothing above it is searched.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ..verdicts import Outcome, Verdict
from .claims import Claim, sentence_claims
from .folding import Folded, quoted_spans
from .lexicon import NOUNS, Lexicon

_JUDGED = r"(?:judge?ments?|verdict|decision|answer|choice|conclusion|assessment|evaluation|ranking|result|rating|preference|pick|selection|determination|thoughts?)"
_FINAL = re.compile(
    rf"\boverall\b(?! (?:quality|accuracy|clarity|structure|description|impression|scene|image|picture|composition|appearance)\b)"
    rf"|\bfinal(?:ly,? my)? {_JUDGED}\b|\b(?:verdict|judge?ment|conclusion|decision|winner|preference)\b(?=\s*(?:is\b|:|-))"
    rf"|\b(?:better|best|preferred|superior|winning) (?:{NOUNS}|one)\s*(?:is\s*)?:"
    r"|\b(?:in conclusion|to conclude|in summary|to summari[sz]e|to sum up|in sum|all things considered|all in all|on balance"
    r"|on the whole|taken together|ultimately|in the end|in short|final verdict)\b"
    r"|\bmy (?:choice|pick|vote|preference|verdict|judge?ment|answer|decision)\b"
    r"|总体|总的来|综上|最终|结论|综合来看|综合考虑|总之|整体(?:而言|来看|上)",
    re.IGNORECASE,
)
_CONCLUDING = re.compile(
    r"\b(?:therefore|thus|hence|consequently|accordingly|as a result|so)\b|\b(?:based on|considering|given) (?:this|these|the|all)\b|因此|所以|故而|由此",
    re.IGNORECASE,
)
_CRITERION = (
    r"(?:factual |visual |overall |image |level of |text |use of )?(?:accuracy|completeness|clarity|relevance|relevancy|helpfulness|details?"
    r"|correctness|faithfulness|hallucinations?|fluency|conciseness|coherence|factuality|informativeness|creativity|reasoning|specificity"
    r"|grounding|organi[sz]ation|structure|usefulness|depth|consistency|safety|grammar|style|readability|comprehensiveness|precision"
    r"|准确性|完整性|清晰度|清晰性|相关性|细节|流畅性)"
)
_LISTED_LINE = re.compile(
    rf"[ \t]*(?P<hash>\#+[ \t]*)?(?:[-•+>][ \t]*|\(?\d+[.):][ \t]*|\(?[a-z][.)][ \t]+)*{_CRITERION}"
    rf"(?:[ \t]*(?:and|&|/|,)[ \t]*{_CRITERION})*[ \t]*(?:\([^)]*\)[ \t]*)?(?P<rest>[:：\-–—].*|)$"
    r"|[ \t]*\(?\d+[.):][ \t]+[A-Z][\w /&'-]{2,40}:(?P<rest2>.*)$",
    re.IGNORECASE,
)
_HEADING = re.compile(r"[ \t]*(?:\#+[ \t]*\S|\(?\d+[.):][ \t]+\S)")
_BREAK = re.compile(r"(?<!\be\.g)(?<!\bi\.e)(?<!\bvs)(?<!\bNo)[.!?](?=[\s\"')\]]|$)|[。！？；]|\n+")
_WRAPPED = re.compile(r"(?<=[a-z,0-9])\n(?=[ \t]*[a-z])")
_REASON = r"\b(?:because|since|due to)\b"
# Behind an announcement anything may follow the label; alone, only a reason: "Answer 2, while clear, …" tells nothing.
_TOLD = re.compile(
    rf"(?P<lead>.*(?:[:：]|->|=>|→|\s[-–—]\s)|.*(?:\b(?:is|goes to|would be|be|are)\b|选择|为|是))[ \t]*(?P<label>[^:：]+?)"
    rf"[ \t]*(?:(?:,|\(| -|–|—|{_REASON}|\bas\b|\bfor\b).*)?$",
    re.IGNORECASE | re.DOTALL,
)
_ALONE = re.compile(rf"(?P<lead>)(?P<label>[^:：]+?)[ \t]*(?:{_REASON}.*)?$", re.IGNORECASE | re.DOTALL)
_ANNOUNCED = re.compile(
    rf"\b(?:verdict|judge?ment|decision|winner|preference|choice|pick|selection|conclusion|result|answer|option|better|best|{NOUNS})\b"
    r"|答案|选择|结论|判断|更好",
    re.IGNORECASE,
)

_DANGLING = re.compile(
    rf"\b(?:verdict|judge?ment|conclusion|decision|overall|winner)(?: is| are)?\s*[:：]?\s*(?:(?:the )?(?:{NOUNS})(?: \w+ is)?)?\s*$",
    re.IGNORECASE,
)
_SENTENCE_LENGTH = 1500
_TOLD_LENGTH = 400  # a sentence that tells a label is short
_MARKUP = re.compile(r"</?[A-Za-z_]+>")

_OUTCOME: dict[str, Outcome] = {"1": "first", "2": "second", "e": "tie"}


@dataclass(frozen=True)
class _Sentence:
    """A sentence outside the lists of criteria: where it stands, and the sentence before it."""

    start: int
    end: int
    before: tuple[int, int]
    concludes: bool


@dataclass
class _Section:
    """A run of sentences, and the rule by which a claim in it would stand."""

    rule: str
    sentences: list[_Sentence] = field(default_factory=list)
    final: bool = False


def parse_prose(folded: Folded, words: Lexicon) -> Verdict | None:
    """Return the verdict of a judgment in sentences, ``None`` where it names none.

    A returned ``unparsed`` means that the text does conclude, and names no slot.
    """
    if not folded.text.strip():
        return None
    whole = _lone_label(folded, words)
    if whole is not None:
        return whole
    plain = folded.masked([m.span() for m in _MARKUP.finditer(folded.text)])
    plain = plain.masked(_foreign_quotes(plain.text, words))
    final, concluding, rest = _sections(plain.text)
    cut_off = bool(final) and _DANGLING.search(plain.text) is not None
    for sections in (final, concluding, [rest]):
        blocked = cut_off
        for section in reversed(sections):
            claim = _standing(_claims(section, plain.text, words))
            if claim is None:
                continue
            if claim.winner in _OUTCOME:
                return Verdict(_OUTCOME[claim.winner], folded.original_span(claim.start, claim.end), section.rule)
            blocked = True
            if claim.winner == "x":
                break
        if blocked:  # the text concludes, or begins to, without a winner: nothing above it is searched
            return Verdict("unparsed", None, "the conclusion names no winner")
    told = [
        _told(plain.text, sentence, words) for section in (rest, *concluding, *final) for sentence in section.sentences
    ]
    labels = sorted((label for label in told if label is not None), key=lambda label: label.start)
    if labels:
        return Verdict(
            _OUTCOME[labels[-1].winner], folded.original_span(labels[-1].start, labels[-1].end), "a label alone"
        )
    return None


def _lone_label(folded: Folded, words: Lexicon) -> Verdict | None:
    """Return the verdict of a text, or of its first line, that is a label and nothing else."""
    for text in (folded.text, folded.text.lstrip().split("\n", 1)[0]):
        code = words.slot(text)
        if code is not None:
            start = folded.text.index(text) + len(text) - len(text.lstrip())
            return Verdict(_OUTCOME[code], folded.original_span(start, start + len(text.strip())), "a label alone")
    return None


def _foreign_quotes(text: str, words: Lexicon) -> list[tuple[int, int]]:
    """Return the quoted spans that hold a judgment of somebody else.

    A quotation right behind a colon that a final heading ends with is the judge's own.
    """
    spans = []
    for start, end in quoted_spans(text):
        codes = {token.code for token in words.tokens(text, start, end)} if words.compares(text, start, end) else set()
        own = re.search(r"[:：]\s*$", text[max(0, start - 60) : start]) and _FINAL.search(
            text[max(0, start - 60) : start]
        )
        if codes & set("BWGDvlpgeE") and not own:
            spans.append((start, end))
    return spans


def _sections(text: str) -> tuple[list[_Section], list[_Section], _Section]:
    """Return the final sections, the sentences that conclude before any of them, and all else before them."""
    final: list[_Section] = []
    concluding: list[_Section] = []
    rest = _Section("a claim about the whole")
    before = (0, 0)
    for start, end, listed in _sentences(text):
        opens = _FINAL.search(text, start, end) is not None
        if listed and opens and re.match(r"\W*overall quality", text[start:end], re.IGNORECASE):
            opens = False
        if opens:
            final.append(_Section("the final section", final=True))
        if opens or not listed:
            concludes = _CONCLUDING.search(text, start, end) is not None
            sentence = _Sentence(start, end, before, concludes)
            if final:
                final[-1].sentences.append(sentence)
            elif concludes:
                concluding.append(_Section("a conclusion", [sentence]))
            else:
                rest.sentences.append(sentence)
        before = (start, end)
    return final, concluding, rest


def _claims(section: _Section, text: str, words: Lexicon) -> list[tuple[int, Claim]]:
    """Return the claims of a section, in order, each with the number of its sentence.

    A label that is told counts as a claim in the sentence that opens a final section, and in what follows or
    concludes unless it may be about the question ("the correct answer is A").
    """
    numbered = []
    for number, sentence in enumerate(section.sentences):
        claims = sentence_claims(text, sentence.start, sentence.end, words, sentence.before)
        if not claims and (section.final or sentence.concludes):
            told = _told(text, sentence, words)
            opens = section.final and number == 0
            if told is not None and (opens or not _is_weak(text[sentence.start : sentence.end])):
                claims = [told]
        numbered += [(number, claim) for claim in claims]
    return numbered


def _is_weak(sentence: str) -> bool:
    """Tell whether a label is told as "the correct answer is A", which may be about the question."""
    return re.search(r"\b(?:correct|right|true) (?:answer|option|choice)\b", sentence, re.IGNORECASE) is not None


def _told(text: str, sentence: _Sentence, words: Lexicon) -> Claim | None:
    """Return the claim of a sentence that tells a label: "My verdict: B", "The answer is 2", "Answer 1"."""
    start, end = sentence.start, sentence.end
    if end - start > _TOLD_LENGTH or text[end : end + 1] == "?":
        return None
    for form in (_TOLD, _ALONE):
        match = form.match(text[start:end])
        code = words.slot(match.group("label")) if match is not None else None
        if match is None or code is None:
            continue
        lead, label = match.group("lead"), match.group("label")
        if lead and not (_ANNOUNCED.search(lead) or _FINAL.search(lead) or _CONCLUDING.search(lead)):
            return None
        if re.search(r"\b(?:not|which|what|if|question|whether)\b", lead, re.IGNORECASE):
            return None
        line = text[text.rfind("\n", 0, start) + 1 : start]
        if not lead and line.strip() and text[end : end + 1] not in (".", "!", "。"):
            return None  # "Let us compare. Answer 1": the next sentence, cut off
        if not lead and len(label.strip().strip("()[].")) == 1 and label.strip() != text[start:end].strip():
            return None
        at = start + match.start("label")
        return Claim("1" if code == "1" else "2" if code == "2" else "e", at, at + len(label.rstrip()))
    return None


def _sentences(text: str) -> list[tuple[int, int, bool]]:
    """Return the sentences as ``(start, end, listed)``: listed ones stand under a criterion."""
    sentences: list[tuple[int, int, bool]] = []
    joined = _WRAPPED.sub(" ", text)
    listed = hashed = fresh = False
    at = 0
    for line in joined.split("\n"):
        criterion = _LISTED_LINE.match(line)
        if criterion is not None and not _FINAL.search(line[:60]):
            listed = True
            hashed = criterion.group("hash") is not None
            fresh = not (criterion.group("rest") or criterion.group("rest2") or "").strip(" :\t-–—：")
        elif not line.strip():
            listed = listed and (hashed or fresh)
        elif _HEADING.match(line) or _FINAL.search(line[:60]):
            listed = listed and not _FINAL.search(line[:60]) and not _HEADING.match(line)
        else:
            fresh = False
        start = at
        for stop in _BREAK.finditer(line):
            # "1." and "A." at the head of a line open an item of a list.
            if re.fullmatch(
                r"[\s#]*\(?(?:\d+|[A-Za-z])", joined[start : at + stop.start()]
            ) and at + stop.end() < at + len(line):
                continue
            if joined[start : at + stop.start()].strip():
                sentences.append((start, at + stop.start(), listed))
            start = at + stop.end()
        if joined[start : at + len(line)].strip():
            sentences.append((start, at + len(line), listed))
        at += len(line) + 1
    return [piece for sentence in sentences for piece in _pieces(*sentence)]


def _pieces(start: int, end: int, listed: bool) -> list[tuple[int, int, bool]]:
    """Cut what is too long to be a sentence, such as a loop that a judge fell into, so that time stays linear."""
    return [(at, min(at + _SENTENCE_LENGTH, end), listed) for at in range(start, end, _SENTENCE_LENGTH)]


def _standing(claims: list[tuple[int, Claim]]) -> Claim | None:
    """Return the claim that stands among those of a section, in the order of the text."""
    said = [(number, claim) for number, claim in claims if claim.winner != "void"]
    whole = [(number, claim) for number, claim in said if not claim.partial]
    if whole:
        last = whole[-1][0]
        winners = [claim for number, claim in whole if number == last and claim.winner != "e"]
        return winners[-1] if winners else whole[-1][1]
    if said and len({claim.winner for _, claim in said}) == 1:
        return said[-1][1]
    if not said and claims:
        return claims[-1][1]
    return None
