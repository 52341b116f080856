"""What the tiny critic is taught: conversations about drawn scenes, from describing them to judging responses.

A lesson is one picture and a few turns of question and answer about it. Lessons are drawn from a seed; none of
the scenes that ``vlrb_scenes`` is made of is among them, nor any with a combination of shape and colour that is
held out.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from vlrb_tasks.data.fact_scenes import scored_rows
from vlrb_tasks.data.scenes import COLORS, GROUPS, NUMBERS, SHAPES, WORDS, Scene, Thing, scene_rows, shuffled_cells
from vlrb_tasks.environment import registry
from vlrb_tasks.registry.rendering import render

HELD_OUT = (("star", "blue"), ("cross", "yellow"), ("circle", "purple"), ("triangle", "green"))
"""Shapes and colours that no lesson shows together."""

_PLURALS = {shape: shape + ("es" if shape.endswith("s") else "s") for shape in SHAPES}


@dataclass(frozen=True)
class Lesson:
    """A picture, and turns of what is asked about it and the right answer."""

    scene: Scene
    turns: tuple[tuple[str, str], ...]


Kind = str
Row = dict


def is_held_out(scene: Scene) -> bool:
    """Tell whether a scene shows a combination that lessons leave out."""
    return any((thing.what, thing.color) in HELD_OUT for thing in scene)


KEPT = {"spatial": 1.0, "text": 1.0, "existence": 0.6, "counting": 0.4, "recognition": 0.25, "attribute": 0.25}
"""How many of the pairs of a group are kept: what is hard to learn comes more often."""


def pair_rows(seed: int) -> Iterator[Row]:
    """Give pairs of responses without end, as ``vlrb_scenes`` makes them; ``seed`` 0 is the benchmark's own."""
    if seed < 1:
        raise ValueError(f"seed: got {seed}; expected 1 or more, since 0 is what the benchmark is drawn from")
    part = 0
    while True:
        rows = scene_rows(120, seed=seed * 1_000_000 + part)
        rng = random.Random(f"lessons/{seed}/{part}")
        rng.shuffle(rows)
        for row in rows:
            if not is_held_out(row["scene"]) and rng.random() < KEPT[row["id"].partition("-")[0]]:
                yield row
        part += 1


def fact_rows(seed: int) -> Iterator[Row]:
    """Give responses with their scores without end, as ``vlrb_scenes_pointwise`` makes them."""
    part = 0
    while True:
        yield from (row for row in scored_rows(50, seed=seed * 1_000_000 + part) if not is_held_out(row["scene"]))
        part += 1


def lessons(seed: int, mixture: Mapping[Kind, float], preamble: float) -> Iterator[Lesson]:
    """Give lessons without end.

    Args:
        seed: 1 or more.
        mixture: how often each kind of lesson comes.
        preamble: how much of what the judge prompts say before the question is shown, between 0 and 1.
    """
    rng = random.Random(f"lessons/{seed}")
    pairs, facts = pair_rows(seed), fact_rows(seed)
    kinds, weights = list(mixture), list(mixture.values())
    makers: dict[Kind, Callable[[], Lesson]] = {
        "glance": lambda: _glance(rng),
        "told": lambda: _told(rng),
        "repeat": lambda: _repeat(rng),
        "pick": lambda: _pick(rng),
        "describe": lambda: _describe(next(pairs)["scene"] if rng.random() < 0.7 else next(facts)["scene"]),
        "ask": lambda: _ask(next(pairs)["scene"], rng),
        "check": lambda: _check(next(pairs)["scene"], rng),
        "choose": lambda: _choose(next(pairs)["scene"], rng),
        "compare": lambda: _compare(next(pairs), rng, preamble),
        "score": lambda: _score(next(facts), rng, preamble),
    }
    while True:
        yield makers[rng.choices(kinds, weights)[0]]()


# -- looking ---------------------------------------------------------------------------------------------


def _name(thing: Thing) -> str:
    if thing.what.startswith("word:"):
        return f"the word {thing.what.removeprefix('word:')}"
    return f"{'an' if thing.color[0] in 'aeiou' else 'a'} {thing.color} {thing.what}"


