"""Lexicon: the words that a judgment is made of, each with a one-letter code for the grammar.

A sentence becomes a string with one letter a word: "Answer 1 is slightly better than Answer 2" is
``1iwBt2``. The grammar (``claims``) is written over these letters:

==== ============================================ ==== ============================================
code words                                         code words
==== ============================================ ==== ============================================
1 2  a slot                                        x    a slot that does not exist
o    the other slot                                b    both, the two answers, they
m    neither, none of                              e E  equally, on a par; E: a tie, no clear winner
B    better, best, the winner, wins                W    worse, weaker
G    more accurate, clearer (one aspect)           D    less accurate (one aspect)
v    outperforms, beats                            l    loses to, is outperformed by, falls short of
p    prefer, choose, go with                       g    as good as
t    than, over, compared with, unlike             i    is, seems, provides, has
n    not, never, hardly                            N    not true that, cannot say that, no evidence
h    if, had it, at first, one might               u    would, could
k    but, while, although                          c    which, what, who
&    and                                           |    or
, :  marks; ``;`` and dashes are ``;``             ?    a question mark
w    any other word
==== ============================================ ==== ============================================
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

NOUNS = (
    r"answers?|responses?|assistants?|options?|candidates?|models?|captions?|descriptions?|outputs?|choices?"
    r"|repl(?:y|ies)|completions?|solutions?|explanations?|texts?|statements?|generations?|versions?"
)
_NOUN = rf"(?:{NOUNS})"
_SLOT_NOUN = NOUNS.replace("|options?", "").replace("|choices?", "")
_NUMBERED = re.compile(rf"(?<![A-Za-z])(?:{_SLOT_NOUN})[ \t]{{0,2}}[(\[#]?[12](?![\w%]|[.:,]\d)", re.IGNORECASE)
_LETTERED = re.compile(rf"(?<![A-Za-z])(?:{_SLOT_NOUN})[ \t]{{0,2}}[(\[]?(?-i:[AB])(?!\w)", re.IGNORECASE)
_CJK_NOUN = "(?:答案|回答|回复|回覆|响应|选项|模型|助手|答复|描述)"

# A Latin word is whole; a Chinese one may stand right beside a letter.
_NO_LETTER_BEFORE = r"(?:(?<![A-Za-z])|(?![A-Za-z]))"
_NO_LETTER_AFTER = r"(?:(?![A-Za-z])|(?<![A-Za-z]))"

_JUDGES = (
    r"think|believe|agree|mean|say|imply|find|claim|conclude|argue|consider|accept|support|determine|decide|tell|judge"
)
_GOOD = (
    r"good|accurate|complete|clear|detailed|helpful|strong|relevant|well|precise|informative|effective|correct|reliable"
)
_END = r"(?=\W*$|[.,;:])"

# The words, by code. Order matters: the first row that matches at a place is taken.
_WORDS: tuple[tuple[str, str], ...] = (
    # Phrases that look like a negation, a condition or a comparison and are none.
    ("g", r"(?:do|does|did|perform(?:s|ed)?|fare(?:s|d)?) (?:quite |nearly )?as well as"),
    ("w", r"no doubt|no question|without (?:a |any )?doubt|not only|not just|not merely|not to mention"),
    ("w", r"(?:if|were) i (?:have|had|were|must|am)(?: forced)?(?: to)?|if (?:forced|pressed|anything|needed|asked)"),
    ("w", r"even (?:if|though)|as if|at best|at least|best (?:describes?|guess|practices?)|as well as|well as"),
    # Said of another moment or another world.
    ("h", r"at first(?: glance| sight)?|i (?:first|initially|originally) (?:thought|believed|assumed|considered)"),
    ("h", r"initially|originally|(?:first|initial) (?:impression|thought|glance)"),
    ("h", r"(?:one|some|someone|others|people|you)(?: (?!i\b)\w+)? (?:might|may|could|would)"),
    ("h", r"if|unless|suppose|supposing|assuming|whether|(?:would|could|might) have been|provided that|in case"),
    ("h", rf"had(?= (?:the )?(?:first|second|former|latter|it|they|{NOUNS})\b)"),
    ("h", r"如果|假如|要是|倘若|乍看|起初|一开始|是否"),
    # Denied as a whole.
    (
        "N",
        r"(?:not|never) (?:true|the case|correct|clear|evident|obvious|convinced|sure|certain|accurate to say|fair to say)",
    ),
    (
        "N",
        rf"(?:not|never) (?:\w+ )?(?:{_JUDGES})|disagree(?:s|d)?|doubt(?:s|ful)?|far from|nowhere near|unclear|unsure",
    ),
    ("N", rf"(?:false|untrue|incorrect|wrong|inaccurate|unfair|hard|difficult|impossible) (?:to (?:{_JUDGES})|that)"),
    ("N", r"no (?:evidence|reason|indication|proof|basis)|(?:并不|不)(?:能|认为|觉得|同意)说?|并非|未必"),
    ("N", r"无法(?:判断|确定|说|认为)?|难以(?:判断|确定)|不比"),
    # Ties.
    ("E", r"no (?:\w+ )?(?:winner|loser)"),
    (
        "E",
        r"no (?:\w+ ){0,2}(?:difference|distinction|preference|advantage)(?= between| in (?:quality|overall)| overall| here|\W*$|[.,;:])",
    ),
    ("e", r"equally|equals?|evenly matched|on (?:a )?par|equivalent|comparable|indistinguishable|interchangeable"),
    (
        "e",
        rf"identical(?: in quality)?{_END}|(?:the same|similar) (?:overall )?(?:in )?(?:quality|merit|value|level|standing|worth)",
    ),
    (
        "e",
        r"(?:about |roughly |essentially |basically |practically |just )?the same(?= overall|\W*$|[.,;:])|as good as (?:each other|one another)",
    ),
    ("e", rf"similarly (?:{_GOOD}|bad|poor|weak)|similar in quality|neck and neck"),
    (
        "E",
        r"(?:it|this|that|result|verdict|judge?ment|outcome|decision|conclusion|overall)(?: is| was| would be| ends?(?: up)? in|:|,)(?: \w+){0,2}? (?:tied?|draw)(?! (?:he|she|worn|around|with|on|that|which)\b)",
    ),
    (
        "E",
        r"(?:call|declare|rate|consider|deem|score|judge) (?:it|this|them|both|the two)(?: as)?(?: \w+)? (?:tied?|draw|equal)",
    ),
    ("E", rf"(?:a )?(?:tie|draw) between|tied (?:with|between)|tied{_END}|(?:(?<=^)|(?<=: )|(?<=:))(?:tie|draw){_END}"),
    ("E", rf"(?:is|was|be|in|as|call|overall,?|judge?ment:|verdict:) (?:it )?an? (?:\w+ )?(?:tie|draw){_END}"),
    (
        "E",
        r"平局|平手|(?:一样|同样|同等)地?的?(?:好|差|优秀|出色|糟糕|不好)|不相上下|不分(?:上下|伯仲|高下)|难分(?:高下|伯仲|胜负|上下)|势均力敌|旗鼓相当",
    ),
    (
        "E",
        r"没有(?:明显|显著|太大)?的?(?:区别|差异|差别|优劣)|(?:质量|水平)?(?:相当|相同)(?=\W*$|[,，])|各有(?:优劣|千秋)",
    ),
    ("g", rf"as (?:{_GOOD}) as"),
    # One slot beats another.
    (
        "l",
        r"(?:outperformed|beaten|surpassed|outdone|bettered|outclassed|edged out) by|los(?:es|t) (?:out )?to|lags? behind",
    ),
    ("l", r"falls? (?:\w+ )?(?:short of|behind)|underperforms?|pales? (?:in comparison|beside|next) ?(?:to|with)?"),
    ("l", rf"不如|不及|逊于|劣于|差于|比不上|输给|没有(?=(?:第.个)?{_CJK_NOUN}?[ \t]*[12AB一二]?好)"),
    (
        "v",
        r"outperform(?:s|ed|ing)?|beats?|surpass(?:es|ed|ing)?|outdoes|outclass(?:es|ed)|outshines?|edges? out|trumps?",
    ),
    ("v", r"w(?:ins?|on) (?:over|against)|prevails? over|exceeds?|优于|好于|胜过|强于|超过|胜于"),
    (
        "p",
        r"prefer(?:s|ring)?|preferred(?= over)|choos(?:e|es|ing)|chose|pick(?:s|ed|ing)?|select(?:s|ed|ing)?|favou?r(?:s|ed|ing)?",
    ),
    (
        "p",
        r"go(?:es|ing)? with|opt(?:s|ed|ing)? for|vot(?:e|es|ed|ing) (?:for|goes to)|sid(?:e|es|ed|ing) with|lean(?:s|ed|ing)? (?:towards?|to)",
    ),
    (
        "p",
        r"(?:edge|nod|point|win|victory|advantage|award|preference|edge) (?:goes|belongs) to|选择|选|更?喜欢|更?偏好|更?倾向于|更?支持",
    ),
    ("B", r"better|best|superior|preferable|preferred|stronger|strongest|winner|wins?|won|winning|prevails?|triumphs?"),
    ("B", r"(?:comes?|came) out (?:on top|ahead)|takes? the lead|higher (?:score|rating|marks?)|deserves? the win"),
    ("B", r"(?:the|an?) (?:\w+ )?(?:edge|advantage)|more (?:preferable|favou?rable)|top choice"),
    (
        "B",
        r"更好|更优|更佳|较好|较优|较佳|最好|最佳|最优|胜出|获胜|更胜一筹|略胜一筹|占优|略好|稍好|更出色|更强|好(?:一些|一点|得多)|(?<=[12AB一二])好(?=\W*$|[。，,])",
    ),
    ("W", r"worse|worst|inferior|weaker|weakest|poorer|poorest|less (?:preferable|favou?rable)|loser|loses"),
    ("W", r"更差|较差|更糟|最差|较弱|更弱|(?<=[12AB一二])差(?=\W*$|[。，,])"),
    (
        "G",
        r"more [a-z]+(?:,? and [a-z]+)?|clearer|richer|higher[- ]quality|closer|fuller|更(?:准确|完整|清晰|详细|全面|具体|相关|清楚|丰富|可靠)",
    ),
    ("D", r"less [a-z]+|lower[- ]quality"),
    # Around the slots.
    (
        "t",
        r"than|compared (?:to|with)|in (?:comparison|contrast) (?:to|with)|relative to|unlike|versus|vs\.?|rather than",
    ),
    ("t", r"instead of|over|against|as opposed to|between|comparing|相比(?:于)?|相较于|比"),
    (
        "m",
        rf"neither(?: of (?:the )?(?:two|them|these|both|{NOUNS}))?|none of|nor|no (?:answer|response|one|assistant|candidate)(?= is)|两[个者种则条]?{_CJK_NOUN}?都[不没]",
    ),
    (
        "b",
        r"both|(?:the |these )?two|they|each|(?:the|these) (?:answers|responses|options|candidates|captions|assistants|models)",
    ),
    ("b", rf"两[个者种则条]?{_CJK_NOUN}?都?|二者"),
    ("n", r"fail(?:s|ed)? to be|not|never|no|hardly|barely|scarcely|by no means|并不|并没有|没有|不是|不"),
    ("u", r"would|could"),
    ("i", r"is|are|was|were|be|been|being|seems?|appears?|looks?|remains?|becomes?|comes out|stands out"),
    ("i", r"provid(?:es?|ing)|gives?|offers?|has|have|是|为"),
    ("k", r"but|however|although|though|while|whereas|yet|nevertheless|nonetheless|on the other hand|despite"),
    ("k", r"但是?|然而|虽然|不过|尽管"),
    ("c", r"which(?= (?:of|one|answer|response|is|option|assistant))|what|who|哪"),
    ("&", r"and|&|和|与|以及"),
    ("|", r"or|或者?|还是|/"),
)
_MARKS: tuple[tuple[str, str], ...] = (
    ("g", r"={1,2}(?=[ \t]*(?:[a-z]+[ \t])?(?-i:[AB12])(?!\w))"),
    ("v", r">{1,3}(?=[ \t]*(?:[a-z]+[ \t])?(?-i:[AB12])(?!\w))"),
    ("l", r"<{1,3}(?=[ \t]*(?:[a-z]+[ \t])?(?-i:[AB12])(?!\w))"),
    (",", r"[,、]"),
    (":", r":|->|=>|→|="),
    (";", r";|[–—]|(?<= )-(?= )"),
    ("?", r"\?"),
    ("w", r"[^\W\u4e00-\u9fff]+(?:'[^\W\u4e00-\u9fff]+)?|[\u4e00-\u9fff]"),
)

# What any comparing word holds: a sentence without one of these makes no claim and need not be read closely.
_STEMS = re.compile(
    r"bett|best|superior|prefer|strong|w[io]n|prevail|triumph|edge|advantage|choice|wors|inferior|weak|poor|less|los[et]|lag|fall"
    r"|underperf|pale|ahead|top\b|lead\b|deserve|fare|as well|beat|surpass|outd|outs|outc|outp|trump|exceed|choos|chose|pick|select|favo|with|opt|vot|sid|lean|more|clearer"
    r"|richer|high|closer|fuller|lower|equal|match|par\b|equiv|compar|indisting|interch|identical|same|similar|neck|tie|draw|differ"
    r"|distinct|as \w+ as|goes to|belongs|[<>=\u4e00-\u9fff]",
    re.IGNORECASE,
)

_LABEL_LENGTH = 80


@dataclass(frozen=True)
class Token:
    """One word of a sentence: its code, and its place in the folded text."""

    code: str
    start: int
    end: int


@dataclass(frozen=True)
class Lexicon:
    """The words of a judgment, with the names that a prompt gives its slots.

    Attributes:
        words: the compiled table, one named group a row.
        codes: the code of each row.
        slots: the rows of the two slots alone.
        label: the two slots and the tie, standing alone: ``B``, ``(2)``, ``Answer 1.``
    """

    words: re.Pattern[str]
    codes: tuple[str, ...]
    slots: re.Pattern[str]
    label: re.Pattern[str]

    def compares(self, text: str, start: int, end: int) -> bool:
        """Tell whether ``text[start:end]`` may hold a comparing word at all."""
        return _STEMS.search(text, start, end) is not None

    def slots_named(self, text: str, start: int, end: int) -> set[str]:
        """Return the slots, ``1`` and ``2``, that ``text[start:end]`` names."""
        return {"1" if match.lastgroup == "k0" else "2" for match in self.slots.finditer(text, start, end)}

    def tokens(self, text: str, start: int, end: int) -> list[Token]:
        """Return the words of ``text[start:end]``, in order."""
        found = []
        for match in self.words.finditer(text, start, end):
            assert match.lastgroup is not None
            found.append(Token(self.codes[int(match.lastgroup[1:])], match.start(), match.end()))
        return found

    def slot(self, text: str) -> str | None:
        """Return ``1``, ``2`` or ``e`` (the tie) for a text that is a label and nothing else, else ``None``."""
        label = text.strip()
        if label.startswith("[[") and "]]" not in label:
            return None  # cut off inside the brackets: [[A could have become [[A=B]]
        match = self.label.fullmatch(label) if len(label) <= _LABEL_LENGTH else None
        return (
            None if match is None or match.lastgroup is None else {"one": "1", "two": "2", "tie": "e"}[match.lastgroup]
        )


Naming = Literal["any", "numbers", "letters"]
"""How a text names the responses. Where it says "Answer 1", "option B" is something that a response chose."""


def naming(text: str) -> Naming:
    """Return how a text names the responses: by numbers, by letters, or by what may be either."""
    return "numbers" if _NUMBERED.search(text) else "letters" if _LETTERED.search(text) else "any"


@lru_cache(maxsize=64)
def lexicon(
    labels: tuple[str, str] = ("Answer 1", "Answer 2"), tie: str | None = None, names: Naming = "any"
) -> Lexicon:
    """Return the lexicon for a prompt that names its slots ``labels`` and its tie ``tie``, and a text that names them ``names``."""
    noun = _NOUN if names == "any" else f"(?:{_SLOT_NOUN})"
    lettered = names != "numbers"
    rows = [
        (
            "1",
            _slot_names("1", "A" if lettered else "", "I", "(?:first|1st)", "one", "一", labels[0], noun)
            + r"|(?:the )?former\b|前者",
        ),
        (
            "2",
            _slot_names("2", "B" if lettered else "", "II", "(?:second|2nd)", "two", "二", labels[1], noun)
            + r"|(?:the )?latter\b|后者",
        ),
        (
            "o",
            r"(?<![A-Za-z])the other(?: one| answer| response| option| candidate| assistant)?(?= (?:is|was)|\W*$|[.,;:])",
        ),
        (
            "x",
            rf"(?<![A-Za-z])(?:{noun}[ \t:\-]{{0,2}}[(\[#]?(?:\d+{'|(?-i:[C-HX-Z])' if lettered else ''})[)\]]?(?!\w)|(?:the )?(?:third|fourth|fifth) {_NOUN})",
        ),
        *((code, rf"{_NO_LETTER_BEFORE}(?:{pattern}){_NO_LETTER_AFTER}") for code, pattern in _WORDS),
        *_MARKS,
    ]

    def table(rows: list[tuple[str, str]]) -> re.Pattern[str]:
        return re.compile("|".join(f"(?P<k{i}>{pattern})" for i, (_, pattern) in enumerate(rows)), re.IGNORECASE)

    return Lexicon(table(rows), tuple(code for code, _ in rows), table(rows[:2]), _label_pattern(labels, tie))


def _slot_names(number: str, letter: str, roman: str, ordinal: str, word: str, cjk: str, own: str, noun: str) -> str:
    """Return the pattern of one slot's names inside a sentence; ``letter`` is empty where letters name no slot."""
    letter = letter or r"\b\B"  # matches nothing
    name = rf"(?:{number}|(?-i:{letter})|(?-i:{roman})|{word})"
    mark = rf"(?:no\. ?|number |#)?[(\[{{]{{0,2}}{name}[)\]}}]{{0,2}}(?![\w%]|[.:,]\d)"
    # A letter or a number alone names a slot only where the sentence makes it one.
    subject = r"(?=[ \t]+(?:is|was|wins|seems|appears|provides|outperforms|beats)\b|[ \t]*[<>=]{1,3}[ \t]*[AB12]\b)"
    picked = r"(?:(?<=prefer )|(?<=choose )|(?<=pick )|(?<=select )|(?<=than )|(?<=over )|(?<=[<>=] )|(?<=[<>=]))"
    bare = rf"(?<!\w)(?-i:{letter}|{number})(?!\w)"
    return "|".join(
        (
            rf"(?<!\w){re.escape(own)}(?!\w|[.:,]\d)",
            rf"(?<![A-Za-z]){noun}[ \t:\-]{{0,2}}{mark}",
            rf"(?<![A-Za-z])(?:the )?{ordinal}(?: {noun}(?![A-Za-z])| one\b|(?=[ \t]+(?:is|was|wins|seems|appears|provides|outperforms)\b))",
            rf"(?<![A-Za-z])the {ordinal}(?=\s*(?:$|[.,;:!]))",
            rf"{_CJK_NOUN}[ \t]*[（(]?(?:{number}|{cjk}|(?-i:{letter}))[）)]?(?!\d)",
            rf"第(?:{cjk}|{number})[个条则种份]?{_CJK_NOUN}?",
            rf"{bare}{subject}",
            rf"{picked}{bare}(?=\W*$|[ \t]+(?:over|because|since|as|is)\b|[.,;:])",
        ),
    )


