"""What the tiny critic is made of: a LLaVA of under a million parameters, its tokenizer and its picture processor."""

from __future__ import annotations

import torch
from lessons import all_text
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import (
    CLIPImageProcessor,
    CLIPVisionConfig,
    LlamaConfig,
    LlavaConfig,
    LlavaForConditionalGeneration,
    LlavaProcessor,
    PreTrainedTokenizerFast,
)

PIXELS, PATCH = 80, 20  # a patch is a cell of the grid that scenes are drawn on
TEMPLATE = (
    "{% for message in messages %}{% if message['role'] == 'user' %}USER: "
    "{% if message['content'] is string %}{{ message['content'] }}{% else %}{% for part in message['content'] %}"
    "{% if part['type'] == 'image' %}<image>\n{% else %}{{ part['text'] }}{% endif %}{% endfor %}{% endif %}"
    " ASSISTANT:{% else %} {{ message['content'] }}</s>{% endif %}{% endfor %}"
)


def build_processor() -> LlavaProcessor:
    """Return a new processor: a tokenizer learnt from the lessons' texts, and pictures of 80 x 80."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    special = ["<pad>", "<s>", "</s>", "<image>"]
    trainer = trainers.BpeTrainer(
        vocab_size=768,
        special_tokens=special,
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    tokenizer.train_from_iterator(all_text().split("\n"), trainer)
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>", pad_token="<pad>", model_max_length=4096
    )
    fast.add_special_tokens({"additional_special_tokens": ["<image>"]})
    fast.chat_template = TEMPLATE
    images = CLIPImageProcessor(
        size={"shortest_edge": PIXELS},
        crop_size={"height": PIXELS, "width": PIXELS},
        image_mean=[0.5] * 3,
        image_std=[0.5] * 3,
    )
    return LlavaProcessor(
        images,
        fast,
        patch_size=PATCH,
        vision_feature_select_strategy="default",
        chat_template=TEMPLATE,
        num_additional_image_tokens=1,
    )


def build_model(processor: LlavaProcessor, width: int = 96, layers: int = 3) -> LlavaForConditionalGeneration:
    """Return the model with random weights."""
    tokenizer = processor.tokenizer
    vision = CLIPVisionConfig(
        hidden_size=96,
        intermediate_size=192,
        num_hidden_layers=1,
        num_attention_heads=3,
        image_size=PIXELS,
        patch_size=PATCH,
        projection_dim=96,
    )
    text = LlamaConfig(
        vocab_size=len(tokenizer), hidden_size=width, intermediate_size=3 * width, num_hidden_layers=layers, num_attention_heads=4,
        max_position_embeddings=4096, tie_word_embeddings=True, rope_theta=10000.0, initializer_range=0.08,
        bos_token_id=tokenizer.bos_token_id, eos_token_id=tokenizer.eos_token_id, pad_token_id=tokenizer.pad_token_id,
    )  # fmt: skip
    config = LlavaConfig(
        vision_config=vision, text_config=text, image_token_id=tokenizer.convert_tokens_to_ids("<image>"),
        vision_feature_select_strategy="default", vision_feature_layer=-1, tie_word_embeddings=True, initializer_range=0.08,
    )  # fmt: skip
    model = LlavaForConditionalGeneration(config)
    # Where a patch is starts as loud as what it shows, a code for its row plus one for its column: at the default,
    # a tenth of this and without structure, "above" and "to the left of" stay at chance.
    side = PIXELS // PATCH
    places = torch.randn(side, 1, vision.hidden_size) + torch.randn(1, side, vision.hidden_size)
    with torch.no_grad():
        model.model.vision_tower.embeddings.position_embedding.weight[1:] = places.flatten(0, 1)
    model.generation_config.eos_token_id = tokenizer.eos_token_id
    model.generation_config.pad_token_id = tokenizer.pad_token_id
    return model
