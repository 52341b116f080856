"""Building: the parts of a recipe, streamed, put into words, held against the evaluations, and written."""

from __future__ import annotations

import io
import json
import math
import random
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any

from PIL import Image

from ..data.rows import DataError
from ..data.streams import Stream, hub_stream, local_stream
from ..registry.index import Registry
from .cells import CellError
from .judgments import Judgment, judgments
from .overlap import Held, digest, held_out, picture_digest, plain
from .recipe import Part, Place, Recipe
from .teacher import read_teacher
from .templates import pair_templates
from .wording import Record, pair_records, pointwise_record

RECORDS, CONVERSATIONS, PICTURES = "train.jsonl", "llava.json", "images"
_FAULTS_SHOWN = 3


class BuildError(ValueError):
    """Critic data cannot be built."""


@dataclass
class PartCount:
    """What became of a part.

    Attributes:
        where: what was read.
        rows: how many rows were.
        written: how many records were.
        left_out: how many judgments were not, by reason.
        outcomes: of the records: ``first``, ``second``, ``tie``, or the score by tens.
        prompts: of the records.
        with_reasons: how many records have reasons.
        lengths: of the answers, in characters.
        faults: the first rows that did not hold what the recipe says.
    """

    where: str = ""
    rows: int = 0
    written: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    outcomes: Counter[str] = field(default_factory=Counter)
    prompts: Counter[str] = field(default_factory=Counter)
    with_reasons: int = 0
    lengths: list[int] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


@dataclass
class Built:
    """Critic data as it was written: counts by part, and a record of each part to look at."""

    recipe: Recipe
    parts: dict[str, PartCount]
    shown: dict[str, Record]
    held: int
    unopened: int
    pictures: int = 0


def build(
    recipe: Recipe, root: Path, output: Path, registry: Registry, mirror: Path | None = None, limit: int | None = None
) -> Built:
    """Build critic data into a new folder: records for TRL, the same for LLaVA, and the pictures.

    Args:
        recipe: what to build.
        root: the folder that local paths of the recipe begin at.
        output: a folder that is new or empty.
        registry: the judge prompts and the evaluations.
        mirror: a local folder to read hub data from.
        limit: at most so many records a part, to try a recipe.

    Raises:
        BuildError: the folder is not empty, a part gave nothing, or more pictures are missing than the recipe bears.
        DataError: a source or an evaluation cannot be read.
        RegistryError: a prompt is unknown or cannot be rendered.
    """
    if output.exists() and any(output.iterdir()):
        raise BuildError(f"{output}: is not empty. Fix: name another folder, or empty it.")
    for name, part in recipe.parts.items():
        for prompt in part.prompts:
            if registry.prompt(prompt).mode != "pointwise":
                raise BuildError(
                    f"parts.{name}.prompts: {prompt} is no prompt that scores. Fix: name prompts of mode pointwise."
                )
    held = held_out(recipe.overlap, registry, mirror, recipe.images == "copy")
    output.mkdir(parents=True, exist_ok=True)
    built = Built(recipe, {name: PartCount() for name in recipe.parts}, {}, len(held), held.unopened)
    with ExitStack() as open_files:
        writer = _Writer(output, recipe.images == "copy", open_files)
        seen: set[bytes] = set()
        for name, part in recipe.parts.items():
            stream = _stream(part.source, root, mirror)
            _build_part(name, part, stream, built, writer, held, seen, registry, root, limit)
        built.pictures = len(writer.pictures)
    return built


def _stream(place: Place, root: Path, mirror: Path | None) -> Stream:
    if place.hub is not None:
        return hub_stream(place.hub, place.name, place.split, place.revision, mirror)
    assert place.path is not None
    images = None if place.images is None else root / place.images
    return local_stream(root / place.path, place.split, images)


def _build_part(
    name: str,
    part: Part,
    stream: Stream,
    built: Built,
    writer: _Writer,
    held: Held,
    seen: set[bytes],
    registry: Registry,
    root: Path,
    limit: int | None,
) -> None:
    count = built.parts[name]
    count.where = stream.where
    most = min((n for n in (part.keep, limit) if n is not None), default=None)
    teacher = None if part.reasons.log is None else read_teacher(root / part.reasons.log, registry)
    prompts = [registry.prompt(prompt) for prompt in part.prompts]
    kinds: Counter[str] = Counter()
    missing = 0

    def leave_out(why: str) -> None:
        count.left_out[why] += 1

    for judgment in _judgments(name, part, stream, built.recipe.seed, count):
        if most is not None and count.written >= most:
            break
        if any(not text.strip() for text in judgment.responses) or not judgment.question.strip():
            leave_out("empty question or response")
            continue
        if judgment.verdict is not None and plain(judgment.responses[0]) == plain(judgment.responses[1]):
            leave_out("the same response twice")
            continue
        key = digest(" / ".join([part.mode, judgment.question, *sorted(judgment.responses), _named(judgment.image)]))
        if key in seen:
            leave_out("duplicate")
            continue
        overlap = held.found(judgment)
        if overlap is not None:
            leave_out(f"overlap with an evaluation: {overlap}")
            continue
        if (
            judgment.verdict == "tie"
            and part.cells.kind == "scores"
            and kinds["tie"] >= _ties_allowed(kinds, part.ties)
        ):
            leave_out("tie above the share")
            continue
        picture: Image.Image | None = None
        if writer.copies and judgment.image is not None:
            try:
                picture = stream.picture(judgment.image)
            except OSError as error:
                missing += 1
                leave_out("picture missing")
                if missing > built.recipe.missing * (count.written + missing + 100):
                    raise DataError(
                        f"parts.{name}: {judgment.id}: picture cannot be opened: {error}. Fix: set source.images, put the pictures there, "
                        "bear a share of them missing (`missing: 0.05`), or write paths alone (`images: path`)."
                    ) from error
                continue
            if held.has_picture(picture_digest(picture)):
                leave_out("overlap with an evaluation: picture")
                continue
        seen.add(key)
        kinds["tie" if judgment.verdict == "tie" else "decided"] += 1
        rng = random.Random(f"{built.recipe.seed}/{name}/{judgment.id}")
        if teacher is not None:
            taught = teacher.reasons(judgment)
            if taught is None:
                leave_out("reasons: the teacher gave none that agree")
            else:
                judgment = replace(judgment, reasons=taught.reasons, labels=taught.labels)
        if part.mode == "pointwise":
            records = [pointwise_record(judgment, part, name, rng.choice(prompts), leave_out)]
        else:
            records = pair_records(judgment, part, name, pair_templates(), rng, leave_out)
        for record in records:
            if most is not None and count.written >= most:
                break
            writer.write(record, picture, f"{name}-{count.written:06d}")
            built.shown.setdefault(name, record)
            count.written += 1
            count.outcomes[_bin(record.outcome)] += 1
            count.prompts[record.prompt] += 1
            count.with_reasons += "\n" in record.answer
            count.lengths.append(len(record.answer))
    if not count.written:
        told = (
            "; ".join(count.faults) or ", ".join(f"{why} {n}" for why, n in count.left_out.most_common()) or "no rows"
        )
        raise BuildError(
            f"parts.{name}: gave no record out of {count.rows:,} rows of {stream.where}: {told}. Fix: check `cells` and the source."
        )


