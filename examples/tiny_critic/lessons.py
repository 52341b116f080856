"""What the tiny critic is taught: conversations about drawn scenes, from describing them to judging responses.

A lesson is one picture and a few turns of question and answer about it. Lessons are drawn from a seed; none of
the scenes that ``vlrb_scenes`` is made of is among them, nor any with a combination of shape and colour that is
held out.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from facts import (
    HELD_OUT,
    Fact,
    direction,
    direction_fact,
    is_held_out,
    name_of,
    shapes_of,
    small_facts,
    some_facts,
    word_fact,
)

from vlrb_tasks.data.fact_scenes import QUESTION as FACTS_QUESTION
from vlrb_tasks.data.fact_scenes import scored_rows
from vlrb_tasks.data.scenes import COLORS, NUMBERS, SHAPES, WORDS, Scene, Thing, scene_rows, shuffled_cells
from vlrb_tasks.environment import registry
from vlrb_tasks.registry.rendering import render

HELD_OUT_SEED = 999
"""The seed of lessons that are only asked about, never taught."""


@dataclass(frozen=True)
class Lesson:
    """A picture, and turns of what is asked about it and the right answer."""

    scene: Scene
    turns: tuple[tuple[str, str], ...]


Kind = str
Row = dict


KEPT = {"spatial": 1.0, "text": 1.0, "existence": 0.6, "counting": 0.4, "recognition": 0.25, "attribute": 0.25}
"""How many of the pairs of a group are kept: what is hard to learn comes more often."""


def pair_rows(seed: int) -> Iterator[Row]:
    """Give pairs of responses without end, as ``vlrb_scenes`` makes them; ``seed`` 0 is the benchmark's own."""
    if seed < 1:
        raise ValueError(f"seed: got {seed}; expected 1 or more, since 0 is what the benchmark is drawn from")
    part = 0
    while True:
        rows = scene_rows(120, seed=seed * 1_000_000 + part)
        # Where one twin is left out, so is the other: a response about it would always be wrong.
        left_out = {_twins(row) for row in rows if is_held_out(row["scene"])}
        rng = random.Random(f"lessons/{seed}/{part}")
        rng.shuffle(rows)
        for row in rows:
            if _twins(row) not in left_out and rng.random() < KEPT[row["id"].partition("-")[0]]:
                yield row
        part += 1


def _twins(row: Row) -> str:
    return str(row["id"])[:-1]


def fact_rows(seed: int) -> Iterator[Row]:
    """Give responses with their scores without end, as ``vlrb_scenes_pointwise`` makes them."""
    part = 0
    while True:
        for row in scored_rows(50, seed=seed * 1_000_000 + part):
            said = any(f"The {shape} is {color}." in row["responses"][0] for shape, color in HELD_OUT)
            if not said and not is_held_out(row["scene"]):
                yield row
        part += 1


def lessons(
    seed: int, mixture: Mapping[Kind, float], preamble: float = 0.0, things: Sequence[int] = (1, 1, 2, 3)
) -> Iterator[Lesson]:
    """Give lessons without end.

    Args:
        seed: 1 or more.
        mixture: how often each kind of lesson comes.
        preamble: how much of what the judge prompts say before the question is shown, from 0 to 1: up to so much of
            its end, or, every other time, all of it; at 0 nothing.
        things: how many things small scenes show, each of these as often.
    """
    rng = random.Random(f"lessons/{seed}")
    pairs, facts = pair_rows(seed), fact_rows(seed)
    kinds, weights = list(mixture), list(mixture.values())
    makers: dict[Kind, Callable[[], Lesson]] = {
        "glance": lambda: _glance(_small_scene(rng, things), rng),
        "find": lambda: _find(_small_scene(rng, things), rng),
        "locate": lambda: _locate(_small_scene(rng, things), rng),
        "told": lambda: _told(_small_scene(rng, things), rng),
        "repeat": lambda: _repeat(_small_scene(rng, things), rng),
        "pick": lambda: _pick(_small_scene(rng, things), rng),
        "place": lambda: _place(_small_scene(rng, things), rng),
        "relate": lambda: _relate(rng),
        "read": lambda: _read(rng),
        "describe": lambda: _describe(next(pairs)["scene"] if rng.random() < 0.7 else next(facts)["scene"]),
        "ask": lambda: _ask(next(pairs)["scene"], rng),
        "check": lambda: _check(next(pairs)["scene"], rng),
        "choose": lambda: _choose(next(pairs)["scene"], rng),
        "compare": lambda: _compare(next(pairs), rng, preamble),
        "score": lambda: _score(next(facts), rng, preamble),
        "grade": lambda: _grade(next(pairs), rng, preamble),
        "rate": lambda: _rate(_small_scene(rng, things), rng),
    }
    while True:
        yield makers[rng.choices(kinds, weights)[0]]()


