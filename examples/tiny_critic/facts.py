"""What there is to say of a drawn scene: questions, their right and wrong answers, and true and false sentences."""

from __future__ import annotations

import itertools
import random
from dataclasses import dataclass

from vlrb_tasks.data.scenes import COLORS, NUMBERS, SHAPES, WORDS, Scene, Thing

HELD_OUT = (("star", "blue"), ("cross", "yellow"), ("circle", "purple"), ("triangle", "green"))
"""Shapes and colours that no lesson shows together."""

_PLURALS = {shape: shape + ("es" if shape.endswith("s") else "s") for shape in SHAPES}

_OPPOSITES = {
    "to the left of": "to the right of", "to the right of": "to the left of", "above": "below", "below": "above",
}  # fmt: skip


def is_held_out(scene: Scene) -> bool:
    """Tell whether a scene shows a combination that lessons leave out."""
    return any((thing.what, thing.color) in HELD_OUT for thing in scene)


def name_of(thing: Thing) -> str:
    """Return a thing as descriptions name it: ``a red star``, ``the word OPEN``."""
    if thing.what.startswith("word:"):
        return f"the word {thing.what.removeprefix('word:')}"
    return f"{'an' if thing.color[0] in 'aeiou' else 'a'} {thing.color} {thing.what}"


def shapes_of(scene: Scene) -> list[Thing]:
    """Return a scene's things without its signs."""
    return [thing for thing in scene if not thing.what.startswith("word:")]


@dataclass(frozen=True)
class Fact:
    """A question about a scene, its short answer and a wrong one, and a true sentence and a false one."""

    question: str
    answer: str
    wrong: str
    true: str
    false: str


def small_facts(scene: Scene, rng: random.Random) -> list[Fact]:
    """Return what there is to say of a small scene: colour, shape, row and column of each thing, and where others are."""
    found = []
    for thing in scene:
        if thing.what.startswith("word:"):
            return [word_fact(thing)]
        found += [color_fact(thing, rng), shape_fact(thing, rng)]
        for line, place in (("column", thing.cell[0]), ("row", thing.cell[1])):
            wrong = rng.choice([n for n in range(4) if n != place])
            said = [f"The {thing.what} is in {line} {NUMBERS[n + 1]}." for n in (place, wrong)]
            found.append(
                Fact(f"In which {line} is the {thing.what}?", NUMBERS[place + 1], NUMBERS[wrong + 1], said[0], said[1])
            )
    for one, two in itertools.permutations(scene, 2):
        where = direction(one, two)
        if where is not None:
            found.append(direction_fact(one, two, where))
    return found


def direction(one: Thing, two: Thing) -> str | None:
    """Return where a thing is, seen from another in its row or column; ``None`` where it is in neither."""
    if one.cell[1] == two.cell[1] and one.cell[0] != two.cell[0]:
        return "to the left of" if one.cell[0] < two.cell[0] else "to the right of"
    if one.cell[0] == two.cell[0] and one.cell[1] != two.cell[1]:
        return "above" if one.cell[1] < two.cell[1] else "below"
    return None


def _short(where: str) -> str:
    return where.split()[-2] if "to" in where else where


def color_fact(thing: Thing, rng: random.Random) -> Fact:
    """Return the colour of a thing that is alone in its shape."""
    wrong = rng.choice([c for c in COLORS if c != thing.color and (thing.what, c) not in HELD_OUT])
    said = [f"The {thing.what} is {color}." for color in (thing.color, wrong)]
    return Fact(f"What colour is the {thing.what}?", thing.color, wrong, said[0], said[1])


def shape_fact(thing: Thing, rng: random.Random) -> Fact:
    """Return the shape of a thing that is alone in its colour."""
    wrong = rng.choice([s for s in SHAPES if s != thing.what and (s, thing.color) not in HELD_OUT])
    said = [f"The {thing.color} shape is a {shape}." for shape in (thing.what, wrong)]
    return Fact(f"Which shape is {thing.color}?", thing.what, wrong, said[0], said[1])


def direction_fact(one: Thing, two: Thing, where: str) -> Fact:
    """Return where a thing is, seen from another; the opposite is wrong."""
    other = _OPPOSITES[where]
    said = [f"The {one.what} is {place} the {two.what}." for place in (where, other)]
    return Fact(f"Where is the {one.what}, seen from the {two.what}?", _short(where), _short(other), said[0], said[1])


def word_fact(sign: Thing) -> Fact:
    """Return what a sign says; the word that looks like it is wrong."""
    word = sign.what.removeprefix("word:")
    one, two = next(words for words in WORDS if word in words)
    wrong = one if word == two else two
    said = [f"The word on the sign is {shown}." for shown in (word, wrong)]
    return Fact("Which word stands on the sign?", word, wrong, said[0], said[1])


def facts_of(scene: Scene, rng: random.Random) -> list[Fact]:
    """Return facts about a scene, with what could be said of them."""
    things = shapes_of(scene)
    found = [word_fact(thing) for thing in scene if thing.what.startswith("word:")]
    for thing in things:
        if sum(other.what == thing.what for other in things) == 1:
            found.append(color_fact(thing, rng))
        if sum(other.color == thing.color for other in things) == 1:
            found.append(shape_fact(thing, rng))
    pairs = {(thing.what, thing.color) for thing in things}
    shown = rng.choice(sorted(pairs))
    absent = rng.choice([(s, c) for s in SHAPES for c in COLORS if (s, c) not in pairs and (s, c) not in HELD_OUT])
    for (shape, color), there in ((shown, True), (absent, False)):
        one = f"{'an' if color[0] in 'aeiou' else 'a'} {color} {shape}"
        yes, no = f"Yes, the picture shows {one}.", f"No, the picture does not show {one}."
        said = (yes, no) if there else (no, yes)
        short = ("yes", "no") if there else ("no", "yes")
        found.append(Fact(f"Is there {one} in the picture?", *short, *said))
    shape, color = max(sorted(pairs), key=lambda pair: sum((t.what, t.color) == pair for t in things))
    count = sum((t.what, t.color) == (shape, color) for t in things)
    if count > 1:
        wrong = count + rng.choice((-1, 1))
        said = tuple(f"There are {NUMBERS[n]} {color} {_PLURALS[shape]}." for n in (count, wrong))
        found.append(Fact(f"How many {color} {_PLURALS[shape]} are there?", NUMBERS[count], NUMBERS[wrong], *said))
    alone = [thing for thing in things if sum(other.what == thing.what for other in things) == 1]
    related = [(one, two) for one, two in itertools.permutations(alone, 2) if direction(one, two) is not None]
    if related:
        one, two = rng.choice(related)
        found.append(direction_fact(one, two, str(direction(one, two))))
    return found


def some_facts(scene: Scene, rng: random.Random, most: int) -> list[Fact]:
    """Return some facts about a scene, its rarer ones first: counts, places and words."""
    found = facts_of(scene, rng)
    rare = [fact for fact in found if fact.question.startswith(("How many", "Where is", "Which word"))]
    rest = [fact for fact in found if fact not in rare]
    rng.shuffle(rest)
    chosen = [*rare, *rest[:2]][:most]
    rng.shuffle(chosen)
    return chosen
