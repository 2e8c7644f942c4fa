#!/usr/bin/env python3
"""Makes the wheels: `rookery`, with the programs and files in the tarball, and `rookery-ai`, the
Python package. The same files give the same bytes.

Usage: wheels.py FOLDER OUT, with the tarball's folder
"""

import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import time
import tomllib
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Not part of the wheel's data: scripts have a separate folder, and only services use the rest.
NO_DATA = ("bin/", "etc/", "lib/systemd/")
MACHINES = {"X86-64": "x86_64", "AArch64": "aarch64"}


def toml(path: str) -> dict:
    return tomllib.loads((ROOT / path).read_text())


def files(folder: pathlib.Path, place: str = "") -> dict[str, bytes]:
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {place + path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def platform(programs: list[pathlib.Path]) -> str:
    """Returns the tag with the machine and the oldest glibc that contains every linked function."""
    said = subprocess.run(
        ["readelf", "--wide", "--file-header", "--version-info", *programs],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"LC_ALL": "C"},
    ).stdout
    (machine,) = {line.split()[-1] for line in re.findall("Machine: .*", said)}
    glibc = max(int(minor) for minor in re.findall(r"GLIBC_2\.(\d+)", said))
    return f"manylinux_2_{glibc}_{MACHINES[machine]}"


def metadata(project: dict, readme: pathlib.Path) -> str:
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {project['name']}",
        f"Version: {project['version']}",
        f"Summary: {project['description']}",
        f"Keywords: {','.join(project['keywords'])}",
        f"Author: {project['authors'][0]['name']}",
        f"License-Expression: {project['license']['text']}",
        "License-File: LICENSE-APACHE",
        "License-File: LICENSE-MIT",
    ]
    lines += [f"Classifier: {classifier}" for classifier in project["classifiers"]]
    if "requires-python" in project:
        lines.append(f"Requires-Python: {project['requires-python']}")
    for extra, requirements in project["optional-dependencies"].items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f'Requires-Dist: {needed}; extra == "{extra}"' for needed in requirements]
    return "\n".join([*lines, "Description-Content-Type: text/markdown", "", readme.read_text()])


def write(out: pathlib.Path, project: dict, tag: str, readme: str, content: dict) -> None:
    name = f"{project['name'].replace('-', '_')}-{project['version']}"
    info = f"{name}.dist-info"
    for licence in ["LICENSE-APACHE", "LICENSE-MIT"]:
        content[f"{info}/licenses/{licence}"] = (ROOT / licence).read_bytes()
    content[f"{info}/METADATA"] = metadata(project, ROOT / readme).encode()
    pure = str(tag.endswith("any")).lower()
    wheel = f"Wheel-Version: 1.0\nGenerator: rookery\nRoot-Is-Purelib: {pure}\nTag: {tag}\n"
    content[f"{info}/WHEEL"] = wheel.encode()
    record = ""
    for path, data in content.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
        record += f"{path},sha256={digest},{len(data)}\n"
    content[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()

    date = time.gmtime(max(int(os.environ["SOURCE_DATE_EPOCH"]), 315532800))[:6]
    with zipfile.ZipFile(out / f"{name}-{tag}.whl", "w", compresslevel=9) as archive:
        for path, data in content.items():
            entry = zipfile.ZipInfo(path, date)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if "/scripts/" in path else 0o100644) << 16
            archive.writestr(entry, data)


def main() -> None:
    folder, out = map(pathlib.Path, sys.argv[1:])
    ai = toml("sdk/python/pyproject.toml")["project"]
    package = files(ROOT / "sdk/python/rookery_ai", "rookery_ai/")
    package = {path: data for path, data in package.items() if path.endswith((".py", "/py.typed"))}
    write(out, ai, "py3-none-any", "sdk/python/README.md", package)

    rookery = {
        "name": "rookery",
        "version": toml("Cargo.toml")["workspace"]["package"]["version"],
        "description": toml("host/Cargo.toml")["package"]["description"],
        "license": ai["license"],
        "authors": ai["authors"],
        "keywords": ["chess", "engine", "uci", "server"],
        "classifiers": ["Operating System :: POSIX :: Linux", *ai["classifiers"][1:2]],
        "optional-dependencies": {"ai": ["rookery-ai"]},
    }
    data = f"rookery-{rookery['version']}.data"
    content = files(folder / "bin", f"{data}/scripts/")
    for path, text in files(folder).items():
        if not path.startswith(NO_DATA):
            content[f"{data}/data/{path}"] = text
    programs = [folder / "bin/rookery", *folder.glob("lib/rookery/*.so")]
    write(out, rookery, f"py3-none-{platform(programs)}", "deploy/wheel.md", content)


main()