def _judgments(name: str, part: Part, stream: Stream, seed: int, count: PartCount) -> Iterator[Judgment]:
    for number, row in enumerate(stream.rows):
        count.rows += 1
        rng = random.Random(f"{seed}/{name}/pairs/{number}")
        try:
            yield from judgments(row, part, str(number), rng)
        except CellError as error:
            count.left_out["row that does not hold what the recipe says"] += 1
            if len(count.faults) < _FAULTS_SHOWN:
                count.faults.append(f"row {number}: {error}")


def _ties_allowed(kinds: Counter[str], share: float | str) -> float:
    """Return how many ties the share allows beside what is decided so far."""
    return math.inf if isinstance(share, str) else share / (1 - share) * kinds["decided"]


def _named(image: Any) -> str:
    """Return what tells one picture of the source from another, without opening it: its path, or a hash of its bytes."""
    image = _one(image)
    data = image.get("bytes") if isinstance(image, dict) else image
    return _path(image) or (digest(data.hex()).hex() if isinstance(data, bytes) else "")


def _path(image: Any) -> str:
    """Return the path that the source names a picture by; nothing where it has none."""
    image = _one(image)
    path = image.get("path") if isinstance(image, dict) else image
    return path if isinstance(path, str) else ""


def _one(image: Any) -> Any:
    return (image[0] if image else None) if isinstance(image, list) else image


def _bin(outcome: str) -> str:
    if outcome in ("first", "second", "tie"):
        return outcome
    low = min(int(outcome) // 10 * 10, 90)
    return f"{low}-{low + 10 if low == 90 else low + 9}"


class _Writer:
    """The files of the data. Each picture is written once, under a name made of its pixels."""

    def __init__(self, output: Path, copies: bool, files: ExitStack) -> None:
        self.copies, self._output = copies, output
        self.pictures: set[str] = set()
        self._records = files.enter_context((output / RECORDS).open("w", encoding="utf-8"))
        self._llava = files.enter_context((output / CONVERSATIONS).open("w", encoding="utf-8"))
        self._first = True
        self._llava.write("[")
        files.callback(self._end, self._llava)
        if copies:
            (output / PICTURES).mkdir()

    @staticmethod
    def _end(llava: IO[str]) -> None:
        llava.write("\n]\n")

    def write(self, record: Record, picture: Image.Image | None, id: str) -> None:
        """Write a record in both forms."""
        image = self._picture(record.judgment.image, picture)
        text = {"type": "text", "text": record.asked}
        said = [{"type": "image"}, text] if image else [text]
        facts = {
            "id": id,
            "source": record.part,
            "row": record.judgment.id,
            "judge_prompt": record.prompt,
            "outcome": record.outcome,
        }
        line = {
            "images": [image] if image else [],
            "prompt": [{"role": "user", "content": said}],
            "completion": [{"role": "assistant", "content": [{"type": "text", "text": record.answer}]}],
            **facts,
        }
        self._records.write(json.dumps(line, ensure_ascii=False) + "\n")
        human = f"<image>\n{record.asked}" if image else record.asked
        turns = [{"from": "human", "value": human}, {"from": "gpt", "value": record.answer}]
        conversation = {"id": id, **({"image": image} if image else {}), "conversations": turns}
        self._llava.write(("\n" if self._first else ",\n") + json.dumps(conversation, ensure_ascii=False))
        self._first = False

    def _picture(self, cell: Any, picture: Image.Image | None) -> str:
        if picture is None:
            return "" if self.copies else _path(cell)
        name = f"{picture_digest(picture).hex()}.png"
        if name not in self.pictures:
            data = io.BytesIO()
            picture.save(data, "PNG")
            (self._output / PICTURES / name).write_bytes(data.getvalue())
            self.pictures.add(name)
        return f"{PICTURES}/{name}"
