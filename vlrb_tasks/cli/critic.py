"""``vlrb critic``: the data that critics are trained on."""

from __future__ import annotations

from pathlib import Path

from ..critic.build import build
from ..critic.card import write_card
from ..critic.recipe import load_recipe
from ..environment import mirror, registry


def build_text(recipe: Path, output: Path, limit: int | None) -> str:
    """Build critic data and return what to tell.

    Raises:
        BuildError: it cannot be built.
        DataError: a source cannot be read.
        RegistryError: the recipe breaks its schema.
    """
    built = build(load_recipe(recipe), recipe.parent, output, registry(), mirror(), limit)
    write_card(built, output)
    lines = []
    for name, count in built.parts.items():
        lines.append(f"{name}: {count.written:,} records of {count.rows:,} rows, {count.with_reasons:,} with reasons")
        lines += [f"  left out: {number:,} {why}" for why, number in count.left_out.most_common()]
        lines += [f"  {fault}" for fault in count.faults]
    total = sum(count.written for count in built.parts.values())
    return "\n".join(
        [
            *lines,
            f"wrote {total:,} records and {built.pictures:,} pictures to {output}; {output / 'README.md'} is the card.",
        ]
    )
