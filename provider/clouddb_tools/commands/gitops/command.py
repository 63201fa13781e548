"""`clouddb ci`: preview, apply and drift for a CI pipeline that deploys a stack."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from clouddb_tools.commands.exit_codes import end
from clouddb_tools.commands.printing import console, echo, usage_error
from clouddb_tools.commands.stack_config import named

from .exit_codes import ExitCode

if TYPE_CHECKING:
    from .events import Progress
    from .project import PolicyPack, Project
    from .report import Report

ci = typer.Typer(
    name="ci",
    help="Preview, apply exactly the approved plan, and detect drift, locally or in CI.",
    epilog=ExitCode.help(),
    no_args_is_help=True,
)

StackName = Annotated[str, typer.Option(help="Name of an existing stack.", show_default=False, callback=named)]
Folder = Annotated[
    Path, typer.Option("--cwd", exists=True, file_okay=False, help="Folder of the Pulumi project, with Pulumi.yaml.")
]
Packs = Annotated[
    list[Path] | None,
    typer.Option("--policy-pack", exists=True, file_okay=False, help="Folder of a policy pack; may be repeated."),
]
PackConfigs = Annotated[
    list[Path] | None,
    typer.Option(
        "--policy-pack-config", exists=True, dir_okay=False, help="Configuration of each pack, in the same order."
    ),
]
MarkdownFile = Annotated[
    Path | None,
    typer.Option(
        "--report-markdown", dir_okay=False, allow_dash=True, help="Write the report as Markdown; - prints it."
    ),
]
JsonFile = Annotated[
    Path | None,
    typer.Option("--report-json", dir_okay=False, allow_dash=True, help="Write the report as JSON; - prints it."),
]


@ci.command(epilog=ExitCode.help())
def preview(
    stack: StackName,
    cwd: Folder = Path(),
    policy_pack: Packs = None,
    policy_pack_config: PackConfigs = None,
    save_plan: Annotated[
        Path | None, typer.Option(dir_okay=False, help="Save the plan, and a manifest of its inputs beside it.")
    ] = None,
    expect_no_changes: Annotated[
        bool, typer.Option("--expect-no-changes", help="Fail if the preview contains changes.")
    ] = False,
    pictures: Annotated[
        Path | None,
        typer.Option(file_okay=False, help="Draw changed dashboards, before and after, into this folder."),
    ] = None,
    pictures_url: Annotated[
        str | None,
        typer.Option(
            help="URL at which a later step publishes that folder; the Markdown report shows the pictures from there.",
            show_default="the report lists the files",
        ),
    ] = None,
    usage: Annotated[
        bool,
        typer.Option(help="Report quotas that the plan would exceed, and the cost of the services that it changes."),
    ] = True,
    report_markdown: MarkdownFile = None,
    report_json: JsonFile = None,
) -> None:
    """Show the changes, check them against policies, and save the plan to apply later."""
    from .pictures import Gallery
    from .preview import preview as run

    if pictures_url and not pictures:
        raise typer.BadParameter("set the folder with --pictures, too", param_hint="--pictures-url")
    if pictures_url and not pictures_url.startswith(("https://", "http://")):
        raise typer.BadParameter(f"{pictures_url} is not an http or https address", param_hint="--pictures-url")
    gallery = Gallery(pictures, pictures_url or "") if pictures else None
    packs = _packs(policy_pack, policy_pack_config)
    plan = save_plan.resolve() if save_plan else None
    if plan and plan.exists() and not plan.is_file():  # such as /dev/null, which the preview would delete
        raise usage_error(f"{save_plan} is not a regular file", "--save-plan")
    reports = _Reports(report_markdown, report_json)
    _finish(
        cwd,
        stack,
        reports,
        lambda project, _: run(
            project,
            packs,
            plan,
            expect_no_changes=expect_no_changes,
            outputs=reports.files,
            gallery=gallery,
            usage=usage,
        ),
    )


@ci.command(epilog=ExitCode.help())
def apply(
    stack: StackName,
    plan: Annotated[
        Path,
        typer.Option(dir_okay=False, help="The plan that preview saved.", show_default=False),
    ],
    cwd: Folder = Path(),
    policy_pack: Packs = None,
    policy_pack_config: PackConfigs = None,
    no_drift_check: Annotated[
        bool, typer.Option("--no-drift-check", help="Do not compare the live objects with the state first.")
    ] = False,
    report_markdown: MarkdownFile = None,
    report_json: JsonFile = None,
) -> None:
    """Apply exactly the approved plan to its stack, with the policy packs of the preview.

    Fails if something has changed since the preview: the program, the configuration, the state, the policy packs, or
    the live objects.
    """
    from .apply import PlanError, load_manifest
    from .apply import apply as run

    try:
        planned = load_manifest(plan.resolve(), stack)
    except PlanError as error:
        raise usage_error(str(error), "--plan") from None
    packs = _packs(policy_pack, policy_pack_config)
    reports = _Reports(report_markdown, report_json)
    _finish(
        cwd,
        stack,
        reports,
        lambda project, progress: run(
            project,
            plan.resolve(),
            planned,
            packs,
            drift_check=not no_drift_check,
            outputs=reports.files,
            progress=progress,
        ),
    )


@ci.command(epilog=ExitCode.help())
def drift(
    stack: StackName,
    cwd: Folder = Path(),
    repair: Annotated[
        bool,
        typer.Option(
            "--repair", help="Restore drifted properties. Fails if other changes are pending; never creates a database."
        ),
    ] = False,
    policy_pack: Packs = None,
    policy_pack_config: PackConfigs = None,
    report_markdown: MarkdownFile = None,
    report_json: JsonFile = None,
) -> None:
    """Compare the live objects with the state, property by property."""
    from .drift import drift as run

    packs = _packs(policy_pack, policy_pack_config)
    reports = _Reports(report_markdown, report_json)
    _finish(cwd, stack, reports, lambda project, progress: run(project, packs, repair=repair, progress=progress))


@dataclass(frozen=True)
class _Reports:
    """The files of the reports; `-` is standard output."""

    markdown: Path | None
    json: Path | None

    def __post_init__(self) -> None:
        if self.markdown == self.json == Path("-"):
            raise typer.BadParameter("only one report can be printed", param_hint="--report-json")

    @property
    def files(self) -> list[Path]:
        return [file for file in (self.markdown, self.json) if file]


def _finish(
    cwd: Path, stack: str, reports: _Reports, operation: Callable[[Project, Progress], tuple[Report, ExitCode]]
) -> NoReturn:
    """Run an operation on a stack with a spinner, deliver its report, and end with its exit code."""
    from .errors import CommandFailedError, NoProjectError
    from .output import deliver
    from .project import Project

    try:
        screen = console(stderr=True, soft_wrap=True)
        with screen.status(f"Working on stack {stack}"):
            project = Project(cwd, stack)
            report, code = operation(project, lambda step, name: screen.print(f"  {step} {name}: done", markup=False))
        deliver(project, report, code, reports.markdown, reports.json)
    except NoProjectError as error:
        raise usage_error(str(error), "--cwd") from None
    except CommandFailedError as error:
        echo(f"error: {error}", err=True)
        end(ExitCode.FAILED)
    end(code)


def _packs(folders: list[Path] | None, configs: list[Path] | None) -> list[PolicyPack]:
    from .project import PolicyPack

    folders, configs = folders or [], configs or []
    if configs and len(configs) != len(folders):
        raise typer.BadParameter(
            f"{len(folders)} policy packs and {len(configs)} configurations: set one for each pack, in the same order",
            param_hint="--policy-pack-config",
        )
    paired = zip_longest(folders, configs)
    return [PolicyPack(folder.resolve(), config.resolve() if config else None) for folder, config in paired if folder]
