"""Builds the files of a release so that their bytes depend on the commit alone: `python tools/build_release.py dist`.

Neither the day, nor the folder, nor the umask of a clone is in an archive: times are that of the commit, modes are
those of git, names are sorted. The wheel is built from the sdist, as by somebody who has only that. Another release of
Python, setuptools or zlib may write other bytes.

An archive of the native plugin has the wheel, the file that makes a plugin of a folder, and what Pulumi runs. Pulumi
unpacks it, makes a virtual environment beside it, and installs requirements.txt there (pulumi:
sdk/go/common/workspace/plugins.go; tests/package/test_install.py). All platforms get the same files: there is
no binary in them.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterable
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
SUMS = "SHA256SUMS"
PLATFORMS = [f"{system}-{machine}" for system in ("darwin", "linux", "windows") for machine in ("amd64", "arm64")]

MAIN = """\
from pulumi_clouddb.engine.plugin.__main__ import main

main()
"""


class File(NamedTuple):
    """A file of an archive."""

    name: str
    content: bytes
    is_program: bool = False


def time_of_commit(root: Path = ROOT) -> int:
    """Return SOURCE_DATE_EPOCH, else the time of the commit; in an unpacked sdist, its files have that time."""
    if given := os.environ.get("SOURCE_DATE_EPOCH"):
        return int(given)
    if not (root / ".git").exists():
        return int((root / "setup.py").stat().st_mtime)
    done = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=root, capture_output=True, check=True)  # noqa: S607
    return int(done.stdout)


def write_tar(archive: Path, files: Iterable[File], time: int) -> None:
    """Write a compressed archive."""
    with (
        archive.open("wb") as raw,
        gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=time) as packed,
        tarfile.open(fileobj=packed, mode="w") as tar,
    ):
        for each in sorted(files):
            entry = tarfile.TarInfo(each.name)
            entry.size, entry.mtime, entry.mode = len(each.content), time, 0o755 if each.is_program else 0o644
            tar.addfile(entry, BytesIO(each.content))


def write_archives(wheel: Path, folder: Path, time: int = 0) -> list[Path]:
    """Write an archive for each platform, named as `pulumi plugin install` asks for it, and return their paths."""
    version = wheel.name.split("-")[1]
    files = [
        File("PulumiPlugin.yaml", b"runtime: python\n"),
        File("__main__.py", MAIN.encode()),
        File("requirements.txt", f"./{wheel.name}\n".encode()),
        File(wheel.name, wheel.read_bytes()),
    ]
    archives = [folder / f"pulumi-resource-clouddb-v{version}-{platform}.tar.gz" for platform in PLATFORMS]
    for archive in archives:
        write_tar(archive, files, time)
    return archives


def write_sums(folder: Path) -> None:
    """Write the digests of all files of a folder, as `sha256sum --check` reads them."""
    files = sorted(each for each in folder.iterdir() if each.is_file() and each.name != SUMS)
    lines = [f"{hashlib.sha256(each.read_bytes()).hexdigest()}  {each.name}\n" for each in files]
    (folder / SUMS).write_text("".join(lines), encoding="utf-8")


def build(folder: Path, root: Path = ROOT) -> None:
    """Build sdist, wheel, the archives of the plugin, and their digests, into an empty folder."""
    from uv import find_uv_bin

    time = time_of_commit(root)
    folder.mkdir(parents=True, exist_ok=True)
    os.umask(0o022)

    def uv_build(*words: str | Path) -> None:
        options = ("--quiet", "--offline", "--no-build-isolation", "--no-create-gitignore", "--python", sys.executable)
        environment = {**os.environ, "SOURCE_DATE_EPOCH": str(time)}
        subprocess.run([find_uv_bin(), "build", *options, *words], env=environment, check=True)  # noqa: S603

    with tempfile.TemporaryDirectory() as made:
        uv_build("--sdist", "--out-dir", made, root)
        (packed,) = Path(made).glob("*.tar.gz")
        sdist = folder / packed.name
        with tarfile.open(packed) as tar:
            entries = [(each, tar.extractfile(each)) for each in tar if each.isfile()]
            write_tar(
                sdist, (File(each.name, file.read(), bool(each.mode & 0o100)) for each, file in entries if file), time
            )
    uv_build("--wheel", "--out-dir", folder, sdist)
    (wheel,) = folder.glob("*.whl")
    write_archives(wheel, folder, time)
    write_sums(folder)


def go_mod(sdk: Path) -> str:
    """Return the file that makes a module of Go's SDK, under the name by which its packages import each other.

    Pulumi generates none. Without it a program cannot replace the module by the folder; without a version in it the
    compiler takes Go 1.16, which does not know the `any` of these sources.
    """
    (name,) = set(
        re.findall(r'^\t"(\S+)/clouddb/internal"$', (sdk / "clouddb" / "provider.go").read_text("utf-8"), re.M)
    )
    return f"module {name}\n\ngo 1.21\n"


def pack(source: Path, folder: Path) -> None:
    """Pack the folder of an SDK, under its name, and add it to the digests."""
    if source.name == "go":
        (source / "go.mod").write_text(go_mod(source), encoding="utf-8")
    files = [each for each in source.rglob("*") if each.is_file()]
    packed = (
        File(each.relative_to(source.parent).as_posix(), each.read_bytes(), bool(each.stat().st_mode & 0o100))
        for each in files
    )
    write_tar(folder / f"pulumi-clouddb-sdk-{source.name}.tar.gz", packed, time_of_commit())
    write_sums(folder)


if __name__ == "__main__":
    target, *sdks = map(Path, sys.argv[1:])
    for sdk in sdks:
        pack(sdk, target)
    if not sdks:
        build(target)
