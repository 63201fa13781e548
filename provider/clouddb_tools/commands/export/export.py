"""Exports the chosen objects as a project in a folder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from clouddb_tools.commands.origin import installed_from
from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.registry import RESOURCES

from . import files as disk
from .choice import Choice, Item
from .graph import PROTECTED, statements
from .inventory import Note, Progress, inventory
from .language import Language
from .names import camel, resource_names, slug, usual_name
from .project import GITIGNORE, IMPORT_FILE, Project, can_refer, files, import_file
from .reading import Found, read_all
from .statements import Setting


@dataclass(frozen=True)
class Export:
    """The result of an export.

    Attributes:
        project: The exported project.
        notes: The omitted objects, and other deviations.
    """

    project: Project
    notes: Sequence[Note]

    @property
    def counts(self) -> Counter[str]:
        """The number of objects of each kind."""
        return Counter(each.kind for each in self.project.objects)

    @property
    def ids(self) -> set[tuple[str, str]]:
        """Kind and id of each object, with and without the service id."""
        objects = self.project.objects
        return {(each.kind, form) for each in objects for form in (each.import_id, each.import_id.rpartition("/")[2])}

    @property
    def secrets(self) -> dict[str, str]:
        """The secrets that the program reads from the configuration, by key, with the servers' values."""
        inputs = {(each.kind, each.name): each.inputs for each in self.project.objects}
        return {
            value.key: str(inputs[step.kind, step.name][name])
            for step in self.project.steps
            for name, value in step.properties.items()
            if isinstance(value, Setting)
        }

    def setting_of(self, kind: str, object_id: str, name: str) -> str:
        """Return the key in the configuration for a value of an exported object that its program does not declare.

        Args:
            kind: The Pulumi name of its resource.
            object_id: Its import id.
            name: The name of the value, in snake_case.
        """
        (found,) = (each.name for each in self.project.objects if (each.kind, each.import_id) == (kind, object_id))
        (variable,) = (each.variable for each in self.project.steps if (each.kind, each.name) == (kind, found))
        return camel(f"{variable}_{name}")


def export(
    session: Session, choice: Choice, language: Language, name: str, progress: Progress, *, protect: bool
) -> Export:
    """Read the chosen objects, and return them as a project.

    Args:
        session: The servers.
        choice: The user's choice.
        language: The language of the program.
        name: The name of the project.
        progress: Called with the current list.
        protect: Whether to protect the services from deletion.

    Raises:
        ConfigError: No server is configured.
        ResourceError: There is nothing to export.
        ApiError: A server could not be reached, rejects the credentials, or failed.
    """
    notes: list[Note] = []
    read = read_all(session, inventory(session, choice, notes, progress), notes)
    if not read:
        raise NothingError(notes)
    objects = _named(read)
    kinds = [kind for kind, each in RESOURCES.items() if each.type.only in (None, session.rules.vocabulary)]
    protected = PROTECTED if protect else ()
    steps, dangling = statements(objects, kinds, can_refer(language), protected)
    ids = dict.fromkeys((each.kind, each.object_id) for each in dangling)
    notes += [Note(kind, object_id, "not in this program, which refers to it by its id") for kind, object_id in ids]
    return Export(Project(name, steps, objects), notes)


class NothingError(ResourceError):
    """There is nothing to export.

    Attributes:
        notes: The omitted objects.
    """

    def __init__(self, notes: Sequence[Note]) -> None:
        self.notes = tuple(notes)
        super().__init__("there is nothing to export", "Check --kind, --name, --tag and --id, or omit them.")


def write(folder: Path, language: Language, project: Project, *, force: bool) -> list[str]:
    """Write the project into a folder, and return the names of the files, the import file last.

    Raises:
        ResourceError: The folder is not empty and `force` is not set, or a file cannot be written.
    """
    check_folder(folder, force=force)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ResourceError(
            f"{folder} cannot be created: {error.strerror}", "Choose another folder with --output."
        ) from None
    texts = files(language, project)
    for name, text in texts.items():
        disk.write(folder / name, disk.extended(folder / name, text) if name == GITIGNORE else text)
    package = installed_from().file
    if package is not None:
        disk.copy(package, folder / package.name)
    disk.write(folder / IMPORT_FILE, import_file(language, project), secret=True)
    return [*texts, *([package.name] if package else []), IMPORT_FILE]


def check_folder(folder: Path, *, force: bool) -> None:
    """Reject a folder that is not empty.

    Raises:
        ResourceError: It is not empty and `force` is not set, it is not a folder, or it cannot be read.
    """
    try:
        exists, is_folder = folder.exists(), folder.is_dir()
        is_empty = not is_folder or not any(folder.iterdir())
    except OSError as error:  # such as a name that is too long
        raise ResourceError(
            f"{folder} cannot be read: {error.strerror}", "Choose another folder with --output."
        ) from None
    if exists and not is_folder:
        raise ResourceError(f"{folder} is not a folder", "Choose a folder with --output.")
    if not force and not is_empty:
        raise ResourceError(
            f"the folder {folder} is not empty", "Choose another one with --output, or overwrite files with --force."
        )


def _named(read: Sequence[tuple[Item, Found]]) -> list[Found]:
    """Return objects with unique resource names."""
    services = {found.object_id: slug(item.name) for item, found in read if item.kind == "Service"}
    names: dict[int, str] = {}
    for kind in RESOURCES:
        of_kind = [(index, item) for index, (item, _) in enumerate(read) if item.kind == kind]
        wanted = [_wanted_name(item, services) for _, item in of_kind]
        names |= dict(zip((index for index, _ in of_kind), resource_names(wanted), strict=True))
    return [
        replace(found, name=names[index], import_id=item.object_id, service_id=item.service_id, wish=item.wish)
        for index, (item, found) in enumerate(read)
    ]


def _wanted_name(item: Item, services: dict[str, str]) -> tuple[str, str]:
    """Return the preferred name of a resource, and a prefix that makes it unique."""
    base = item.wish.name or slug(item.name) or usual_name(item.kind)
    return base, "" if item.wish.name or item.service_id is None else services.get(item.service_id, "")