def _describe(scene: Scene) -> Lesson:
    """Name everything in a picture, row by row."""
    names = [_name(thing) for thing in sorted(scene, key=lambda thing: (thing.cell[1], thing.cell[0]))]
    return Lesson(scene, (("Describe the picture.", f"The picture shows {', '.join(names)}."),))


@dataclass(frozen=True)
class Fact:
    """A question about a scene, its short answer and a wrong one, and a true sentence and a false one."""

    question: str
    answer: str
    wrong: str
    true: str
    false: str


def _small_scene(rng: random.Random) -> Scene:
    """Draw one to three things of different shapes and colours, or a sign."""
    if rng.random() < 0.2:
        return (Thing(f"word:{rng.choice(rng.choice(WORDS))}", "black", (0, 1)),)
    while True:
        count = rng.choice((1, 1, 2, 3))
        cells = shuffled_cells(rng)
        shapes, colors = rng.sample(SHAPES, count), rng.sample(sorted(COLORS), count)
        scene = tuple(Thing(shape, color, next(cells)) for shape, color in zip(shapes, colors, strict=True))
        if not is_held_out(scene):
            return scene


def _small_facts(scene: Scene, rng: random.Random) -> list[Fact]:
    """Return what there is to say of a small scene: colour, shape, row and column of each thing, and where others are."""
    found = []
    for thing in scene:
        if thing.what.startswith("word:"):
            return [_word_fact(thing)]
        other = rng.choice([color for color in COLORS if color != thing.color])
        found.append(_color_fact(thing, other))
        found.append(_shape_fact(thing, rng.choice([shape for shape in SHAPES if shape != thing.what])))
        for line, place in (("column", thing.cell[0]), ("row", thing.cell[1])):
            wrong = rng.choice([n for n in range(4) if n != place])
            said = [f"The {thing.what} is in {line} {NUMBERS[n + 1]}." for n in (place, wrong)]
            found.append(
                Fact(f"In which {line} is the {thing.what}?", NUMBERS[place + 1], NUMBERS[wrong + 1], said[0], said[1])
            )
    for one, two in itertools.permutations(scene, 2):
        where = _where(one, two)
        if where is not None:
            found.append(_where_fact(one, two, where))
    return found


def _glance(rng: random.Random) -> Lesson:
    """Describe a small scene, and say what colour, shape and place its things have."""
    scene = _small_scene(rng)
    facts = _small_facts(scene, rng)
    turns = [_describe(scene).turns[0], *((fact.question, f"{fact.answer}.") for fact in facts)]
    return Lesson(scene, tuple(rng.sample(turns, min(4, len(turns)))))


def _repeat(rng: random.Random) -> Lesson:
    """Repeat the first response or the second, or tell which of them says something: what stands in which slot."""
    scene = _small_scene(rng)
    turns = []
    for fact in rng.sample(facts := _small_facts(scene, rng), min(2, len(facts))):
        slot = rng.randint(0, 1)
        pair = [fact.true, fact.false] if rng.random() < 0.5 else [fact.false, fact.true]
        asked = (
            _rendered("llava_critic_pairwise", fact.question, pair, rng, 0)
            .removesuffix("ASSISTANT:")
            .rstrip()
            .removesuffix("ASSISTANT:")
            .rstrip()
        )
        word = ("first", "second")[slot]
        if rng.random() < 0.6:
            turns.append((f"{asked} Repeat the {word} response.", pair[slot]))
        else:
            turns.append((f"{asked} Which response says: {pair[slot]}", f"The {word} response."))
    return Lesson(scene, tuple(turns))


def _told(rng: random.Random) -> Lesson:
    """Find the response that agrees with what was just said: matching comes before looking."""
    scene = _small_scene(rng)
    facts = _small_facts(scene, rng)
    turns = []
    for fact in rng.sample(facts, min(3, len(facts))):
        pair = (f" {fact.answer}.", f" {fact.wrong}.") if rng.random() < 0.5 else (fact.true, fact.false)
        turns += [(fact.question, f"{fact.answer}."), _compared(fact.question, pair, 0, rng, 0)]
    return Lesson(scene, tuple(turns))


