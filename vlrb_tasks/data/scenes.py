"""Drawn scenes: an embedded benchmark of coloured shapes, where only the picture tells which response is right.

Items come in twins: the same question and the same two responses, in the same order, beside two pictures
that differ in one fact. Each response is right in one twin and wrong in the other, so that over the set the
better response is the first as often as the second, the longer as often as the shorter, and every phrase is
right as often as wrong. A judge that does not look scores 50 %.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from PIL import Image, ImageDraw, ImageFont

GROUPS = ("existence", "recognition", "attribute", "counting", "spatial", "text")
COLORS = {
    "red": (206, 44, 44),
    "green": (38, 140, 60),
    "blue": (42, 82, 190),
    "yellow": (240, 200, 30),
    "purple": (130, 50, 150),
    "orange": (240, 130, 30),
    "black": (25, 25, 25),
}
SHAPES = ("circle", "square", "triangle", "star", "diamond", "cross")
WORDS = (
    ("OPEN", "OVEN"), ("STOP", "SHOP"), ("EXIT", "EDIT"), ("SALE", "SAFE"), ("PARK", "DARK"), ("COLD", "GOLD"), ("ROAD", "READ"),
    ("TAXI", "TAPS"), ("BANK", "BARK"), ("FISH", "FIST"), ("MILK", "MINT"), ("PUSH", "PULL"), ("NORTH", "SOUTH"), ("LEFT", "LIFT"),
)  # fmt: skip
NUMBERS = ("zero", "one", "two", "three", "four", "five", "six")
SIDE = 320
_CELL = SIDE // 4


@dataclass(frozen=True)
class Thing:
    """Something in a picture: a shape or a word, its colour, its cell in a grid of 4 x 4, and its size."""

    what: str
    color: str
    cell: tuple[int, int]
    size: float = 0.6


Scene = tuple[Thing, ...]


@dataclass(frozen=True)
class _Twins:
    """A question, two responses, and the two pictures: in the first one the first response is right."""

    question: str
    responses: tuple[str, str]
    scenes: tuple[Scene, Scene]


def scene_rows(items: int = 300, seed: int = 0) -> list[dict[str, Any]]:
    """Return the rows of the benchmark, without pictures.

    Args:
        items: how many; a multiple of 12, so that each of the six groups has as many twins.
        seed: another seed gives other scenes; the same one the same, on every machine.

    Returns:
        One mapping a row: ``id``, ``question``, ``responses``, ``ranking`` (0 = better) and ``scene``.

    Raises:
        ValueError: ``items`` is no positive multiple of 12.
    """
    if items < 12 or items % 12:
        raise ValueError(f"items: got {items}; expected a positive multiple of 12 (six groups, in twins)")
    halves: tuple[list[dict[str, Any]], list[dict[str, Any]]] = ([], [])
    for pair in range(items // 12):
        for group in GROUPS:
            rng = random.Random(f"vlrb_scenes/{seed}/{group}/{pair}")
            twins = _MAKERS[group](rng)
            first = rng.randint(0, 1)
            for twin in (0, 1):
                # Twins stand in different halves, so that the first items of the set are a fair sample of it.
                halves[(twin + first) % 2].append(
                    {
                        "id": f"{group}-{pair:03d}{'ab'[twin]}",
                        "question": twins.question,
                        "responses": list(twins.responses),
                        "ranking": [0, 1] if twin == 0 else [1, 0],
                        "scene": twins.scenes[twin],
                    },
                )
    return halves[0] + halves[1]


def shuffled_cells(rng: random.Random) -> Iterator[tuple[int, int]]:
    """Give the cells of the grid in a random order."""
    cells = [(x, y) for x in range(4) for y in range(4)]
    rng.shuffle(cells)
    return iter(cells)


def _others(
    rng: random.Random, cells: Iterator[tuple[int, int]], count: int, colors: set[str], shapes: set[str]
) -> Scene:
    """Return things of colours and shapes that are not taken."""
    free_colors = sorted(set(COLORS) - colors)
    free_shapes = sorted(set(SHAPES) - shapes)
    return tuple(Thing(rng.choice(free_shapes), rng.choice(free_colors), next(cells)) for _ in range(count))


def _article(word: str) -> str:
    return f"an {word}" if word[0] in "aeiou" else f"a {word}"


def _beside(scene: Scene) -> str:
    """Return a sentence that is true of both twins, so that a response says more than the one fact."""
    return f"There is {_article(scene[0].color)} {scene[0].what} in the picture."


def _existence(rng: random.Random) -> _Twins:
    cells = shuffled_cells(rng)
    color, shape = rng.choice(sorted(COLORS)), rng.choice(SHAPES)
    others = _others(rng, cells, 3, {color}, {shape})
    thing = Thing(shape, color, next(cells))
    filler = Thing(rng.choice(sorted(set(SHAPES) - {shape})), rng.choice(sorted(set(COLORS) - {color})), thing.cell)
    yes = f"Yes, the picture shows {_article(color)} {shape}. {_beside(others)}"
    no = f"No, the picture does not show {_article(color)} {shape}. {_beside(others)}"
    return _ordered(
        rng, f"Is there {_article(color)} {shape} in the picture?", (yes, no), ((*others, thing), (*others, filler))
    )


def _recognition(rng: random.Random) -> _Twins:
    cells = shuffled_cells(rng)
    color = rng.choice(sorted(COLORS))
    one, two = rng.sample(SHAPES, 2)
    others = _others(rng, cells, 3, {color}, set())
    thing = Thing(one, color, next(cells))
    responses = tuple(f"{_beside(others)} The {color} shape is {_article(shape)}." for shape in (one, two))
    return _ordered(rng, f"Which shape is {color}?", responses, ((*others, thing), (*others, replace(thing, what=two))))


def _attribute(rng: random.Random) -> _Twins:
    cells = shuffled_cells(rng)
    shape = rng.choice(SHAPES)
    one, two = rng.sample(sorted(COLORS), 2)
    others = _others(rng, cells, 3, {one, two}, {shape})
    thing = Thing(shape, one, next(cells))
    responses = tuple(f"{_beside(others)} The {shape} is {color}." for color in (one, two))
    return _ordered(
        rng, f"What colour is the {shape}?", responses, ((*others, thing), (*others, replace(thing, color=two)))
    )


def _counting(rng: random.Random) -> _Twins:
    cells = shuffled_cells(rng)
    color, shape = rng.choice(sorted(COLORS)), rng.choice(SHAPES)
    others = _others(rng, cells, 2, {color}, {shape})
    few = rng.randint(2, 4)
    counted = tuple(Thing(shape, color, next(cells)) for _ in range(few + 1))
    responses = tuple(f"{_beside(others)} There are {NUMBERS[n]} {color} {_plural(shape)}." for n in (few, few + 1))
    return _ordered(
        rng,
        f"How many {color} {_plural(shape)} are there?",
        responses,
        ((*others, *counted[:few]), (*others, *counted)),
    )


def _plural(shape: str) -> str:
    return shape + ("es" if shape.endswith("s") else "s")


def _spatial(rng: random.Random) -> _Twins:
    one, two = rng.sample(SHAPES, 2)
    colors = rng.sample(sorted(COLORS), 2)
    low, high, across = rng.randint(0, 1), rng.randint(2, 3), rng.randint(0, 3)
    sideways = rng.random() < 0.5
    places = ((low, across), (high, across)) if sideways else ((across, low), (across, high))
    phrases = ("to the left of", "to the right of") if sideways else ("above", "below")
    cells = iter(cell for cell in shuffled_cells(rng) if cell not in places)
    others = _others(rng, cells, 2, set(colors), {one, two})
    responses = tuple(f"{_beside(others)} The {one} is {phrase} the {two}." for phrase in phrases)
    first = (*others, Thing(one, colors[0], places[0]), Thing(two, colors[1], places[1]))
    second = (*others, Thing(one, colors[0], places[1]), Thing(two, colors[1], places[0]))
    return _ordered(rng, f"Where is the {one}, seen from the {two}?", responses, (first, second))


def _text(rng: random.Random) -> _Twins:
    cells = shuffled_cells(rng)
    one, two = rng.choice(WORDS)
    others = _others(rng, iter(cell for cell in cells if cell[1] != 1), 3, set(), set())
    sign = Thing(f"word:{one}", "black", (0, 1))
    responses = tuple(f"{_beside(others)} The word on the sign is {word}." for word in (one, two))
    return _ordered(
        rng,
        "Which word stands on the sign?",
        responses,
        ((*others, sign), (*others, replace(sign, what=f"word:{two}"))),
    )


def _ordered(rng: random.Random, question: str, responses: tuple[str, ...], scenes: tuple[Scene, Scene]) -> _Twins:
    """Return the twins with the responses in a random order."""
    a, b = responses
    return _Twins(question, (a, b), scenes) if rng.random() < 0.5 else _Twins(question, (b, a), (scenes[1], scenes[0]))


_MAKERS: dict[str, Callable[[random.Random], _Twins]] = {
    "existence": _existence,
    "recognition": _recognition,
    "attribute": _attribute,
    "counting": _counting,
    "spatial": _spatial,
    "text": _text,
}


def draw_scene(scene: Scene) -> Image.Image:
    """Draw a scene: 320 x 320 pixels, RGB, white ground."""
    image = Image.new("RGB", (SIDE, SIDE), (255, 255, 255))
    pen = ImageDraw.Draw(image)
    for thing in scene:
        if thing.what.startswith("word:"):
            _draw_sign(pen, thing)
        else:
            x, y = ((c + 0.5) * _CELL for c in thing.cell)
            _draw_shape(pen, thing, x, y, thing.size * _CELL / 2)
    return image


def _draw_sign(pen: ImageDraw.ImageDraw, thing: Thing) -> None:
    box = (20, _CELL + 6, SIDE - 20, 2 * _CELL - 6)
    pen.rectangle(box, fill=(250, 246, 230), outline=COLORS[thing.color], width=4)
    pen.text(
        (SIDE / 2, 1.5 * _CELL),
        thing.what.removeprefix("word:"),
        fill=COLORS[thing.color],
        font=ImageFont.load_default(size=44),
        anchor="mm",
    )


def _draw_shape(pen: ImageDraw.ImageDraw, thing: Thing, x: float, y: float, r: float) -> None:
    color = COLORS[thing.color]

    def around(corners: int, radii: tuple[float, ...], turn: float = -90) -> list[tuple[float, float]]:
        return [
            (
                x + radii[i % len(radii)] * math.cos(math.radians(turn + 360 * i / corners)),
                y + radii[i % len(radii)] * math.sin(math.radians(turn + 360 * i / corners)),
            )
            for i in range(corners)
        ]

    if thing.what == "circle":
        pen.ellipse((x - r, y - r, x + r, y + r), fill=color)
    elif thing.what == "square":
        pen.rectangle((x - r * 0.85, y - r * 0.85, x + r * 0.85, y + r * 0.85), fill=color)
    elif thing.what == "triangle":
        pen.polygon(around(3, (r * 1.15,)), fill=color)
    elif thing.what == "diamond":
        pen.polygon([(x, y - r * 1.2), (x + r * 0.75, y), (x, y + r * 1.2), (x - r * 0.75, y)], fill=color)
    elif thing.what == "star":
        pen.polygon(around(10, (r * 1.2, r * 0.5)), fill=color)
    elif thing.what == "cross":
        arm = r * 0.36
        pen.rectangle((x - r, y - arm, x + r, y + arm), fill=color)
        pen.rectangle((x - arm, y - r, x + arm, y + r), fill=color)
