"""``vlrb list`` and ``vlrb show``."""

from __future__ import annotations

from ..registry.index import benchmark_of, package_registry, task_config, task_files
from ..registry.loading import unknown
from ..report.table import aligned, published_table


def listing() -> str:
    """Return the tasks, benchmarks and prompts there are."""
    registry = package_registry()
    tasks = [("Task", "Benchmark", "Prompt", "Draws", "Order")]
    for name in task_files():
        config = task_config(name)
        benchmark, entry = benchmark_of(config, name, registry)
        tasks.append(
            (
                name,
                benchmark,
                config.prompt or entry.prompt,
                str(config.draws),
                config.order,
            )
        )
    benchmarks = [("Benchmark", "Data set", "Licence", "Domains")]
    for name, entry in registry.benchmarks.items():
        benchmarks.append(
            (
                name,
                entry.dataset.hub or entry.dataset.path or "drawn by this package",
                entry.dataset.license,
                ", ".join(entry.groups.order) or entry.groups.column or "-",
            )
        )
    prompts = [("Prompt", "Version", "Mode", "Description")]
    for name in registry.prompt_files:
        prompt = registry.prompt(name)
        prompts.append((name, str(prompt.version), prompt.mode, prompt.description))
    return "\n\n".join(aligned(rows, left=True) for rows in (tasks, benchmarks, prompts))


def details(name: str) -> str:
    """Return everything about a task, a benchmark or a prompt; all three where they share the name."""
    registry = package_registry()
    parts = []
    if name in task_files():
        parts.append(f"Task {name} ({task_files()[name]})\n\n{task_files()[name].read_text(encoding='utf-8')}")
    if name in registry.benchmarks:
        entry = registry.benchmark(name)
        facts = [f"Benchmark {name}: {entry.title}", "", entry.description, ""]
        facts += [f"{key}: {value}" for key, value in entry.source.model_dump(exclude_none=True).items()]
        facts += [
            f"data set: {entry.dataset.hub or entry.dataset.path or 'drawn by this package'}, split {entry.dataset.split}",
            f"domains: {', '.join(entry.groups.order)}",
            f"prompt: {entry.prompt}",
        ]
        parts.append("\n".join([*facts, "", published_table(entry)]).rstrip() + "\n")
    if name in registry.prompt_files:
        path = registry.prompt_files[name]
        registry.prompt(name)  # a fault is told before the file is shown
        parts.append(f"Prompt {name} ({path})\n\n{path.read_text(encoding='utf-8')}")
    if not parts:
        raise unknown("name", name, {*task_files(), *registry.benchmarks, *registry.prompt_files}, "vlrb list")
    return "\n".join(parts).rstrip()
