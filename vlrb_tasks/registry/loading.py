"""Reading YAML: from a file to a checked object, or to an error that names the file, the line and the fix."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin

import yaml
from pydantic import BaseModel, ValidationError

from .benchmarks import Benchmark
from .fields import Strict
from .prompts import Prompt

Model = TypeVar("Model", bound=BaseModel)


class RegistryError(ValueError):
    """A fault in a file of the user's: file, line and field, what was got and expected, and the fix."""


def nearest(name: str, names: Iterable[str]) -> str:
    """Return `` Did you mean NEAR?``, or nothing where no name is near."""
    close = difflib.get_close_matches(name, list(names), n=1, cutoff=0.6)
    return f" Did you mean {close[0]}?" if close else ""


def unknown(what: str, name: str, names: Iterable[str], command: str) -> RegistryError:
    """Return the error for a name that does not exist."""
    known = sorted(names)
    return RegistryError(
        f"{what}: got {name!r}; expected one of {', '.join(known)}.{nearest(name, known)} Fix: see `{command}` for what there is.",
    )


class _Loader(yaml.SafeLoader):
    """A safe loader that refuses a key that stands twice."""


def _mapping(loader: _Loader, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
    seen: dict[Any, int] = {}
    for key_node, _ in node.value:
        key = loader.construct_object(key_node, deep=True)
        line = key_node.start_mark.line + 1
        if key in seen:
            raise RegistryError(
                f"{loader.name}:{line} {key}: stands twice, first on line {seen[key]}. Fix: keep one of the two."
            )
        seen[key] = line
    return yaml.SafeLoader.construct_mapping(loader, node, deep=True)


_Loader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _mapping)
_Loader.add_multi_constructor("!function", lambda loader, suffix, node: f"!function {node.value}")


