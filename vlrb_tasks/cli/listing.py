"""``vlrb list`` and ``vlrb show``."""

from __future__ import annotations

from pathlib import Path

from ..environment import registry
from ..registry.benchmarks import Benchmark
from ..registry.index import Registry
from ..registry.loading import unknown
from ..report.table import aligned, published_table


def listing() -> str:
    """Return the tasks, benchmarks and prompts there are, and where they come from if there are several places."""
    known = registry()
    several = len(known.places) > 1

    def row(path: Path, *cells: str) -> tuple[str, ...]:
        return (*cells, known.place_of(path).name) if several else cells

    where = ("From",) if several else ()
    tasks = [("Task", "Benchmark", "Prompt", "Draws", "Order", *where)]
    for name, path in known.task_files.items():
        config = known.task(name)
        benchmark, entry = known.benchmark_of(config, name)
        tasks.append(row(path, name, benchmark, config.prompt or entry.prompt, str(config.draws), config.order))
    benchmarks = [("Benchmark", "Data set", "Licence", "Domains", *where)]
    for name, entry in known.benchmarks.items():
        domains = ", ".join(entry.groups.order) or entry.groups.column or "-"
        benchmarks.append(row(known.benchmark_file(name), name, _data_set(entry), entry.dataset.license, domains))
    prompts = [("Prompt", "Version", "Mode", "Description", *where)]
    for name, path in known.prompt_files.items():
        prompt = known.prompt(name)
        prompts.append(row(path, name, str(prompt.version), prompt.mode, prompt.description))
    return "\n\n".join(aligned(rows, left=True) for rows in (tasks, benchmarks, prompts))


def details(name: str) -> str:
    """Return everything about a task, a benchmark or a prompt; all three where they share the name."""
    known = registry()
    parts = []
    if name in known.task_files:
        parts.append(_file("Task", name, known.task_files[name]))
    if name in known.benchmarks:
        parts.append(_benchmark(name, known))
    if name in known.prompt_files:
        known.prompt(name)  # a fault is told before the file is shown
        parts.append(_file("Prompt", name, known.prompt_files[name]))
    if not parts:
        raise unknown("name", name, {*known.task_files, *known.benchmarks, *known.prompt_files}, "vlrb list")
    return "\n".join(parts).rstrip()


def _file(what: str, name: str, path: Path) -> str:
    return f"{what} {name} ({path})\n\n{path.read_text(encoding='utf-8')}"


def _benchmark(name: str, known: Registry) -> str:
    entry = known.benchmark(name)
    facts = [f"Benchmark {name}: {entry.title}", "", entry.description, ""]
    facts += [f"{key}: {value}" for key, value in entry.source.model_dump(exclude_none=True).items()]
    facts += [
        f"data set: {_data_set(entry)}, {entry.dataset.file or f'split {entry.dataset.split}'}",
        f"domains: {', '.join(entry.groups.order) or entry.groups.column or '-'}",
        f"prompt: {entry.prompt}; others of its mode: {', '.join(p for p in known.prompts_for(entry) if p != entry.prompt)}",
    ]
    return "\n".join([*facts, "", published_table(entry)]).rstrip() + "\n"


def _data_set(entry: Benchmark) -> str:
    return entry.dataset.hub or entry.dataset.path or "drawn by this package"
