"""The thirty ways in which a pair is put to the critic: ``pair_templates.yaml``, read and checked."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from pydantic import model_validator

from ..core.parsing import ParserKind, parse_verdict
from ..core.verdicts import Verdict
from ..registry.fields import Strict
from ..registry.loading import check, read_yaml
from ..registry.rendering import guarded, render_text, shown

FILE = Path(__file__).with_name("pair_templates.yaml")
_KINDS: tuple[ParserKind, ...] = ("brackets", "prose")


class PairTemplate(Strict):
    """One way to ask which of two responses is better.

    Attributes:
        text: Jinja, with ``question`` and ``responses``.
        names: what it calls the two responses.
        answers: what is answered where the first is better, the second is, and both are equal.
    """

    text: str
    names: tuple[str, str]
    answers: tuple[str, str, str]

    @model_validator(mode="after")
    def _readable(self) -> PairTemplate:
        for outcome, answer in zip(("first", "second", "tie"), self.answers, strict=True):
            if self.read(answer).outcome != outcome:
                raise ValueError(f"answers whose parser reads {answer!r} as {outcome}")
        missing = [part for part in ("question", "responses[0]", "responses[1]") if part not in self.text]
        if missing:
            raise ValueError(f"a text that shows {missing[0]}")
        return self

    def read(self, text: str) -> Verdict:
        """Return the verdict that our parser reads in an answer."""
        return parse_verdict(text, _KINDS, self.names, "tie")

    def asked(self, question: str, responses: tuple[str, str]) -> str:
        """Return what the critic is asked, data guarded as in judging."""
        given = {"question": guarded(question), "responses": [shown(one) for one in responses]}
        return render_text(self.text.strip(), given, f"pair template of {self.names[0]}")


class _File(Strict):
    templates: tuple[PairTemplate, ...]


@lru_cache(maxsize=1)
def pair_templates() -> tuple[PairTemplate, ...]:
    """Return the templates of this package.

    Raises:
        RegistryError: the file breaks its schema.
    """
    content, node = read_yaml(FILE)
    return check(_File, content, FILE, node).templates
