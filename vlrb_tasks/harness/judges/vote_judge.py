"""vote_judge: any adapter, with a journal of its votes and without the votes that cannot change anything.

It makes the inner adapter and takes its place in how requests are answered, nothing else: the model that lmms-eval
sees is the inner one. Requests of tasks that are not judge tasks go straight through.
"""

from __future__ import annotations

from typing import Any

from lmms_eval import utils
from lmms_eval.api.instance import Instance
from lmms_eval.api.model import lmms

from ..callers import local_of_a_caller
from ..exit_code import ExitCode
from .identity import model_identity
from .polling import Voting
from .vote_settings import VoteSettings


class VoteJudge(lmms):
    """Makes the inner adapter. ``judge=NAME`` names it; arguments that are not ours are its own."""

    is_simple = True

    @classmethod
    def create_from_arg_string(cls, arg_string: str, additional_config: dict[str, Any] | None = None) -> Any:
        """Return the inner adapter, answering through a journal and a stopping rule.

        Raises:
            ValueError: no inner adapter is named, or an argument has no use.
        """
        from lmms_eval.models import get_model

        exit_code = ExitCode()
        given = utils.simple_parse_args_string(arg_string)
        name = given.pop("judge", None)
        if not name or name == "vote_judge":
            raise ValueError(
                "vote_judge: no judge=; expected the name of an adapter, as in judge=qwen2_5_vl,pretrained=..."
            )
        ours = {key: given.pop(key) for key in list(given) if key in VoteSettings.__dataclass_fields__}
        settings = VoteSettings(**ours)
        force_simple = bool(local_of_a_caller("force_simple", lambda value: isinstance(value, bool)))
        inner_class = get_model(name, force_simple)
        parts = utils._smart_comma_split(arg_string.strip())
        kept = [part for part in parts if part.split("=", 1)[0] not in (*ours, "judge")]
        inner = inner_class.create_from_arg_string(",".join(kept), additional_config)
        return with_votes(inner, settings, model_identity(name, given, inner), exit_code)

    def loglikelihood(self, requests: list[Instance]) -> Any:
        """Never asked: the inner adapter is."""
        raise NotImplementedError

    def generate_until(self, requests: list[Instance]) -> Any:
        """Never asked: the inner adapter is."""
        raise NotImplementedError

    def generate_until_multi_round(self, requests: list[Instance]) -> Any:
        """Never asked: the inner adapter is."""
        raise NotImplementedError


def with_votes(inner: Any, settings: VoteSettings, identity: dict[str, Any], exit_code: ExitCode | None = None) -> Any:
    """Have an adapter answer the requests of judge tasks through a journal and a stopping rule.

    Args:
        inner: the adapter; it is changed and returned.
        settings: what is wanted.
        identity: which model it is, for the journal.
        exit_code: told how the run ended.
    """
    voting = Voting(inner, settings, identity, exit_code)
    for kind in ("generate_until", "loglikelihood"):
        setattr(inner, kind, voting.answering(getattr(inner, kind)))
    inner.vote_stopping = settings.stopping
    return inner
