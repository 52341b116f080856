"""The command ``vlrb``."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from .. import __version__
from ..environment import add_folder, mirror
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
    registry: Annotated[
        Path | None,
        typer.Option(
            help="A folder of your own with judge_prompts/, tasks/ and registry.yaml; as VLRB_PATH, for this command."
        ),
    ] = None,
) -> None:
    if registry is not None:
        add_folder(registry)


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


new = typer.Typer(
    no_args_is_help=True, rich_markup_mode=None, help="Write a prompt or a task that validates as it stands."
)
app.add_typer(new, name="new")

_Folder = Annotated[
    Path | None,
    typer.Option("--registry", help="The folder to write to, created if need be; the first of VLRB_PATH if left out."),
]


@new.command("prompt")
def new_prompt(
    name: Annotated[str, typer.Argument(help="Its name: small letters, digits and underscores.")],
    mode: Annotated[
        Literal["pairwise", "pointwise", "ranking"], typer.Option(help="What the judge is asked for.")
    ] = "pairwise",
    registry: _Folder = None,
) -> None:
    """Write a judge prompt, with comments that say what each line is for.

    Example: vlrb new prompt my_judge --mode pairwise --registry my_judges
    """
    from .new import new_prompt as write

    print(write(name, mode, registry))


@new.command("benchmark")
def new_benchmark(
    name: Annotated[str, typer.Argument(help="Its name: small letters, digits and underscores.")],
    dataset: Annotated[str, typer.Option(help="A data set on the hub, or a local file or folder.")],
    prompt: Annotated[str, typer.Option(help="The judge prompt; its mode is the benchmark's.")],
    registry: _Folder = None,
) -> None:
    """Write a task for a data set of your own. The columns of local data are looked at.

    Example: vlrb new benchmark my_bench --dataset org/name --prompt my_judge --registry my_judges
    """
    from .new import new_task as write

    print(write(name, dataset, prompt, registry))


@app.command()
def path() -> None:
    """Print the folder of the task files, for lmms-eval's --include_path.

    Example: lmms-eval --include_path "$(vlrb path)" --tasks vlrewardbench ...
    """
    from ..registry.index import package_place

    print(package_place().tasks)


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

    text = rendered(task, item, id, draw, prompt, data or mirror(), save_images)
    print(text, end="" if text.endswith("\n") or not sys.stdout.isatty() else "\n")


@app.command()
def validate(
    files: Annotated[
        list[Path] | None,
        typer.Argument(help="Prompts, tasks or registries; all there are, yours among them, if left out."),
    ] = None,
    lock: Annotated[
        bool,
        typer.Option(
            "--lock", help="Record the versions of the prompts in these files' folders, if there is no fault."
        ),
    ] = False,
) -> None:
    """Check YAML files: fields, templates, instructions, versions, and that every case is read as it says.

    A warning is for the author to weigh; it is no fault. Exit code 0: all fine. 1: a fault was found.

    Example: vlrb validate judge_prompts/my_judge.yaml
    """
    from .validate import validated

    text, fine = validated(files or [], lock)
    print(text)
    if not fine:
        raise typer.Exit(1)


@app.command()
def gallery(
    output: Annotated[Path | None, typer.Option(help="The file to write; standard output if left out.")] = None,
) -> None:
    """Print all judge prompts on one page of Markdown: rendered, and how the answer is read.

    Example: vlrb gallery --output docs/prompts.md
    """
    from ..environment import registry as known
    from ..report.gallery import gallery as page

    if output is None:
        print(page(known()), end="")
    else:
        output.write_text(page(known()), encoding="utf-8")
        print(f"wrote {output}")


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


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def matrix(
    context: typer.Context,
    prompts: Annotated[str, typer.Option(help="The prompts, with commas.")],
    task: Annotated[str, typer.Option(help="The task that is judged.")],
    model: Annotated[str, typer.Option(help="The judge: an adapter of lmms-eval.")],
    model_args: Annotated[
        str, typer.Option("--model_args", "--model-args", help="Its arguments, as lmms-eval takes them.")
    ] = "",
    output: Annotated[Path, typer.Option("--output_path", "--output", help="The folder for logs and results.")] = Path(
        "results/matrix"
    ),
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object, for machines.")] = False,
) -> None:
    """Judge a task with several prompts, in one run, and print their scores and paired differences.

    Options that are not listed here, such as --limit or --batch_size, go to lmms-eval.

    Example: vlrb matrix --prompts vlrb_pairwise,think_answer --task vlrb_scenes --model vlrb_baseline --model_args policy=random
    """
    from .matrix import prompt_matrix

    names = [name.strip() for name in prompts.split(",") if name.strip()]
    print(prompt_matrix(names, task, model, model_args, output, context.args, json))


@app.command()
def compare(
    first: Annotated[Path, typer.Argument(help="A sample log, or a folder with one.")],
    second: Annotated[Path, typer.Argument(help="Another one, on the same benchmark.")],
    items: Annotated[bool, typer.Option("--items", help="List every item that one run alone gets right.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object, for machines.")] = False,
) -> None:
    """Compare two runs item by item: paired differences, McNemar's p, by domain, and which items changed.

    Warns where prompt, parser, data, votes or generation settings differ.

    Example: vlrb compare results/judge_a results/judge_b
    """
    from .compare import compared

    print(compared(first, second, items, json))


@app.command()
def power(
    accuracy: Annotated[float, typer.Option(help="How often a single vote of a judge is right, between 0 and 1.")],
    difference: Annotated[float, typer.Option(help="How much more often one of the other judge is.")],
    spread: Annotated[
        float, typer.Option(help="How much items differ: 0 all are as hard, towards 1 all votes of an item agree.")
    ] = 0.5,
    alpha: Annotated[float, typer.Option(help="The level of the test.")] = 0.05,
    chance: Annotated[float, typer.Option("--power", help="The chance to see the difference.")] = 0.8,
) -> None:
    """Tell how many items and votes it takes to see that two judges differ.

    Example: vlrb power --accuracy 0.65 --difference 0.03
    """
    from .compare import power_table

    print(power_table(accuracy, difference, spread, alpha, chance))


_Runs = Annotated[
    list[Path], typer.Argument(help="Logs or folders of runs of one benchmark; NAME=PATH gives a run its name.")
]


@app.command()
def report(
    runs: _Runs,
    output: Annotated[Path, typer.Option("--output", "-o", help="The HTML file to write.")] = Path("report.html"),
    title: Annotated[str | None, typer.Option(help="The heading; the benchmark's title if left out.")] = None,
    images: Annotated[bool, typer.Option(help="Put in thumbnails of the items' images.")] = True,
) -> None:
    """Write one page with the scores, pictures and every vote of one run, or of several side by side.

    The page needs no network and no server. Texts and images come from the data set, or from VLRB_DATA.

    Example: vlrb report results/judge_a results/judge_b -o report.html
    """
    from .report import write_report

    print(write_report(runs, output, title, images))


@app.command()
def plot(
    runs: _Runs,
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder to write to.")] = Path("figures"),
    format: Annotated[str, typer.Option(help="svg, png, pdf, with commas.")] = "svg",
) -> None:
    """Write the figures of a report as files, for papers and slides.

    Example: vlrb plot results/judge_a results/judge_b -o figures --format pdf,png
    """
    from .report import write_plots

    print(write_plots(runs, output, [kind.strip() for kind in format.split(",") if kind.strip()]))


@app.command()
def table(
    runs: _Runs,
    format: Annotated[
        Literal["markdown", "latex", "text"], typer.Option(help="The language of the table; text is for terminals.")
    ] = "markdown",
    rule: Annotated[
        Literal["both", "strict", "official"],
        typer.Option(help="Count undecided items as wrong (strict), leave them out (official), or show both."),
    ] = "both",
    at_k: Annotated[
        bool, typer.Option("--at-k", help="Add the accuracy of the majority of 1, 3, 5 ... votes.")
    ] = False,
    controls: Annotated[bool, typer.Option(help="Add judges that do not look.")] = True,
    reported: Annotated[bool, typer.Option(help="Add what papers report.")] = True,
    intervals: Annotated[bool, typer.Option(help="Put 95 % intervals behind the scores.")] = True,
) -> None:
    """Print the table of judges: official beside strict, controls, and what papers report.

    Example: vlrb table results/judge_a results/judge_b --rule strict --at-k --format text
    """
    from .report import table_text

    print(table_text(runs, format, controls, reported, intervals, rule, at_k))


submit = typer.Typer(
    no_args_is_help=True, rich_markup_mode=None, help="Submissions: votes and numbers that anyone can check."
)
app.add_typer(submit, name="submit")
_Submission = Annotated[Path, typer.Argument(help="The folder that `vlrb submit pack` wrote.")]


@submit.command("pack")
def submit_pack(
    run: Annotated[Path, typer.Argument(help="A sample log with its results file beside it, or the folder of both.")],
    model_name: Annotated[str, typer.Option(help="What the judge is called in tables.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="A new folder.")],
    model_url: Annotated[str | None, typer.Option(help="Where the judge is to be had.")] = None,
    model_revision: Annotated[str | None, typer.Option(help="Its revision; that of model_args if left out.")] = None,
) -> None:
    """Pack a run: votes, results, and a card that says how they were made.

    What validation would reject is not packed. Exit code 0: packed. 1: not, with all reasons.

    Example: vlrb submit pack results/my_judge --model-name "My judge 7B" -o submissions/my_judge
    """
    from ..votes.submission.packing import About
    from .submit import packed

    print(packed(run, About(model_name, model_url, model_revision), output))


@submit.command("validate")
def submit_validate(
    folders: Annotated[list[Path], typer.Argument(help="Folders that `vlrb submit pack` wrote.")],
) -> None:
    """Read every vote again, recompute every number, and reject what is not so, with reasons.

    Needs no model and no data. Exit code 0: all accepted. 1: one is rejected.

    Example: vlrb submit validate submissions/my_judge
    """
    from .submit import validated

    text, fine = validated(folders)
    print(text)
    if not fine:
        raise typer.Exit(1)


@submit.command("card")
def submit_card(
    folder: _Submission,
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder to write to.")] = Path("card"),
    readme: Annotated[
        Path | None, typer.Option(help="A model card that there is already: its other parts stay as they are.")
    ] = None,
) -> None:
    """Write a model card with the scores (model-index), and what leaderboards of Hugging Face take.

    Example: vlrb submit card submissions/my_judge -o card --readme README.md
    """
    from .submit import carded

    print(carded(folder, output, readme))


@submit.command("export")
def submit_export(
    folder: _Submission,
    format: Annotated[str, typer.Option(help="lmms-eval, vlmevalkit or leaderboard.")],
) -> None:
    """Print the scores as another tool has them.

    Example: vlrb submit export submissions/my_judge --format vlmevalkit
    """
    from .submit import export

    print(export(folder, format), end="")


leaderboard = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="A static site of checked submissions.")
app.add_typer(leaderboard, name="leaderboard")


@leaderboard.command("build")
def leaderboard_build(
    submissions: Annotated[Path, typer.Argument(help="A folder with submissions, at any depth.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder to write to.")] = Path("site"),
    title: Annotated[str, typer.Option(help="The heading.")] = "Judges of vision-language models",
    images: Annotated[bool, typer.Option(help="Put thumbnails into the submissions' pages.")] = False,
) -> None:
    """Check all submissions and build the site: a table for each benchmark, and a page for each submission.

    Exit code 0: built. 1: built without those that were rejected.

    Example: vlrb leaderboard build submissions/ -o site/
    """
    from .submit import built

    text, fine = built(submissions, output, title, images)
    print(text)
    if not fine:
        raise typer.Exit(1)


critic = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="The data that critics are trained on.")
app.add_typer(critic, name="critic")


@critic.command("build")
def critic_build(
    recipe: Annotated[Path, typer.Argument(help="A YAML file that says what the data is made of; see docs/critic.md.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder to write to: new or empty.")] = Path(
        "critic_data"
    ),
    limit: Annotated[int | None, typer.Option(min=1, help="At most so many records a part, to try a recipe.")] = None,
) -> None:
    """Build critic data: records for TRL and for LLaVA, the pictures, and a card that counts.

    Whatever an evaluation asks (question, response or picture) is refused and counted.

    Example: vlrb critic build examples/critic_data/paper_mix.yaml -o critic_data
    """
    from .critic import build_text

    print(build_text(recipe, output, limit))


journal = typer.Typer(
    no_args_is_help=True, rich_markup_mode=None, help="Journals of votes, as --model vote_judge keeps them."
)
app.add_typer(journal, name="journal")


@journal.command("inspect")
def journal_inspect(
    folder: Annotated[Path, typer.Argument(help="The folder of a journal, or one file of it.")],
) -> None:
    """Show what a journal holds: model, tasks, votes, failures, damaged lines.

    Example: vlrb journal inspect votes/
    """
    from .journal import inspected

    print(inspected(folder))


@journal.command("merge")
def journal_merge(
    folders: Annotated[list[Path], typer.Argument(help="Journals of the same model and prompts.")],
    output: Annotated[Path, typer.Option(help="A new folder.")],
) -> None:
    """Merge journals into a new one, without failures and repeats.

    Example: vlrb journal merge votes_a/ votes_b/ --output votes/
    """
    from .journal import merged

    print(merged(folders, output))


@journal.command("compact")
def journal_compact(folder: Annotated[Path, typer.Argument(help="The folder of a journal.")]) -> None:
    """Put a journal into one file, without failures, repeats and damaged lines.

    Example: vlrb journal compact votes/
    """
    from .journal import compacted

    print(compacted(folder))


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