# -- looking ---------------------------------------------------------------------------------------------


def _describe(scene: Scene) -> Lesson:
    """Name everything in a picture, row by row."""
    names = [name_of(thing) for thing in sorted(scene, key=lambda thing: (thing.cell[1], thing.cell[0]))]
    return Lesson(scene, (("Describe the picture.", f"The picture shows {', '.join(names)}."),))


def _small_scene(rng: random.Random, things: Sequence[int]) -> Scene:
    """Draw a few things of different shapes and colours, or a sign."""
    if rng.random() < 0.2:
        return (Thing(f"word:{rng.choice(rng.choice(WORDS))}", "black", (0, 1)),)
    while True:
        count = rng.choice(things)
        cells = shuffled_cells(rng)
        shapes, colors = rng.sample(SHAPES, count), rng.sample(sorted(COLORS), count)
        scene = tuple(Thing(shape, color, next(cells)) for shape, color in zip(shapes, colors, strict=True))
        if not is_held_out(scene):
            return scene


def _glance(scene: Scene, rng: random.Random) -> Lesson:
    """Describe a small scene, and say what colour, shape and place its things have."""
    facts = small_facts(scene, rng)
    turns = [_describe(scene).turns[0], *((fact.question, f"{fact.answer}.") for fact in facts)]
    return Lesson(scene, tuple(rng.sample(turns, min(4, len(turns)))))


def _find(scene: Scene, rng: random.Random) -> Lesson:
    """Say what colour and place things have that are told apart by their shapes."""
    turns = []
    for thing in rng.sample(scene, len(scene)):
        if thing.what.startswith("word:"):
            turns.append((word_fact(thing).question, f"{word_fact(thing).answer}."))
            continue
        asked = rng.randrange(4)
        if asked < 2:
            turns.append((f"What colour is the {thing.what}?", f"{thing.color}."))
        else:
            line, place = ("column", thing.cell[0]) if asked == 2 else ("row", thing.cell[1])
            turns.append((f"In which {line} is the {thing.what}?", f"{NUMBERS[place + 1]}."))
    return Lesson(scene, tuple(turns))


def _locate(scene: Scene, rng: random.Random) -> Lesson:
    """Say in which row and column things are that are told apart by their shapes.

    Asked in the words that colours are asked in: how a thing is found by its shape carries over. Asked otherwise,
    places stay unknown for thousands of steps where a picture shows several things.
    """
    turns = [
        (f"What {line} is the {thing.what}?", f"{NUMBERS[place + 1]}.")
        for thing in shapes_of(scene)
        for line, place in zip(("column", "row"), thing.cell, strict=True)
    ]
    return Lesson(scene, tuple(rng.sample(turns, len(turns)))) if turns else _find(scene, rng)


def _repeat(scene: Scene, rng: random.Random) -> Lesson:
    """Repeat the first response or the second, or tell which of them says something: what stands in which slot."""
    turns = []
    for fact in rng.sample(facts := small_facts(scene, rng), min(2, len(facts))):
        pair = rng.sample((fact.true, fact.false), 2)
        slot = rng.randint(0, 1)
        asked = _rendered("llava_critic_pairwise", fact.question, pair, rng, 0).removesuffix("ASSISTANT:").rstrip()
        word = ("first", "second")[slot]
        if rng.random() < 0.6:
            turns.append((f"{asked} Repeat the {word} response.", pair[slot]))
        else:
            turns.append((f"{asked} Which response says: {pair[slot]}", f"The {word} response."))
    return Lesson(scene, tuple(turns))


def _told(scene: Scene, rng: random.Random) -> Lesson:
    """Answer a question, then find the response that agrees: matching comes before looking."""
    facts = small_facts(scene, rng)
    turns = []
    for fact in rng.sample(facts, min(3, len(facts))):
        turns += [(fact.question, f"{fact.answer}."), _compared_fact(fact, (), rng)]
    return Lesson(scene, tuple(turns))


def _pick(scene: Scene, rng: random.Random) -> Lesson:
    """Choose between two responses about a small scene, in the format of comparisons."""
    facts = small_facts(scene, rng)
    return Lesson(scene, tuple(_compared_fact(fact, scene, rng) for fact in rng.sample(facts, min(2, len(facts)))))


