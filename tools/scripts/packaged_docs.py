#!/usr/bin/env python3
"""Copies a package's documents: `packaged_docs.py FOLDER`. A link to a file outside the package
is replaced with its text."""

import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FILES = [
    "README.md",
    "CHANGELOG.md",
    "LICENSE-*",
    "docs/*.md",
    "docs/*.png",
    "docs/examples/*",
    "ai-api/README.md",
    "ai-api/examples/*/*",
    "sdk/*/README.md",
    "deploy/*.*",
    "deploy/Containerfile",
    "config/reference.toml",
    "config/stockfish.toml",
]


def main() -> None:
    folder = Path(sys.argv[1])
    shutil.rmtree(folder, ignore_errors=True)
    files = [file for pattern in FILES for file in sorted(ROOT.glob(pattern))]
    for file in files:
        target = folder / file.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        if file.suffix != ".md":
            shutil.copyfile(file, target)
            continue

        def link(match: re.Match[str], page: Path = file) -> str:
            text, place = match.groups()
            path = place.split("#")[0]
            is_kept = not path or "://" in path or (page.parent / path).resolve() in files
            return match[0] if is_kept else text

        text = re.sub(r"(?<!!)\[([^\]]*)\]\(([^)\s]+)\)", link, file.read_text())
        target.write_text(text)


if __name__ == "__main__":
    main()