def _pick(rng: random.Random) -> Lesson:
    """Choose between two short answers about a small scene, in the format of comparisons."""
    scene = _small_scene(rng)
    facts = _small_facts(scene, rng)
    return Lesson(scene, _compared_facts(rng.sample(facts, min(2, len(facts))), rng))


def _compared_facts(facts: list[Fact], rng: random.Random) -> tuple[tuple[str, str], ...]:
    """Compare two responses for each fact; every other time after the question was answered: finding the response that
    agrees with what was just said comes first, finding the one that agrees with what is seen follows from it."""
    turns = []
    for fact in facts:
        pair = (f" {fact.answer}.", f" {fact.wrong}.") if rng.random() < 0.5 else (fact.true, fact.false)
        if rng.random() < 0.5:
            turns.append((fact.question, f"{fact.answer}."))
        turns.append(_compared(fact.question, pair, 0, rng, 0))
    return tuple(turns)


_OPPOSITES = {
    "to the left of": "to the right of", "to the right of": "to the left of", "above": "below", "below": "above",
}  # fmt: skip


def _where(one: Thing, two: Thing) -> str | None:
    """Return where a thing is, seen from another in its row or column; ``None`` where it is in neither."""
    if one.cell[1] == two.cell[1] and one.cell[0] != two.cell[0]:
        return "to the left of" if one.cell[0] < two.cell[0] else "to the right of"
    if one.cell[0] == two.cell[0] and one.cell[1] != two.cell[1]:
        return "above" if one.cell[1] < two.cell[1] else "below"
    return None


def _short(where: str) -> str:
    return where.split()[-2] if "to" in where else where


def _color_fact(thing: Thing, wrong: str) -> Fact:
    said = [f"The {thing.what} is {color}." for color in (thing.color, wrong)]
    return Fact(f"What colour is the {thing.what}?", thing.color, wrong, said[0], said[1])


def _shape_fact(thing: Thing, wrong: str) -> Fact:
    said = [f"The {thing.color} shape is a {shape}." for shape in (thing.what, wrong)]
    return Fact(f"Which shape is {thing.color}?", thing.what, wrong, said[0], said[1])


def _where_fact(one: Thing, two: Thing, where: str) -> Fact:
    other = _OPPOSITES[where]
    said = [f"The {one.what} is {place} the {two.what}." for place in (where, other)]
    return Fact(f"Where is the {one.what}, seen from the {two.what}?", _short(where), _short(other), said[0], said[1])


def _word_fact(sign: Thing) -> Fact:
    word = sign.what.removeprefix("word:")
    one, two = next(words for words in WORDS if word in words)
    wrong = one if word == two else two
    said = [f"The word on the sign is {shown}." for shown in (word, wrong)]
    return Fact("Which word stands on the sign?", word, wrong, said[0], said[1])


def _facts(scene: Scene, rng: random.Random) -> list[Fact]:
    """Return facts about a scene, with what could be said of them."""
    things = [thing for thing in scene if not thing.what.startswith("word:")]
    found = [_word_fact(thing) for thing in scene if thing.what.startswith("word:")]
    for thing in things:
        if sum(other.what == thing.what for other in things) == 1:
            found.append(_color_fact(thing, rng.choice([color for color in COLORS if color != thing.color])))
        if sum(other.color == thing.color for other in things) == 1:
            found.append(_shape_fact(thing, rng.choice([shape for shape in SHAPES if shape != thing.what])))
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
    related = [(one, two) for one, two in itertools.permutations(alone, 2) if _where(one, two) is not None]
    if related:
        one, two = rng.choice(related)
        found.append(_where_fact(one, two, str(_where(one, two))))
    return found


def _some_facts(scene: Scene, rng: random.Random, most: int) -> list[Fact]:
    """Return some facts about a scene, its rarer ones first: counts, places and words."""
    found = _facts(scene, rng)
    rare = [fact for fact in found if fact.question.startswith(("How many", "Where is", "Which word"))]
    rest = [fact for fact in found if fact not in rare]
    rng.shuffle(rest)
    chosen = [*rare, *rest[:2]][:most]
    rng.shuffle(chosen)
    return chosen