def _place(scene: Scene, rng: random.Random) -> Lesson:
    """Say where one thing is, seen from another, and choose between two responses about it; every other time after it
    was said in which columns or rows the two are.
    """
    while not (related := [pair for pair in itertools.permutations(scene, 2) if direction(*pair) is not None]):
        scene = _in_line(rng, 2)
    one, two = rng.choice(related)
    fact = direction_fact(one, two, str(direction(one, two)))
    turns = []
    if rng.random() < 0.5:
        line, axis = ("column", 0) if one.cell[1] == two.cell[1] else ("row", 1)
        for thing in rng.sample((one, two), 2):
            turns.append((f"What {line} is the {thing.what}?", f"{NUMBERS[thing.cell[axis] + 1]}."))
    if rng.random() < 0.7:
        turns.append((fact.question, f"{fact.answer}."))
    if rng.random() < 0.7 or not turns:
        turns.append(_compared_fact(fact, scene, rng))
    return Lesson(scene, tuple(turns))


def _in_line(rng: random.Random, count: int) -> Scene:
    """Draw things in one row or column; nothing where they would be held out."""
    shapes, colors = rng.sample(SHAPES, count), rng.sample(sorted(COLORS), count)
    across, places, turned = rng.randrange(4), rng.sample(range(4), count), rng.random() < 0.5
    cells = [(across, place) if turned else (place, across) for place in places]
    scene = tuple(Thing(shape, color, cell) for shape, color, cell in zip(shapes, colors, cells, strict=True))
    return () if is_held_out(scene) else scene


def _relate(rng: random.Random) -> Lesson:
    """Say of several things in one row or column where one is, seen from another, and nothing else."""
    while not (scene := _in_line(rng, rng.choice((2, 2, 3, 4)))):
        pass
    turns = []
    for pair in itertools.combinations(scene, 2):
        one, two = rng.sample(pair, 2)
        fact = direction_fact(one, two, str(direction(one, two)))
        turns.append((fact.question, f"{fact.answer}."))
    return Lesson(scene, tuple(rng.sample(turns, min(4, len(turns)))))


def _read(rng: random.Random) -> Lesson:
    """Read a sign among other things, and choose between two responses about it."""
    sign = Thing(f"word:{rng.choice(rng.choice(WORDS))}", "black", (0, 1))
    cells = iter([cell for cell in shuffled_cells(rng) if cell[1] != 1])
    pairs = [(s, c) for s in SHAPES for c in COLORS if (s, c) not in HELD_OUT]
    scene = (sign, *(Thing(*rng.choice(pairs), next(cells)) for _ in range(rng.choice((0, 0, 1, 3)))))
    fact = word_fact(sign)
    turns = [_compared_fact(fact, scene, rng)]
    if rng.random() < 0.5:
        turns.insert(0, (fact.question, f"{fact.answer}."))
    return Lesson(scene, tuple(turns))


def _compared_fact(fact: Fact, scene: Scene, rng: random.Random) -> tuple[str, str]:
    """Compare two short answers, or two sentences, or two sentences after one about ``scene`` that is true of it."""
    if rng.random() < 0.4:
        return _compared(fact.question, (f" {fact.answer}.", f" {fact.wrong}."), 0, rng, 0)
    pair, said = (fact.true, fact.false), f"{fact.question} {fact.true}"
    others = [thing for thing in shapes_of(scene) if thing.what not in said and thing.color not in said]
    if others and rng.random() < 0.5:
        beside = f"There is {name_of(rng.choice(others))} in the picture."
        pair = (f"{beside} {fact.true}", f"{beside} {fact.false}")
    return _compared(fact.question, pair, 0, rng, 0)


def _ask(scene: Scene, rng: random.Random) -> Lesson:
    turns = [(fact.question, f"{fact.answer}.") for fact in some_facts(scene, rng, 4)]
    for thing in rng.sample(scene, min(2, len(scene))):
        if not thing.what.startswith("word:") and sum(other.what == thing.what for other in scene) == 1:
            line, place = rng.choice((("column", thing.cell[0]), ("row", thing.cell[1])))
            turns.append((f"In which {line} is the {thing.what}?", f"{NUMBERS[place + 1]}."))
    rng.shuffle(turns)
    return Lesson(scene, tuple(turns))


def _check(scene: Scene, rng: random.Random) -> Lesson:
    turns = []
    for fact in some_facts(scene, rng, 4):
        right = rng.random() < 0.5
        turns.append((fact.true if right else fact.false, "right." if right else "wrong."))
    return Lesson(scene, tuple(turns))


# -- judging ---------------------------------------------------------------------------------------------

VERDICTS = ("The first response is better.", "The second response is better.")


