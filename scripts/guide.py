#!/usr/bin/env python3
"""Builds the guide that the server has at /docs/guide, from the pages in docs.

    python3 scripts/guide.py            # writes src/guide again
    python3 scripts/guide.py --check    # ends with 1 if src/guide is not what the pages build to

Needs mdBook of the version below (`cargo install mdbook --version 0.5.4 --locked`), in PATH or named by MDBOOK.
Without it, the command says so and ends with 2.

docs/README.md is the table of contents: its sections are the parts, its links the pages in order. A link to a file that
is no page becomes its text and its path in the repository; pictures are left out, since the program that shows the
guide is the one in the pictures.
"""

import argparse
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

VERSION = "0.5.4"
ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
BUILT = ROOT / "src" / "guide"
# What the program may grow by.
MAX_BYTES = 800 * 1024

LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")
FENCE = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
# Languages of fences that mdBook's colours do not know.
UNCOLOURED = re.compile(r"^```(?:mermaid|original|shown)$", re.MULTILINE)
# mdBook's own way to align a cell, which the policy of the server's pages refuses.
ALIGN = re.compile(r' style="text-align: (right|center|left)"')


def contents():
    """The parts of docs/README.md, each with the pages that it links, in order."""
    parts, seen = [], set()
    for line in (DOCS / "README.md").read_text().splitlines():
        if line.startswith("## "):
            parts.append((line[3:], []))
        elif parts and line.startswith("|"):
            for _, _, target in LINK.findall(line):
                page = (DOCS / target).resolve()
                if page.suffix == ".md" and page.is_relative_to(DOCS) and "adr" not in page.parts and page not in seen:
                    seen.add(page)
                    parts[-1][1].append(page.relative_to(DOCS).as_posix())
    return parts


def title(page):
    return (DOCS / page).read_text().splitlines()[0].removeprefix("# ")


def flat(name):
    """All files of the guide are in one folder, so that the server has one path for them."""
    return name.removeprefix("css/").removeprefix("fonts/").replace("/", "-")


def summary(parts):
    lines = ["# Summary", "", "[Documentation](README.md)", "[Concepts](concepts.md)", "[Glossary](glossary.md)"]
    for name, pages in parts:
        lines += ["", f"# {name}", ""]
        lines += [f"- [{title(page)}]({flat(page)})" for page in pages]
    return "\n".join(lines) + "\n"


def page_text(page, pages):
    """A page as the guide has it: links to pages as they are, and the paths of other files as text."""

    def replace(match):
        picture, text, target = match.groups()
        path, mark, anchor = target.partition("#")
        if not path or re.match(r"[a-z]+:", target):
            return match.group()
        file = Path(os.path.normpath((DOCS / page).parent / path))
        if picture:
            return f"*{text}*"
        if file.is_relative_to(DOCS) and file.relative_to(DOCS).as_posix() in pages:
            return f"[{text}]({flat(file.relative_to(DOCS).as_posix())}{mark}{anchor})"
        name = file.relative_to(ROOT).as_posix()
        return text if name in text else f"{text} (`{name}` in the repository)"

    parts = FENCE.split((DOCS / page).read_text())
    parts = (UNCOLOURED.sub("```text", part) if part.startswith("```") else LINK.sub(replace, part) for part in parts)
    return "".join(parts)


def check_pages(pages):
    """Each page has its place in the contents, so that no page is missing from the guide."""
    found = {file.relative_to(DOCS).as_posix() for file in DOCS.rglob("*.md")}
    missing = sorted(name for name in found - pages if not name.startswith(("adr/", "guide/")))
    if missing:
        sys.exit(f"docs/README.md links no {', '.join(missing)}")


def build(mdbook):
    """The files of the guide by name."""
    parts = contents()
    pages = {"README.md", "concepts.md", "glossary.md"} | {page for _, part in parts for page in part}
    check_pages(pages)
    with tempfile.TemporaryDirectory(prefix="guide-") as folder:
        book = Path(folder)
        shutil.copytree(DOCS / "guide", book, dirs_exist_ok=True)
        (book / "src").mkdir()
        for page in pages:
            (book / "src" / flat(page)).write_text(page_text(page, pages))
        (book / "src" / "SUMMARY.md").write_text(summary(parts))
        done = subprocess.run([mdbook, "build", folder], capture_output=True, text=True)
        if done.returncode or "WARN" in done.stderr:
            sys.exit(f"mdbook does not build the guide:\n{done.stderr}")
        for name in ("boot.js", "sidebar.js", "guide.css"):
            shutil.copy(book / "theme" / name, book / "book" / name)
        files = {}
        for file in sorted((book / "book").rglob("*")):
            name = file.relative_to(book / "book").as_posix()
            if file.is_file() and is_kept(name):
                files[flat(name)] = file.read_bytes()
    for name, data in files.items():
        if name.endswith(".html"):
            files[name] = ALIGN.sub(r' class="align-\1"', data.decode()).encode()
    files["toc.html"] = re.sub(rb'href="(?:css|fonts)/', b'href="', files["toc.html"])
    files["searchindex.js"] = search_documents(files["searchindex.js"].decode())
    check_links(files)
    return files


