"""Items: what a judge is asked about, and what people say of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Item:
    """A question about an image, the responses to it, and what people say of them.

    Attributes:
        id: the data set's own id. Ids may repeat; ``key`` does not.
        question: the question, as the data set gives it.
        responses: the responses, as the data set gives them: two to compare, one to score, several to rank.
        preferred: index into ``responses`` of the better of two; ``None`` where people see a tie.
        group: the domain that the benchmark reports the item under.
        tags: error tags that annotators set, possibly none.
        score: people's score of the response, where there is one to score.
        ranking: response indices, best first, where there are several to rank.
        models: who wrote each response, where the data set says so.
        reference_answer: the right answer to the question, where the data set has one.
        occurrence: 0 for the first row with this id, question and responses, 1 for the next one, …
    """

    id: str
    question: str
    responses: tuple[str, ...]
    preferred: int | None
    group: str
    tags: tuple[str, ...] = ()
    score: float | None = None
    ranking: tuple[int, ...] | None = None
    models: tuple[str, ...] = ()
    reference_answer: str = ""
    occurrence: int = 0

    @property
    def reference(self) -> str:
        """What people say, in words: a response, ``tie``, a score, or the responses in their order."""
        if self.score is not None or self.ranking is not None:
            return str(self.score if self.ranking is None else list(self.ranking))
        return "tie" if self.preferred is None else f"responses[{self.preferred}]"

    @property
    def key(self) -> str:
        """Return the identity of the item: a hash of id, question and the sorted responses.

        The benchmark's own scorer groups votes by the same three. Rows alike in all three are told
        apart by their number: ``0123456789abcdef``, ``0123456789abcdef#2``, …
        """
        return item_key(self.id, self.question, self.responses, self.occurrence)


def item_key(id: str, question: str, responses: Sequence[str], occurrence: int = 0) -> str:
    """Return the key of an item (see ``Item.key``): 16 hexadecimal digits, then ``#n`` from the second on."""
    content = json.dumps([id, question, sorted(responses)], ensure_ascii=True)
    digest = hashlib.sha256(content.encode()).hexdigest()[:16]
    return digest if occurrence == 0 else f"{digest}#{occurrence + 1}"


def number_repeats(items: Iterable[Item]) -> tuple[list[Item], list[Item]]:
    """Number the items that are alike in id, question and responses.

    Returns:
        All items in their order, numbered; and those among them that repeat an earlier one.
    """
    seen: dict[str, int] = {}
    numbered: list[Item] = []
    repeats: list[Item] = []
    for item in items:
        base = item_key(item.id, item.question, item.responses)
        occurrence = seen.get(base, 0)
        seen[base] = occurrence + 1
        numbered.append(replace(item, occurrence=occurrence) if occurrence else item)
        if occurrence:
            repeats.append(numbered[-1])
    return numbered, repeats