def _compare(row: Row, rng: random.Random, preamble: float) -> Lesson:
    """Compare two responses, in LLaVA-Critic's pairwise format; without its preamble, two pairs in one lesson."""
    scene = row["scene"]
    turns = [_compared(row["question"], row["responses"], row["ranking"].index(0), rng, preamble)]
    if not preamble:
        turns += [_compared_fact(fact, scene, rng) for fact in some_facts(scene, rng, 1)]
    rng.shuffle(turns)
    return Lesson(scene, tuple(turns))


def _choose(scene: Scene, rng: random.Random) -> Lesson:
    """Choose between two responses about a scene of the benchmark's kind."""
    return Lesson(scene, tuple(_compared_fact(fact, scene, rng) for fact in some_facts(scene, rng, 2)))


def _compared(
    question: str, responses: tuple[str, ...], better: int, rng: random.Random, preamble: float
) -> tuple[str, str]:
    slots = rng.choice(((0, 1), (1, 0)))
    asked = _rendered("llava_critic_pairwise", question, [responses[i] for i in slots], rng, preamble)
    return asked, f"{VERDICTS[slots.index(better)]} {_reason(responses[better], responses[1 - better])}"


def _reason(better: str, worse: str) -> str:
    """Return what the better response says and the worse one does not."""
    return " ".join(said for said in _sentences(better) if said not in worse)


def _sentences(text: str) -> list[str]:
    return [f"{said}." for said in text.strip().removesuffix(".").split(". ")]


def _score(row: Row, rng: random.Random, preamble: float) -> Lesson:
    """Score a response to ``vlrb_scenes_pointwise``'s question."""
    right = {f"The {thing.what} is {thing.color}." for thing in row["scene"]}
    checked = {said: said in right for said in _sentences(row["responses"][0])}
    return Lesson(row["scene"], (_scored(row["question"], checked, rng, preamble),))


def _grade(row: Row, rng: random.Random, preamble: float) -> Lesson:
    """Score one of the two responses of a comparison: all of the better one is right, and of the worse one what the
    other says, too.
    """
    better, worse = (row["responses"][row["ranking"].index(rank)] for rank in (0, 1))
    said = rng.choice((better, worse))
    checked = {part: said == better or part in better for part in _sentences(said)}
    return Lesson(row["scene"], (_scored(row["question"], checked, rng, preamble),))


def _rate(scene: Scene, rng: random.Random) -> Lesson:
    """Score responses about a small scene: one fact, then all colours."""
    facts = [fact for fact in small_facts(scene, rng) if fact.true.startswith("The ")]
    turns = []
    for count in (1, 2, 4):
        if len(facts) < count:
            break
        colors = [fact for fact in facts if fact.question.startswith("What colour")]
        some = rng.sample(colors if count > 1 and len(colors) >= count else facts, count)
        checked = {fact.true if (right := rng.random() < 0.5) else fact.false: right for fact in some}
        turns.append(_scored(some[0].question if count == 1 else FACTS_QUESTION, checked, rng, 0))
    rng.shuffle(turns)
    return Lesson(scene, tuple(turns[:2]))


def _scored(question: str, checked: Mapping[str, bool], rng: random.Random, preamble: float) -> tuple[str, str]:
    """Score a response, in LLaVA-Critic's pointwise format: how many of its sentences are right, then which."""
    asked = _rendered("llava_critic_pointwise", question, [" ".join(checked)], rng, preamble)
    reasons = " ".join(f"{said[:-1]}: {'right' if right else 'wrong'}." for said, right in checked.items())
    return asked, f"{100 * sum(checked.values()) / len(checked):.0f}\n{reasons}"


_PROMPTS = {name: registry().prompt(name) for name in ("llava_critic_pairwise", "llava_critic_pointwise")}


def _rendered(prompt: str, question: str, responses: list[str], rng: random.Random, preamble: float) -> str:
    """Render a judge prompt with a part of what it says before the question: its last words, or none, or all."""
    whole = render(_PROMPTS[prompt], question, responses)
    before, mark, rest = whole.partition("Question: [")
    words = before.split(" ")
    shown = rng.randint(0, round(preamble * len(words)))
    if preamble and rng.random() < 0.5:
        shown = len(words)
    return " ".join(words[len(words) - shown :]) + mark + rest


def all_text() -> str:
    """Return a text with every word that lessons use, for the tokenizer to learn from."""
    parts: list[str] = []
    kinds = ("describe", "ask", "check", "choose", "locate", "relate", "compare", "score", "rate")
    drawn = lessons(1, dict.fromkeys(kinds, 1.0), 1.0)
    for _ in range(4000):
        parts += [part for turn in next(drawn).turns for part in turn]
    return "\n".join(parts)