def is_kept(name):
    return not name.startswith(("favicon", ".nojekyll")) and not name.endswith(".hbs")


def search_documents(script):
    """The texts that the search reads. The browser makes the index of them, when a reader searches first: it is five
    times as large as they are."""
    start, end = script.index("JSON.parse('") + len("JSON.parse('"), script.rindex("')")
    found = json.loads(script[start:end].replace("\\'", "'").replace("\\\\", "\\"))
    index = found.pop("index")
    documents = [index["documentStore"]["docs"][key] for key in sorted(index["documentStore"]["docs"], key=int)]
    data = json.dumps({"rest": found, "fields": index["fields"], "documents": documents}, ensure_ascii=False)
    template = (DOCS / "guide" / "theme" / "searchindex.js").read_text()
    return template.replace("/* DATA */ null", data.replace("</", "<\\/")).encode()


def check_links(files):
    """Each link inside the guide is to a page and a heading that are there, and nothing is loaded from elsewhere."""
    pages = {name: data.decode() for name, data in files.items() if name.endswith(".html")}
    ids = {name: set(re.findall(r'\bid="([^"]*)"', text)) for name, text in pages.items()}
    faults = []
    for name, text in pages.items():
        if re.search(r"<script(?![^>]*\bsrc=)|<style|\bstyle=|\son[a-z]+=", text):
            faults.append(f"{name}: has an inline script or style")
        for attribute, target in re.findall(r'\b(href|src)="([^"]*)"', text):
            if re.match(r"[a-z]+:", target):
                if attribute == "src" or f'<link rel="stylesheet" href="{target}"' in text:
                    faults.append(f"{name}: loads {target}")
                continue
            path, _, anchor = target.partition("#")
            file = os.path.normpath(os.path.join(os.path.dirname(name), path)) if path else name
            if file.startswith("..") or (file == "." and not anchor):
                continue
            if file not in files:
                faults.append(f"{name}: there is no {target}")
            elif anchor and file in ids and anchor not in ids[file]:
                faults.append(f"{name}: there is no heading {target}")
    if faults:
        sys.exit("\n".join(faults))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--version-of-mdbook", action="store_true", help="print ok if it is the one that is needed")
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    arguments = parser.parse_args()
    mdbook = os.environ.get("MDBOOK") or shutil.which("mdbook")
    version = mdbook and subprocess.run([mdbook, "--version"], capture_output=True, text=True).stdout.strip()
    if arguments.version_of_mdbook:
        print("ok" if version == f"mdbook v{VERSION}" else version or "none")
        return
    if version != f"mdbook v{VERSION}":
        print(f"mdbook {VERSION} is not installed (found: {version or 'none'})", file=sys.stderr)
        sys.exit(2)
    files = build(mdbook)
    kept = {file.relative_to(BUILT).as_posix().removesuffix(".gz"): file for file in BUILT.rglob("*") if file.is_file()}
    # Compressed bytes depend on the version of zlib: what they expand to is compared.
    stale = [name for name, data in files.items() if name not in kept or gzip.decompress(kept[name].read_bytes()) != data]
    extra = [name for name in kept if name not in files]
    if arguments.check:
        for name in stale + extra:
            print(f"src/guide/{name}.gz is stale: run python3 scripts/guide.py")
    else:
        for name in extra:
            kept[name].unlink()
        for name in stale:
            file = BUILT / f"{name}.gz"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(gzip.compress(files[name], 9, mtime=0))
    total = sum(file.stat().st_size for file in BUILT.rglob("*.gz"))
    print(f"{len(files)} files, {total} of {MAX_BYTES} bytes compressed, {len(stale) + len(extra)} differed")
    sys.exit(1 if total > MAX_BYTES or (arguments.check and (stale or extra)) else 0)


if __name__ == "__main__":
    main()
