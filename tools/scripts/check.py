#!/usr/bin/env python3
"""Checks formatting, lints and unit tests of the crates that differ from the main branch, and of
the crates that use them."""

import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def output(*command: str) -> str:
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def changed_files(base: str) -> list[str]:
    start = output("git", "merge-base", base, "HEAD").strip()
    # After a merge, only the last commit is left to check.
    if start == output("git", "rev-parse", "HEAD").strip():
        start = "HEAD~1" if not output("git", "status", "--porcelain") else "HEAD"
    new = output("git", "ls-files", "--others", "--exclude-standard")
    return (output("git", "diff", "--name-only", start) + new).splitlines()


def workspace() -> dict[str, dict]:
    metadata = json.loads(output("cargo", "metadata", "--no-deps", "--format-version", "1"))
    return {package["name"]: package for package in metadata["packages"]}


def packages_to_check(files: list[str], packages: dict[str, dict]) -> list[str]:
    folders = {}
    for name, package in packages.items():
        folder = pathlib.Path(package["manifest_path"]).parent.relative_to(ROOT)
        folders[str(folder)] = name
    chosen = set()
    for file in files:
        owners = [folder for folder in folders if file.startswith(folder + "/")]
        if owners:
            chosen.add(folders[max(owners, key=len)])
    while True:
        users = {
            name
            for name, package in packages.items()
            if any(used["name"] in chosen for used in package["dependencies"] if used.get("path"))
        }
        if users <= chosen:
            return sorted(chosen)
        chosen |= users


def main() -> None:
    files = changed_files(sys.argv[1] if len(sys.argv) > 1 else "main")
    known = workspace()
    packages = packages_to_check(files, known)
    print(f"{len(files)} changed files, {len(packages)} crates: {' '.join(packages)}", flush=True)
    chosen = [argument for name in packages for argument in ("-p", name)]
    steps = [["cargo", "fmt", "--all", "--check"]]
    if packages:
        targets = [target for name in packages for target in known[name]["targets"]]
        kinds = {kind for target in targets for kind in target["kind"]}
        # Cargo rejects `--lib` if no package has a library.
        units = ["--bins", "--lib"] if kinds & {"lib", "rlib", "cdylib"} else ["--bins"]
        steps.append(
            ["cargo", "clippy", *chosen, *units, "--tests", "--locked", "--", "-D", "warnings"]
        )
        steps.append(["cargo", "test", *chosen, *units, "--locked", "--quiet"])
    for step in steps:
        if subprocess.run(step, cwd=ROOT).returncode != 0:
            sys.exit(f"error: {' '.join(step)} failed")


if __name__ == "__main__":
    main()