def _label_pattern(labels: tuple[str, str], tie: str | None) -> re.Pattern[str]:
    """Return the pattern of a label that stands alone, whatever brackets it wears."""
    noun = rf"(?:(?:the )?{_NOUN}[ \t:\-]{{0,2}}(?:is[ \t:]{{1,2}})?[(\[{{]{{0,2}})?"

    def slot(number: str, letter: str, ordinal: str, word: str, cjk: str, last: str, own: str) -> str:
        return "|".join(
            (
                re.escape(own),
                rf"{noun}(?:{number}|(?-i:{letter})|{word})",
                rf"(?:the )?{ordinal}(?: {_NOUN}| one)?",
                rf"{_CJK_NOUN}[ \t]*(?:{number}|{cjk}|(?-i:{letter}))",
                rf"第[{cjk}{number}]个?{_CJK_NOUN}?|{last}",
            ),
        )

    one = slot("1", "A", "(?:first|1st)", "one", "一", "前者", labels[0])
    two = slot("2", "B", "(?:second|2nd)", "two", "二", "后者", labels[1])
    equal = r"(?:a )?tie|tied|equal|equally good|draw|平局" + ("" if tie is None else f"|{re.escape(tie)}")
    opening, closing = r"[\s(\[{<\"'$]*(?:\\(?:text|textbf|mathrm|mathbf)\{)?\s*", r"[\s)\]}>\"'$.,!;]*"
    return re.compile(rf"{opening}(?:(?P<tie>{equal})|(?P<one>{one})|(?P<two>{two})){closing}", re.IGNORECASE)
