"""What this package takes from its surroundings. Nothing else reads environment variables or entry points."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
from functools import lru_cache
from pathlib import Path

from .registry.index import Place, Registry, package_place
from .registry.loading import RegistryError

DATA = "VLRB_DATA"
"""The variable that names a local folder to read data from, instead of the hub."""

FOLDERS = "VLRB_PATH"
"""The variable that names folders of the user's own with prompts, benchmarks and tasks, as ``PATH`` names its own."""

GROUP = "vlrb_tasks.registries"
"""The entry points by which other packages bring prompts, benchmarks and tasks."""


def mirror() -> Path | None:
    """Return the local folder that data is read from, if one is set."""
    folder = os.environ.get(DATA)
    return Path(folder) if folder else None


def processes() -> int:
    """Return how many processes judge together, as torchrun and accelerate say."""
    return int(os.environ.get("WORLD_SIZE", "1"))


def user_folders() -> list[Path]:
    """Return the folders of the user's own, the first of ``VLRB_PATH`` first."""
    parts = [part for part in os.environ.get(FOLDERS, "").split(os.pathsep) if part]
    return [Path(part).expanduser().resolve() for part in dict.fromkeys(parts)]


def add_folder(folder: Path) -> None:
    """Put a folder before all others of ``VLRB_PATH``, for this process and those that it starts."""
    own = os.environ.get(FOLDERS)
    os.environ[FOLDERS] = f"{folder.resolve()}{os.pathsep}{own}" if own else str(folder.resolve())


def registry() -> Registry:
    """Return what this package, other packages and the user's own folders hold together.

    Raises:
        RegistryError: a package's entry point is broken, or ``VLRB_PATH`` names no folder.
    """
    return _registry(tuple(user_folders()))


def refresh() -> None:
    """Forget what was read: the next ``registry()`` looks again."""
    _registry.cache_clear()


@lru_cache(maxsize=8)
def _registry(folders: tuple[Path, ...]) -> Registry:
    return Registry((package_place(), *_of_packages(), *_of_user(folders)))


def _of_packages() -> list[Place]:
    return [_place(point) for point in sorted(importlib.metadata.entry_points(group=GROUP), key=lambda p: p.name)]


def _place(point: importlib.metadata.EntryPoint) -> Place:
    """Return the place that an entry point names: a package, whose folder holds ``registry.yaml``.

    ``package:other.yaml`` names another file. The package is found, not imported.
    """
    who = f"package {point.dist.name} {point.dist.version}" if point.dist is not None else "a package"
    what = f"{who}, entry point {point.name!r} of {GROUP}"
    module, _, file = point.value.partition(":")
    try:
        spec = importlib.util.find_spec(module)
    except (ImportError, ValueError) as error:
        raise RegistryError(
            f"{what}: {module} cannot be found: {error}. Fix: repair or uninstall the package."
        ) from error
    folders = [] if spec is None else list(spec.submodule_search_locations or ())
    file = file or "registry.yaml"
    for folder in folders:
        if (Path(folder) / file).is_file():
            return Place.at(who, Path(folder), file)
    place = f"in {folders[0]}" if folders else f"since there is no package {module}"
    raise RegistryError(
        f"{what}: got {point.value!r}; expected a package whose folder holds {file}, but there is none {place}. "
        "Fix: ship the YAML files inside the package, or uninstall it."
    )


def _of_user(folders: tuple[Path, ...]) -> list[Place]:
    for folder in folders:
        if not folder.is_dir():
            raise RegistryError(f"{FOLDERS}: no folder {folder}. Fix: create it, or correct the path.")
    return [Place.at(str(folder), folder) for folder in folders]
