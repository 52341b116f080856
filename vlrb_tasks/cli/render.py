"""``vlrb render``: one item through one prompt."""

from __future__ import annotations

from pathlib import Path

from ..core.ordering import draw_orders
from ..data.rows import DataError, items_of
from ..data.sources import open_source
from ..environment import registry
from ..registry.rendering import example_turns, in_one_text, judge_text


def rendered(
    task: str,
    number: int,
    id: str | None,
    draw: int,
    prompt_id: str | None,
    mirror: Path | None,
    save_images: Path | None,
) -> str:
    """Return what the model would be asked, under a head that says which item, draw and order it is.

    Raises:
        DataError: there is no such item or draw, or the data cannot be read.
        RegistryError: there is no such task or prompt.
    """
    known = registry()
    config = known.task(task)
    name, benchmark = known.benchmark_of(config, task)
    prompt = known.prompt(prompt_id) if prompt_id else known.prompt_of(config, benchmark)
    source = open_source(name, benchmark, mirror, dict(config.options))
    items, _ = items_of(source.rows, benchmark, source.where)
    if id is not None:
        found = [i for i, item in enumerate(items) if item.id == id]
        if not found:
            raise DataError(
                f"{source.where}: no item with id {id!r}. Fix: use --item 0 to {len(items) - 1}, or an id of the data set."
            )
        number = found[0]
    if not 0 <= number < len(items):
        raise DataError(
            f"{source.where}: no item {number}; there are {len(items)}. Fix: use --item 0 to {len(items) - 1}."
        )
    if draw < 0:
        raise DataError(f"draw: got {draw}; expected 0 or more. Fix: use --draw 0.")
    item = items[number]
    order = next(order for asked, order in draw_orders(item, draw + 1, config.order, config.seed) if asked == draw)
    images = source.images(number)
    if save_images is not None:
        save_images.mkdir(parents=True, exist_ok=True)
        for i, image in enumerate(images):
            image.save(save_images / f"{task}-{number}-{i}.png")
    slots = ", ".join(f"{label} = responses[{index}]" for label, index in zip(prompt.labels, order, strict=False))
    shown = f"order: {slots}; " if slots else ""
    head = [
        f"# {task}, item {number} (id {item.id}, key {item.key}), draw {draw}, prompt {prompt.identity}",
        f"# {shown}people say: {item.reference}",
        f"# images: {', '.join(f'{image.width} x {image.height}' for image in images) or 'none'}",
    ]
    if prompt.system:
        head.append(f"# system: {prompt.system}")
    turns = example_turns(prompt)
    if turns:
        head.append(f"# {len(turns) // 2} worked examples; a chat model gets them as turns of their own")
    for turn in turns:
        if turn.image is not None:
            head.append(f"# image of an example: {turn.image}")
    return "\n".join(head) + "\n" + in_one_text(turns, judge_text(prompt, item, order))