def _ask(scene: Scene, rng: random.Random) -> Lesson:
    turns = [(fact.question, f"{fact.answer}.") for fact in _some_facts(scene, rng, 4)]
    for thing in rng.sample(scene, min(2, len(scene))):
        if not thing.what.startswith("word:") and sum(other.what == thing.what for other in scene) == 1:
            line, place = rng.choice((("column", thing.cell[0]), ("row", thing.cell[1])))
            turns.append((f"In which {line} is the {thing.what}?", f"{NUMBERS[place + 1]}."))
    rng.shuffle(turns)
    return Lesson(scene, tuple(turns))


def _check(scene: Scene, rng: random.Random) -> Lesson:
    turns = []
    for fact in _some_facts(scene, rng, 4):
        right = rng.random() < 0.5
        turns.append((fact.true if right else fact.false, "right." if right else "wrong."))
    return Lesson(scene, tuple(turns))


# -- judging ---------------------------------------------------------------------------------------------

VERDICTS = ("The first response is better.", "The second response is better.")


def _compare(row: Row, rng: random.Random, preamble: float) -> Lesson:
    """Compare two responses, in LLaVA-Critic's pairwise format; without its preamble, two pairs in one lesson."""
    scene = row["scene"]
    better = row["ranking"].index(0)
    turns = [_compared(row["question"], row["responses"], better, rng, preamble)]
    if not preamble:
        for fact in _some_facts(scene, rng, 1):
            turns.append(_compared(fact.question, (fact.true, fact.false), 0, rng, 0))
    rng.shuffle(turns)
    return Lesson(scene, tuple(turns))


def _choose(scene: Scene, rng: random.Random) -> Lesson:
    """Choose between two short answers, in the same format."""
    return Lesson(scene, _compared_facts(_some_facts(scene, rng, 2), rng))


def _compared(
    question: str, responses: tuple[str, ...], better: int, rng: random.Random, preamble: float
) -> tuple[str, str]:
    slots = rng.choice(((0, 1), (1, 0)))
    asked = _rendered("llava_critic_pairwise", question, [responses[i] for i in slots], rng, preamble)
    return asked, VERDICTS[slots.index(better)]


def _score(row: Row, rng: random.Random, preamble: float) -> Lesson:
    """Score a response, in LLaVA-Critic's pointwise format: its score, then the facts that are wrong."""
    right = {f"The {thing.what} is {thing.color}." for thing in row["scene"]}
    said = [f"{part}." for part in row["responses"][0].removesuffix(".").split(". ")]
    checked = " ".join(f"{part} {'right' if part in right else 'wrong'}." for part in said)
    asked = _rendered("llava_critic_pointwise", row["question"], row["responses"], rng, preamble)
    return Lesson(row["scene"], ((asked, f"{row['score']:.0f}\n{checked}"),))


_PROMPTS = {name: registry().prompt(name) for name in ("llava_critic_pairwise", "llava_critic_pointwise")}


def _rendered(prompt: str, question: str, responses: list[str], rng: random.Random, preamble: float) -> str:
    """Render a judge prompt with a part of what it says before the question: all of it, or its last words."""
    whole = render(_PROMPTS[prompt], question, responses)
    before, mark, rest = whole.partition("Question: [")
    words = before.split(" ")
    kept = words if preamble >= 1 else words[len(words) - rng.randint(0, round(preamble * len(words))) :]
    return " ".join(kept) + mark + rest


def all_text() -> str:
    """Return a text with every word that lessons use, for the tokenizer to learn from."""
    parts: list[str] = []
    drawn = lessons(1, {"describe": 1, "ask": 1, "check": 1, "compare": 1, "score": 1}, 1.0)
    for _ in range(4000):
        parts += [part for turn in next(drawn).turns for part in turn]
    return "\n".join(parts)


__all__ = ["GROUPS", "HELD_OUT", "Lesson", "all_text", "fact_rows", "is_held_out", "lessons", "pair_rows"]
