"""vlrb_likelihood: any vision-language model of transformers, asked how likely each answer is, in one forward pass.

For prompts with ``scoring: loglikelihood``. Adapters of lmms-eval 0.7 that take likelihoods either need packages of
their own or, as ``llava_hf``, measure parts of the prompt too; this one measures the answer, and nothing else.
"""

from __future__ import annotations

from typing import Any

import torch
from accelerate import Accelerator
from lmms_eval.api.instance import Instance
from lmms_eval.api.model import lmms
from tqdm import tqdm


class LikelihoodJudge(lmms):
    """A judge that writes nothing.

    Args:
        pretrained: a checkpoint that ``AutoModelForImageTextToText`` loads, with a processor that has a chat template.
        revision: its revision on the hub.
        device: where it runs; the first GPU, or the CPU where there is none. Under ``accelerate launch``, the
            process's own.
        dtype: ``auto``, ``float32``, ``bfloat16`` …
        batch_size: not used: the answers of one prompt share its forward pass.
        max_batch_size: not used.
    """

    is_simple = True

    def __init__(
        self,
        pretrained: str,
        revision: str = "main",
        device: str | None = None,
        dtype: str = "auto",
        batch_size: int | str | None = None,
        max_batch_size: int | None = None,
        **unknown: Any,
    ) -> None:
        super().__init__()
        unknown.pop("device_map", None)  # habitual with other adapters
        if unknown:
            raise ValueError(
                f"vlrb_likelihood: no argument {', '.join(map(repr, unknown))}; there are pretrained, revision, device and dtype."
            )
        from transformers import AutoModelForImageTextToText, AutoProcessor

        self.accelerator = Accelerator()
        self._rank, self._world_size = self.accelerator.process_index, self.accelerator.num_processes
        given = torch.device(device) if device and self._world_size == 1 else self.accelerator.device
        kind = dtype if dtype == "auto" else getattr(torch, dtype)
        model: Any = AutoModelForImageTextToText.from_pretrained(pretrained, revision=revision, dtype=kind)
        self._model = model.to(given).eval()
        load_processor: Any = AutoProcessor.from_pretrained
        self._processor = load_processor(pretrained, revision=revision)
        self._asked: tuple[Any, ...] | None = None
        self._inputs: Any = None
        self._next: torch.Tensor | None = None

    @property
    def device(self) -> torch.device:
        """Where the model runs."""
        return torch.device(self._model.device)

    @property
    def tokenizer(self) -> Any:
        """The tokenizer."""
        return self._processor.tokenizer

    @torch.inference_mode()
    def loglikelihood(self, requests: list[Instance]) -> list[tuple[float, bool]]:
        """Return for each request the loss of its answer, in nats over all of its tokens, and whether it is the greedy one.

        An answer of one token costs no forward pass of its own beside the prompt's.
        """
        found = []
        for request in tqdm(requests, disable=self.rank != 0, desc="Judging"):
            context, answer, doc_to_visual, doc_id, task, split = request.args
            if (context, doc_id, task, split) != self._asked:
                self._asked = (context, doc_id, task, split)
                self._text, self._images = self._prompt(context, doc_to_visual(self.task_dict[task][split][doc_id]))
                self._inputs, self._next = self._processed(self._text), None
            found.append(self._loss(answer))
        return found

    def _prompt(self, context: str, images: list[Any]) -> tuple[str, list[Any]]:
        content = [*({"type": "image"} for _ in images), {"type": "text", "text": context}]
        text = self._processor.apply_chat_template(
            [{"role": "user", "content": content}], add_generation_prompt=True, tokenize=False
        )
        return str(text), images

    def _processed(self, text: str) -> Any:
        return self._processor(text=[text], images=self._images or None, return_tensors="pt").to(self._model.device)

    def _loss(self, answer: str) -> tuple[float, bool]:
        length = self._inputs["input_ids"].shape[1]
        tokens = self.tokenizer(answer, add_special_tokens=False, return_tensors="pt")["input_ids"][0].to(
            self._model.device
        )
        if len(tokens) == 1:
            if self._next is None:
                self._next = self._model(**self._inputs).logits[0, -1:].float().log_softmax(-1)
            scores = self._next
        else:
            whole = self._processed(self._text + answer)
            tokens = whole["input_ids"][0, length:]
            scores = self._model(**whole).logits[0, length - 1 : -1].float().log_softmax(-1)
        loss = -scores.gather(1, tokens[:, None]).sum()
        return float(loss), bool((scores.argmax(-1) == tokens).all())

    def generate_until(self, requests: list[Instance]) -> list[str]:
        """Not given: this judge writes nothing."""
        raise NotImplementedError(
            "vlrb_likelihood: only for prompts with `scoring: loglikelihood`, such as --tasks vlrewardbench@vlrb_loglikelihood. "
            "Fix: name such a prompt, or another --model."
        )

    def generate_until_multi_round(self, requests: list[Instance]) -> list[str]:
        """Not given: a judgment has one round."""
        raise NotImplementedError("vlrb_likelihood has one round only.")
