"""Writes the archives of the native plugin for `pulumi plugin install`: `python tools/plugin_archives.py dist`.

An archive has the wheel, the file that makes a plugin of a folder, and what Pulumi runs. Pulumi unpacks it, makes a
virtual environment beside it, and installs requirements.txt there (pulumi: sdk/go/common/workspace/plugins.go;
tests/package/test_plugin_archives.py). All platforms get the same files: there is no binary in them.
"""

from __future__ import annotations

import io
import sys
import tarfile
from pathlib import Path

PLATFORMS = [f"{system}-{machine}" for system in ("darwin", "linux", "windows") for machine in ("amd64", "arm64")]

MAIN = """\
from pulumi_clouddb.engine.plugin.__main__ import main

main()
"""


def write_archives(wheel: Path, folder: Path) -> list[Path]:
    """Write an archive for each platform, named as `pulumi plugin install` asks for it, and return their paths."""
    version = wheel.name.split("-")[1]
    files = {
        "PulumiPlugin.yaml": b"runtime: python\n",
        "__main__.py": MAIN.encode(),
        "requirements.txt": f"./{wheel.name}\n".encode(),
        wheel.name: wheel.read_bytes(),
    }
    archives = [folder / f"pulumi-resource-clouddb-v{version}-{platform}.tar.gz" for platform in PLATFORMS]
    for archive in archives:
        with tarfile.open(archive, "w:gz") as tar:
            for name, content in files.items():
                entry = tarfile.TarInfo(name)
                entry.size, entry.mode = len(content), 0o644
                tar.addfile(entry, io.BytesIO(content))
    return archives


def main(folder: Path) -> None:
    """Write the archives beside the only wheel of a folder."""
    (wheel,) = folder.glob("*.whl")
    for archive in write_archives(wheel, folder):
        print(archive)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
