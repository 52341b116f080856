"""Drawn scenes to score and to rank: responses that state four facts about a picture, some of them wrong.

A response names the colour of each of four shapes; how many of the four are right is its worth. Which facts
are wrong, and how, is drawn anew for each item, so that only the picture tells.
"""

from __future__ import annotations

import random
from typing import Any

from .scenes import COLORS, SHAPES, Scene, Thing, shuffled_cells

FACTS = 4
QUESTION = "Which colour has each shape in the picture?"


def scored_rows(items: int = 200, seed: int = 0) -> list[dict[str, Any]]:
    """Return rows with one response and its score: 0, 25, 50, 75 or 100, each equally often.

    Args:
        items: how many; a multiple of 5.
        seed: another seed gives other scenes; the same one the same, on every machine.

    Raises:
        ValueError: ``items`` is no positive multiple of 5.
    """
    if items < FACTS + 1 or items % (FACTS + 1):
        raise ValueError(
            f"items: got {items}; expected a positive multiple of {FACTS + 1}, as many as there are scores"
        )
    rows = []
    for i in range(items):
        rng = random.Random(f"vlrb_scenes_pointwise/{seed}/{i}")
        scene = _scene(rng)
        wrong = i % (FACTS + 1)
        row = {"id": f"facts-{i:03d}", "question": QUESTION, "responses": [_response(scene, wrong, rng)]}
        rows.append({**row, "score": 100 * (FACTS - wrong) / FACTS, "scene": scene})
    return rows


def ranked_rows(items: int = 150, seed: int = 0) -> list[dict[str, Any]]:
    """Return rows with four responses, with no, one, two and three wrong facts, in a random order.

    Args:
        items: how many, at least 1.
        seed: as above.
    """
    if items < 1:
        raise ValueError(f"items: got {items}; expected at least 1")
    rows = []
    for i in range(items):
        rng = random.Random(f"vlrb_scenes_ranking/{seed}/{i}")
        scene = _scene(rng)
        ranking = list(range(FACTS))
        rng.shuffle(ranking)
        responses = [_response(scene, wrong, rng) for wrong in ranking]
        rows.append(
            {"id": f"facts-{i:03d}", "question": QUESTION, "responses": responses, "ranking": ranking, "scene": scene}
        )
    return rows


def _scene(rng: random.Random) -> Scene:
    cells = shuffled_cells(rng)
    shapes, colors = rng.sample(SHAPES, FACTS), rng.sample(sorted(COLORS), FACTS)
    return tuple(Thing(shape, color, next(cells)) for shape, color in zip(shapes, colors, strict=True))


def _response(scene: Scene, wrong: int, rng: random.Random) -> str:
    """Return a response that states the colour of each shape, ``wrong`` of them not as they are."""
    mistaken = set(rng.sample(range(FACTS), wrong))
    facts = []
    for i, thing in enumerate(scene):
        color = rng.choice(sorted(set(COLORS) - {thing.color})) if i in mistaken else thing.color
        facts.append(f"The {thing.what} is {color}.")
    rng.shuffle(facts)
    return " ".join(facts)