def read_yaml(path: Path) -> tuple[Any, yaml.Node | None]:
    """Return the content of a YAML file and its nodes, which know their lines.

    Raises:
        RegistryError: the file cannot be read, is no YAML, or holds a key twice.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RegistryError(
            f"{path}:1 cannot be read: {error}. Fix: check the path, and save the file as UTF-8."
        ) from error
    loader = _Loader(text)
    loader.name = str(path)
    try:
        node = loader.get_single_node()
        return (None if node is None else loader.construct_document(node)), node
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = 1 if mark is None else mark.line + 1
        raise RegistryError(
            f"{path}:{line} is no YAML: {error.problem or error}. Fix: check indentation, quotes and colons on this line."
        ) from error
    finally:
        loader.dispose()


def check(
    model: type[Model], content: Any, path: Path, node: yaml.Node | None, at: tuple[str | int, ...] = ()
) -> Model:
    """Return ``content`` as a checked object.

    Args:
        model: the schema.
        content: what the YAML holds at ``at``.
        path: the file, for the error.
        node: the nodes of the whole file, for the line.
        at: where in the file ``content`` stands.

    Raises:
        RegistryError: all faults of ``content``, one a line.
    """
    if not isinstance(content, dict):
        raise RegistryError(
            f"{path}:{line_of(node, at)} {_dotted(at)}: got {content!r}; expected a mapping (key: value). Fix: see a file beside it."
        )
    try:
        return model.model_validate(content)
    except ValidationError as error:
        raise RegistryError("\n".join(_told(fault, model, path, node, at) for fault in _meant(error))) from error


def _meant(error: ValidationError) -> list[Any]:
    """Return the faults of a value as what it was meant: where a name or fields may stand, pydantic tells it as both."""
    models = {model.__name__ for model in Strict.__subclasses__()}
    as_fields: dict[tuple[str | int, ...], list[Any]] = {}
    faults: list[Any] = []
    for fault in error.errors():
        loc = tuple(part for part in fault["loc"] if not str(part).startswith("function-"))
        at = next((i for i, part in enumerate(loc) if part in models), None)
        if at is None:
            faults.append({**fault, "loc": loc})
        else:
            as_fields.setdefault(loc[:at], []).append({**fault, "loc": (*loc[:at], *loc[at + 1 :])})
    told = [fault for fault in faults if fault["loc"] not in as_fields or not isinstance(fault["input"], dict)]
    return told + [fault for some in as_fields.values() for fault in some if fault["type"] != "model_type"]


def _told(fault: Any, model: type[BaseModel], path: Path, node: yaml.Node | None, at: tuple[str | int, ...]) -> str:
    loc = fault["loc"]
    where = f"{path}:{line_of(node, (*at, *loc))} {_dotted((*at, *loc))}"
    kind, got = fault["type"], fault["input"]
    if kind == "extra_forbidden":
        known = _fields_at(model, loc[:-1])
        return f"{where}: no such field.{nearest(str(loc[-1]), known)} Fix: use one of {', '.join(known)}."
    if kind == "missing":
        return f"{where}: missing; expected a value. Fix: add `{loc[-1]}:` here."
    expected = fault["msg"].removeprefix("Value error, ").removeprefix("Input should be ")
    expected = expected[:1].lower() + expected[1:] if not expected.startswith("'") else expected
    shown = "these fields" if isinstance(got, dict | BaseModel) else repr(got)
    hint = ""
    if kind == "literal_error" and isinstance(got, str):
        hint = nearest(got, [part.strip(" '") for part in fault["ctx"]["expected"].replace(" or ", ", ").split(",")])
    return f"{where}: got {shown}; expected {expected}.{hint} Fix: change the value on this line."


def _dotted(loc: tuple[str | int, ...]) -> str:
    return ".".join(map(str, loc)) or "file"


def _fields_at(model: type[BaseModel], loc: tuple[str | int, ...]) -> list[str]:
    """Return the fields of the model that stands at ``loc`` inside ``model``."""
    current: type[BaseModel] = model
    for part in loc:
        field = current.model_fields.get(str(part))
        inner = _model_in(field.annotation) if field is not None else None
        current = inner or current
    return list(current.model_fields)


def _model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    if get_origin(annotation) is not None:
        return next((found for arg in get_args(annotation) if (found := _model_in(arg)) is not None), None)
    return None


def line_of(node: yaml.Node | None, loc: tuple[str | int, ...]) -> int:
    """Return the line of the deepest part of ``loc`` that the file holds."""
    line = 1 if node is None else node.start_mark.line + 1
    for part in loc:
        if isinstance(node, yaml.MappingNode):
            pair = next(((key, value) for key, value in node.value if key.value == str(part)), None)
            if pair is None:
                return line
            line, node = pair[0].start_mark.line + 1, pair[1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            node = node.value[part]
            line = node.start_mark.line + 1
        else:
            return line
    return line


def load_prompt(path: Path) -> Prompt:
    """Read a judge prompt.

    Raises:
        RegistryError: the file breaks the schema, or its ``id`` is not the name of the file.
    """
    content, node = read_yaml(path)
    prompt = check(Prompt, content, path, node)
    if prompt.id != path.stem:
        raise RegistryError(
            f"{path}:{line_of(node, ('id',))} id: got {prompt.id!r}; expected {path.stem!r}, the name of the file. Fix: change one of the two."
        )
    return _with_images(prompt, path, node)


def _with_images(prompt: Prompt, path: Path, node: yaml.Node | None) -> Prompt:
    """Return a prompt whose examples name their images by whole paths."""
    examples = []
    for number, example in enumerate(prompt.examples):
        if example.image is not None:
            file = path.parent / example.image
            if not file.is_file():
                where = f"{path}:{line_of(node, ('examples', number, 'image'))} examples.{number}.image"
                raise RegistryError(
                    f"{where}: got {example.image!r}; there is no such file in {path.parent}. Fix: put the image there."
                )
            example = example.model_copy(update={"image": str(file)})
        examples.append(example)
    return prompt.model_copy(update={"examples": tuple(examples)}) if examples else prompt


def load_benchmarks(path: Path) -> dict[str, Benchmark]:
    """Read the benchmarks of a ``registry.yaml``."""
    content, node = read_yaml(path)
    if not isinstance(content, dict) or not isinstance(content.get("benchmarks"), dict):
        raise RegistryError(
            f"{path}:1 benchmarks: missing; expected a mapping from names to benchmarks. Fix: add `benchmarks:`."
        )
    extra = sorted(set(content) - {"benchmarks"})
    if extra:
        raise RegistryError(
            f"{path}:{line_of(node, (extra[0],))} {extra[0]}: no such field.{nearest(extra[0], ['benchmarks'])} Fix: use benchmarks."
        )
    return {
        name: check(Benchmark, entry, path, node, ("benchmarks", name)) for name, entry in content["benchmarks"].items()
    }
