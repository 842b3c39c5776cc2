"""Fetches the files that real_files.py measures.

Packages come from the registries that npm, pip and cargo are set to, by name and version. A file
whose bytes are not those of real_files.toml ends the run.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from pathlib import Path
from typing import NamedTuple


class File(NamedTuple):
    """A row of real_files.toml, which explains the fields."""

    label: str
    package: str
    kind: str
    path: str
    sha256: str
    goal: float | None = None


def listed() -> list[File]:
    sections = tomllib.loads(Path(__file__).with_name("real_files.toml").read_text())
    return [
        File(label, package, **fields)
        for package, files in sections.items()
        for label, fields in files.items()
    ]


def run(*command: str | Path, cwd: Path | None = None) -> None:
    done = subprocess.run(
        command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stdout[-2000:]}")


def unpack(archive: Path, into: Path) -> None:
    if archive.suffix in (".whl", ".zip"):
        with zipfile.ZipFile(archive) as file:
            file.extractall(into)
    else:
        with tarfile.open(archive) as file:
            file.extractall(into, filter="data")


class Packages:
    """Packages as folders; each is fetched once into the scratch folder."""

    def __init__(self, scratch: Path) -> None:
        self.scratch = scratch

    def folder(self, package: str) -> Path:
        registry, name, version = re.fullmatch(r"(\w+):(.+)@([^@]+)", package).groups()
        folder = self.scratch / "packages" / re.sub(r"[^\w.-]", "_", package)
        if not folder.exists():
            print(f"fetching {package}", file=sys.stderr)
            with tempfile.TemporaryDirectory(dir=self.scratch) as temporary:
                made = getattr(self, registry)(name, version, Path(temporary))
                folder.parent.mkdir(exist_ok=True)
                made.rename(folder)
        return folder

    def npm(self, name: str, version: str, work: Path) -> Path:
        run("npm", "pack", "--silent", f"{name}@{version}", cwd=work)
        return self.unpacked(work)

    def wheel(self, name: str, version: str, work: Path) -> Path:
        return self.pip(name, version, work, "--only-binary")

    def sdist(self, name: str, version: str, work: Path) -> Path:
        return self.pip(name, version, work, "--no-binary")

    def pip(self, name: str, version: str, work: Path, form: str) -> Path:
        command = (sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", form, ":all:")
        run(*command, f"{name}=={version}", "--dest", work)
        return self.unpacked(work)

    def crate(self, name: str, version: str, work: Path) -> Path:
        own = '[package]\nname = "scratch"\nversion = "0.0.0"\nedition = "2021"\n'
        (work / "Cargo.toml").write_text(f'{own}[dependencies]\n{name} = "={version}"\n')
        (work / "src").mkdir()
        (work / "src/lib.rs").touch()
        run("cargo", "vendor", "--quiet", "--versioned-dirs", "vendor", cwd=work)
        return work / "vendor" / f"{name}-{version}"

    def unpacked(self, work: Path) -> Path:
        (archive,) = work.iterdir()
        unpack(archive, work / "unpacked")
        return work / "unpacked"

    def text(self, file: File) -> str:
        data = self.diff(file) if file.kind == "diff" else self.read(file)
        digest = hashlib.sha256(data).hexdigest()
        if digest != file.sha256:
            sys.exit(f"{file.label}: the sha256 is {digest}, not the one that is listed")
        kept = self.scratch / "files" / file.label
        kept.parent.mkdir(exist_ok=True)
        kept.write_bytes(data)
        return data.decode()

    def read(self, file: File) -> bytes:
        path, _, inner = file.path.partition("!")
        path = self.folder(file.package) / path
        if not inner:
            return path.read_bytes()
        with zipfile.ZipFile(path) as archive:
            return archive.read(inner)

    def diff(self, file: File) -> bytes:
        """What git says of a folder in two versions, whatever the user's settings."""
        package, newer = file.package.split("..")
        name = package.rsplit("@", 1)[0]
        work = self.scratch / "diffs" / file.label
        shutil.rmtree(work, ignore_errors=True)
        for side, source in (("a", package), ("b", f"{name}@{newer}")):
            shutil.copytree(self.folder(source) / file.path, work / side)
        command = ("git", "-c", "core.abbrev=7", "diff", "--no-index", "--no-prefix", "--no-color")
        settings = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        command += ("--no-ext-diff", "--no-renames", "--diff-algorithm=myers", "a", "b")
        return subprocess.run(
            command, cwd=work, env=os.environ | settings, stdout=subprocess.PIPE
        ).stdout
