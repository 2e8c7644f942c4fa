#!/usr/bin/env python3
"""Checks a release apart from its tests, and reports every problem."""

import json
import re
import subprocess
import sys
import tomllib
from datetime import date
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def run(*command: str) -> str:
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout


def problems() -> list[str]:
    found = []
    manifest = tomllib.loads((ROOT / "Cargo.toml").read_text())
    version = manifest["workspace"]["package"]["version"]

    metadata = json.loads(run("cargo", "metadata", "--locked", "--no-deps", "--format-version=1"))
    python = tomllib.loads((ROOT / "sdk/python/pyproject.toml").read_text())["project"]
    versions = {
        package["name"]: package["version"]
        for package in metadata["packages"]
        if package["publish"] != [] or package["name"] == "rookery"
    }
    versions[f"sdk/python ({python['name']})"] = python["version"]
    found += [
        f"{name} has version {other}, expected {version} as in Cargo.toml"
        for name, other in versions.items()
        if other != version
    ]

    changelog = (ROOT / "CHANGELOG.md").read_text()
    newest = re.search(r"^## \[(.*?)\](?: - (\S+))?$", changelog, re.MULTILINE)
    if newest is None or newest[1] != version:
        found.append(f"CHANGELOG.md does not begin with '## [{version}] - DATE'")
    elif newest[2] is None:
        found.append(f"CHANGELOG.md has no date for {version}")
    elif date.fromisoformat(newest[2]) > date.today():
        found.append(f"CHANGELOG.md dates {version} in the future: {newest[2]}")

    for document in run("git", "ls-files", "*.md", "deploy").splitlines():
        names = re.findall(r"rookery[-_:](\d+\.\d+\.\d+)", (ROOT / document).read_text())
        found += [
            f"{document} names version {other}, expected {version} as in Cargo.toml"
            for other in names
            if other != version
        ]

    frozen = ROOT / "host/tests/host/frozen" / f"{version.rsplit('.', 1)[0]}.0"
    found += [
        f"{(frozen / name).relative_to(ROOT)} is missing; see RELEASING.md"
        for name in [
            "openapi.json",
            "reference.toml",
            "commands.txt",
            "json_fields.txt",
            "arena.db.gz",
        ]
        if not (frozen / name).is_file()
    ]

    if changes := run("git", "status", "--porcelain").splitlines():
        found.append(f"{len(changes)} files are not committed, such as {changes[0]}")
    if run("git", "tag", "--list", f"v{version}"):
        found.append(f"the tag v{version} exists; raise the version")
    return found


if __name__ == "__main__":
    found = problems()
    for problem in found:
        print(f"error: {problem}", file=sys.stderr)
    sys.exit(1 if found else 0)
