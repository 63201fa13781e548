"""Where this package was installed from, as a line of a requirements.txt that installs it on other machines."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from urllib.parse import SplitResult, urlsplit
from urllib.request import url2pathname

from pydantic import BaseModel, Field, ValidationError

from pulumi_clouddb.schema._version import VERSION

NAME = "pulumi-clouddb"
VARIABLES = re.compile(r"\$\{[A-Z0-9_]+\}(:\$\{[A-Z0-9_]+\})?")
"""User and password as environment variables: pip and uv fill them in, and PEP 610 keeps them."""


@dataclass(frozen=True)
class Requirement:
    """A line of a requirements.txt.

    Attributes:
        line: The requirement, with extras.
        comment: What a reader of the file has to know, in lines without `#`; empty if the line works anywhere.
        advice: What to do before the line works on other machines; empty if nothing.
        file: The wheel or sdist on this machine that the line expects beside it; None if it expects none that exists.
    """

    line: str
    comment: tuple[str, ...] = ()
    advice: str = ""
    file: Path | None = None

    @property
    def text(self) -> str:
        """The content of a requirements.txt."""
        return "".join(f"{each}\n" for each in (*(f"# {line}" for line in self.comment), self.line))


class _Git(BaseModel):
    vcs: str
    commit_id: str


class _Archive(BaseModel):
    hashes: dict[str, str] = Field(default_factory=dict)


class _DirectUrl(BaseModel):
    """The direct_url.json of an installed package.

    Source: https://packaging.python.org/en/latest/specifications/direct-url-data-structure/
    """

    url: str = Field(pattern=r"^\S+$")
    subdirectory: str = ""
    vcs_info: _Git | None = None
    archive_info: _Archive | None = None


def extras() -> list[str]:
    """Return the names of the extras that this package has."""
    try:
        return metadata.metadata(NAME).get_all("Provides-Extra") or []
    except metadata.PackageNotFoundError:
        return []


def installed_from(wanted: Collection[str] = ()) -> Requirement:
    """Return the requirement that installs this package, as it is here, on other machines.

    Args:
        wanted: The extras to install, such as `policy`.
    """
    chosen = f"[{','.join(wanted)}]" if wanted else ""
    try:
        distribution = metadata.distribution(NAME)
        written = distribution.read_text("direct_url.json")
        # Metadata of a package that is not installed is that of a checkout on PYTHONPATH, not of an index.
        if written is None and distribution.read_text("INSTALLER"):
            return Requirement(f"{NAME}{chosen}=={VERSION}")
        origin = _DirectUrl.model_validate_json(written or "")
    except (metadata.PackageNotFoundError, ValidationError):
        return _from_folder(chosen, "FOLDER")
    url = urlsplit(origin.url)
    if origin.vcs_info is not None:
        git = origin.vcs_info
        return _from_url(url, f"{NAME}{chosen} @ {git.vcs}+", f"@{git.commit_id}{_fragment(origin)}")
    path = Path(url2pathname(url.path))
    if origin.archive_info is None:
        return _from_folder(chosen, str(path))
    if url.scheme == "file":
        return _from_file(chosen, path)
    return _from_url(url, f"{NAME}{chosen} @ ", _fragment(origin))


def _fragment(origin: _DirectUrl) -> str:
    """Return what of the archive or the repository is installed, with the archive's hash."""
    hashes = origin.archive_info.hashes if origin.archive_info else {}
    parts = [f"sha256={hashes['sha256']}"] if "sha256" in hashes else []
    parts += [f"subdirectory={origin.subdirectory}"] if origin.subdirectory else []
    return f"#{'&'.join(parts)}" if parts else ""


def _from_url(url: SplitResult, before: str, after: str) -> Requirement:
    plain = _without_credentials(url)
    comment = []
    if plain != url:
        comment.append(
            "Any possible credential is left out of this URL. Provide it to pip or git, for example in ~/.netrc."
        )
    if url.scheme == "file":
        comment.append("Only machines that have this folder can install it.")
    return Requirement(f"{before}{plain.geturl()}{after}", tuple(comment), "\n".join(comment))


def _from_file(chosen: str, file: Path) -> Requirement:
    advice = f"Copy {file} beside requirements.txt."
    if not file.is_file():
        advice = f"{file} does not exist any more. Put {file.name} beside requirements.txt."
    comment = (f"Keep {file.name} beside this file, in the repository.",)
    return Requirement(f"./{file.name}{chosen}", comment, advice, file if file.is_file() else None)


def _without_credentials(url: SplitResult) -> SplitResult:
    """Return a URL without user, password, query and fragment: signed URLs have their token in the query.

    The user of ssh is not a credential, and without it, ssh would use the name of the local user.
    """
    user, at, host = url.netloc.rpartition("@")
    if not VARIABLES.fullmatch(user):
        user = user.partition(":")[0] if url.scheme == "ssh" else ""
    return url._replace(netloc=f"{user}{at if user else ''}{host}", query="", fragment="")


def _from_folder(chosen: str, folder: str) -> Requirement:
    """Return a requirement of a wheel that is still to be built.

    It does not name the package alone: as long as no index has it, anybody can publish another one of that name.
    """
    wheel = f"{NAME.replace('-', '_')}-{VERSION}-py3-none-any.whl"

    def lines(folder: str) -> tuple[str, ...]:
        return (
            f"{NAME} was installed from a folder, so where other machines can get it is not known.",
            "Beside requirements.txt, build the wheel that it names, and keep it there:",
            f"    pip wheel --no-deps --wheel-dir . {folder}",
            "Or replace its line with a repository and a commit:",
            f"    {NAME}{chosen} @ git+https://HOST/OWNER/NAME@COMMIT",
        )

    return Requirement(f"./{wheel}{chosen}", lines("FOLDER"), "\n".join(lines(shlex.quote(folder))))
