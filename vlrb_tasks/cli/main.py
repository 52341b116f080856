"""The command ``vlrb``."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from .. import __version__
from ..registry.loading import RegistryError

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Prompts and votes of judge benchmarks. Judging itself is done by lmms-eval: lmms-eval --tasks vlrewardbench --model ...",
)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"vlrb-tasks {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and end.")
    ] = False,
) -> None:
    pass


@app.command("list")
def list_command() -> None:
    """List tasks, benchmarks and judge prompts.

    Example: vlrb list
    """
    from .listing import listing

    print(listing())


@app.command()
def show(name: Annotated[str, typer.Argument(help="A task, a benchmark or a prompt.")]) -> None:
    """Show a task, a benchmark or a judge prompt in full.

    Example: vlrb show vlrewardbench
    """
    from .listing import details

    print(details(name))


@app.command()
def path() -> None:
    """Print the folder of the task files, for lmms-eval's --include_path.

    Example: lmms-eval --include_path "$(vlrb path)" --tasks vlrewardbench ...
    """
    from ..registry.index import task_folder

    print(task_folder())


@app.command()
def render(
    task: Annotated[str, typer.Argument(help="A task, such as vlrewardbench or vlrb_scenes.")],
    item: Annotated[int, typer.Option(help="The number of the item, from 0.")] = 0,
    id: Annotated[str | None, typer.Option(help="The id of the item, instead of its number.")] = None,
    draw: Annotated[int, typer.Option(help="The draw, from 0: it decides the order of the responses.")] = 0,
    prompt: Annotated[str | None, typer.Option(help="Another judge prompt than the task's own.")] = None,
    data: Annotated[Path | None, typer.Option(help="A local folder with the data set; VLRB_DATA if left out.")] = None,
    save_images: Annotated[
        Path | None, typer.Option(help="Write the item's images into this folder, as the model gets them.")
    ] = None,
) -> None:
    """Print one item through one prompt, as the model would see it.

    Example: vlrb render vlrb_scenes --item 3 --draw 1
    """
    from .render import rendered

    print(rendered(task, item, id, draw, prompt, data or _mirror(), save_images), end="")


def _mirror() -> Path | None:
    folder = os.environ.get("VLRB_DATA")
    return Path(folder) if folder else None


@app.command()
def validate(
    files: Annotated[
        list[Path] | None, typer.Argument(help="Prompt files; all YAML of this package if left out.")
    ] = None,
) -> None:
    """Check YAML files: fields, templates, and that every case is read as it says.

    Exit code 0: all fine. 1: a fault was found.

    Example: vlrb validate my_prompt.yaml
    """
    from ..registry.index import package_registry
    from ..registry.validation import validate_all, validate_prompt

    checked = [validate_prompt(file) for file in files] if files else validate_all(package_registry())
    for one in checked:
        print(f"{'ok    ' if not one.faults else 'FAULT '} {one.what}")
        for fault in one.faults:
            print(f"       {fault}")
    faults = sum(len(one.faults) for one in checked)
    print(f"{len(checked)} checked, {faults} faults")
    if faults:
        raise typer.Exit(1)


@app.command()
def parse(
    file: Annotated[
        Path | None, typer.Argument(help="JSON lines with `text` and, if given, `prompt`; standard input if left out.")
    ] = None,
    prompt: Annotated[str | None, typer.Option(help="The prompt whose parser reads lines that name none.")] = None,
) -> None:
    """Read judge texts: one line of JSON in, one line of JSON out, in the same order.

    Each line out holds `verdict` (first, second, tie, unparsed or failed), `span` (the characters of the text
    that gave it, or null) and `rule` (why).

    Example: echo '{"text": "Overall Judgment: Answer 2 is better."}' | vlrb parse --prompt vlrewardbench
    """
    from .parse import parsed_lines

    try:
        lines = sys.stdin if file is None else file.open(encoding="utf-8")
    except OSError as error:
        raise RegistryError(f"{file}: cannot be read: {error.strerror}. Fix: check the path.") from error
    with lines:
        for line in parsed_lines(lines, prompt, str(file or "standard input")):
            print(line)


@app.command()
def score(
    paths: Annotated[
        list[Path],
        typer.Argument(help="Sample logs, folders of runs, inference files of VL-RewardBench, or results per item."),
    ],
    parser: Annotated[
        str | None,
        typer.Option(help="Read the raw texts again with the parser of this prompt (or vlrewardbench_official)."),
    ] = None,
    diff: Annotated[
        bool,
        typer.Option(
            "--diff",
            help="List the verdicts that --parser changes; without --parser, those that this version reads differently.",
        ),
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object, for machines.")] = False,
) -> None:
    """Score votes from a log: the same numbers as lmms-eval printed, bit for bit, without a model.

    Exit code 0: scored. 1: a file could not be read.

    Example: vlrb score results/ --parser vlrb_pairwise --diff
    """
    from .score import scored

    print(scored(paths, parser, diff, json))


@app.command()
def correlate(
    file: Annotated[Path, typer.Argument(help="CSV, TSV, JSON, JSON lines or parquet.")],
    reference: Annotated[str, typer.Option(help="The column of people's scores.")],
    prediction: Annotated[str, typer.Option(help="The column of the judge's scores.")],
    missing: Annotated[
        list[float] | None,
        typer.Option(help="A number that stands for a missing score, such as -1; may be given again."),
    ] = None,
    by: Annotated[str | None, typer.Option(help="A column: also correlate within each of its values.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object, for machines.")] = False,
) -> None:
    """Correlate two columns of scores: Pearson, Spearman and Kendall's tau-b, with 95 % intervals.

    Rows that lack a score are dropped and counted.

    Example: vlrb correlate scores.csv --reference human --prediction judge --missing -1 --by source
    """
    from .correlate import correlated

    print(correlated(file, reference, prediction, missing or [], by, json))


def main() -> None:
    """Run ``vlrb``: exit code 0 fine, 1 failed, 2 wrong usage."""
    try:
        app()
    except ValueError as error:  # RegistryError, DataError and LogError: faults of the input, told in full
        print(f"vlrb: {error}", file=sys.stderr)
        sys.exit(1)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
