#!/usr/bin/env python3
"""Serves each engine in engines.toml as a user would, and writes a table of the faults.

For each engine: `rookery add`, 100 moves over HTTP, `rookery check-ai`, round robins of
`rookery match` in groups, and `rookery remove`. A fault counts as ours unless engines.toml says
that the engine causes it. Exits with 1 if a fault is ours, or an engine cannot be installed.
"""

import argparse
import collections
import concurrent.futures
import datetime
import json
import math
import os
import pathlib
import re
import shlex
import statistics
import sys
import time
import tomllib

from host import ROOT, Failure, Server, last_words, progress, run, shortened, which

HERE = pathlib.Path(__file__).resolve().parent
PACKAGES = ROOT / "tools/scripts/packages.sh"
SOURCES = ("package", "pypi", "npm", "crate", "by_folder", "own")
PECULIAR = "cc -O1 -o engine {own}/peculiar.c -lpthread -lrt"
MOVES = 100
ENGINES_OF_A_GROUP = 5
PLIES_OF_A_GAME = 30
OPENINGS = ("", "e2e4", "d2d4 g8f6", "c2c4 e7e5 b1c3", "e2e4 c7c5 g1f3 d7d6")
CLOCKS = {"white_ms": 3000, "black_ms": 3000, "white_increment_ms": 50, "black_increment_ms": 50}
SEARCHES = (
    {"limit": {"movetime_ms": 50}},
    {"limit": {"depth": 2}},
    {"limit": {"nodes": 500}},
    {"clocks": CLOCKS},
)
# The matches test the protocol on a machine that may be shared. The default margin is 50 ms.
MARGIN = ("--margin-ms", "250")
FAULTY_ENDS = ("time forfeit", "abandoned", "rules infraction")

BASE = """[plugins]
directories = [{libraries}]
[ai.basic1]
library = "ai_basic1"
limit = {{ depth = 3 }}
[client.default]
ai = "basic1"
"""


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rookery", required=True, type=pathlib.Path, help="the rookery binary")
    parser.add_argument("--engines", default="", help="names separated by commas; all by default")
    parser.add_argument(
        "--folders", default="", help="NAME=FOLDER of other engines, separated by spaces"
    )
    parser.add_argument("--places", type=int, default=1, help="number of parallel engines")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "target/engines")
    parser.add_argument("--page", type=pathlib.Path, help="the page to write")
    return parser.parse_args()


class Engine:
    """An engine in engines.toml, and its results."""

    def __init__(self, options, name, entry, folder):
        self.options, self.name, self.entry = options, name, entry
        self.source = next(source for source in SOURCES if source in entry)
        is_shared = self.source in ("pypi", "npm", "crate")
        place = options.work / "installed" / (entry[self.source] if is_shared else name)
        self.folder = pathlib.Path(folder or place).resolve()
        self.work = options.work / "tried" / name
        self.config = self.work / "rookery.toml"
        self.version, self.section = "", ""
        self.seconds = 0.0
        self.steps, self.faults = {}, []

    def added(self):
        """Returns the arguments of `rookery add`."""
        return self.words(self.entry.get("add", ["--", "./engine", self.name]))

    def words(self, texts):
        places = {"folder": self.folder, "own": HERE / "own", "rookery": self.options.rookery}
        return [text.format(**places) if "{" in text else text for text in texts]

    def programs(self):
        """Returns the programs that it needs from the distribution, as PROGRAM=PACKAGE."""
        programs = [self.entry["program"]] if "program" in self.entry else []
        if self.source == "package":
            program = next(word for word in self.added() if re.match("/usr/games/|[a-z]", word))
            programs.append(f"{program}={self.entry['package']}")
        return programs + ["npm=npm"] * (self.source == "npm")

    def install(self):
        """Installs the engine. Raises `Failure` if it cannot."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self.work.mkdir(parents=True, exist_ok=True)
        entry, folder, wanted = self.entry, self.folder, self.entry[self.source]
        commands = []
        if self.source == "by_folder" and not (folder / wanted).exists():
            raise Failure(f"{folder} has no {wanted}; name its folder: FOLDERS={self.name}=FOLDER")
        if self.source == "pypi" and not (folder / "bin/pip").exists():
            commands.append(["python3", "-m", "venv", folder])
        if self.source == "pypi":
            commands.append([folder / "bin/pip", "install", "-q", wanted])
        if self.source == "npm":
            flags = ["--no-audit", "--no-fund", "--ignore-scripts"]
            commands.append(["npm", "install", "--prefix", folder, *flags, wanted])
        if self.source == "crate" and not (folder / "bin").exists():
            features = ["--no-default-features", "--features", entry.get("features", "")]
            commands.append(["cargo", "install", "--locked", "--root", folder, *features, wanted])
        if self.source == "own":
            lines = self.words(entry.get("build", [PECULIAR]))
            commands += [["bash", "-c", line] for line in lines]
        for command in commands:
            status, output = run(command, 900, folder)
            if status != 0:
                raise Failure(f"{shlex.join(map(str, command))}: {output.strip()[-500:]}")
        if self.source == "package":
            self.version = run(["dpkg-query", "-W", "-f", "${Version}", wanted], 60)[1]
        elif self.source in ("pypi", "npm", "crate"):
            self.version = re.split("==|@", wanted)[1]

    def step(self, name, action):
        """Runs a step, and records its fault."""
        began = time.monotonic()
        try:
            self.steps[name] = action() or "yes"
        except Failure as failure:
            self.steps[name] = "no"
            self.note(name, str(failure))
        self.seconds += time.monotonic() - began
        progress(f"{self.name}: {name}: {self.steps[name]}, {time.monotonic() - began:.0f} s")

    def note(self, step, message):
        for folder in self.folder, self.options.work, self.options.rookery.parent:
            message = message.replace(f"{folder}/", "")
        message = message.replace(f"{pathlib.Path.home()}/", "~/")
        fault = "ours", step, shortened(message)
        for known in self.entry.get("known", ()):
            if known["step"] == step and known["text"] in message:
                whose = "theirs" if "theirs" in known else "limit"
                fault = whose, step, known[whose]
        if fault not in self.faults:
            self.faults.append(fault)
            progress(f"{self.name}: {fault[0]}: {step}: {message[-700:]}")

    def try_out(self):
        """Runs all steps except the round robin."""
        self.config.write_text(self.options.base)
        with Server(self) as self.server:
            self.step("add", self.add)
            if not self.section:
                return
            self.step("moves", self.play)
            self.step("remove", self.remove)
        self.step("check", self.check)

    def add(self):
        command = [self.options.rookery, "add", "--id", self.name, "--config", self.config]
        began = time.monotonic()
        status, output = run(command + self.added(), 300, self.folder)
        refusal = self.entry.get("refused")
        if refusal and status == 1 and refusal in output:
            return "refused, as intended"
        if refusal or status != 0:
            wanted = f"expected a refusal with {refusal!r}: " if refusal else ""
            raise Failure(wanted + last_words(output))
        name = re.search(r"^(.+?)(?: by .+)?, /", output, re.M)
        if self.source == "by_folder" and name:
            self.version = f"{name[1]},"
        text = self.config.read_text()
        own = rf"ai\.{self.name}[\].]"
        self.section = "".join(re.findall(rf"^\[{own}.*?(?=^\[|\Z)", text, re.M | re.S))
        return f"{time.monotonic() - began:.0f} s"

    def play(self):
        """Plays games of the engine against itself, with each kind of limit."""
        moves, times, opening = None, [], 0
        for number in range(MOVES):
            if moves is None:
                moves = OPENINGS[opening % len(OPENINGS)].split()
                opening += 1
            form = {"game": {"moves": moves}, "ai": self.name, **SEARCHES[number % len(SEARCHES)]}
            began = time.monotonic()
            reply = self.server.ask("/v1/best-move", form)
            times.append(time.monotonic() - began)
            if "move" not in reply:
                search = SEARCHES[number % len(SEARCHES)]
                fault = reply.get("code"), reply.get("detail", reply)
                raise Failure(f"move {number + 1} of {MOVES}, {json.dumps(search)}: {fault}")
            game = reply["game"]
            is_over = game["status"]["state"] != "in_progress"
            moves = None if is_over or len(game["moves"]) > PLIES_OF_A_GAME else game["moves"]
        metrics = self.server.text("/metrics").splitlines()
        restarts = f'rookery_ai_restarts_total{{ai="{self.name}"}} '
        if f"{restarts}0" not in metrics:
            counted = [line for line in metrics if line.startswith(restarts)]
            raise Failure(f"a restart: {counted}: {self.server.log()}")
        return f"{MOVES}, {1000 * statistics.median(times):.0f} ms"

    def remove(self):
        command = [self.options.rookery, "remove", self.name, "--config", self.config]
        status, output = run(command, 60)
        if status != 0:
            raise Failure(last_words(output))
        if self.config.read_text() != self.options.base:
            raise Failure("the configuration is not as it was before")
        deadline = time.monotonic() + 20
        while any(ai["id"] == self.name for ai in self.server.ask("/v1/ais")):
            if time.monotonic() > deadline:
                raise Failure("still served after 20 s")
            time.sleep(0.1)

    def check(self):
        """Runs check-ai. A failed check is the engine's fault, unless the checks do not end."""
        words = self.added()
        words = words if len(words) == 1 or words[0].startswith("--") else ["--", *words]
        command = [self.options.rookery, "check-ai", *words]
        status, output = run(command, 900, self.folder)
        total = re.search(r"\d+ checks: (\d+ passed)", output)
        if not total or status is None:
            raise Failure(last_words(output))
        failed = re.findall(r"^((?:fail|crash)\w* +\S+)", output, re.M | re.I)
        return ", ".join([total[1], *(" ".join(line.lower().split()) for line in failed)])


def round_robin(options, engines, number):
    """Plays every pair of engines twice."""
    config, games = options.work / f"group{number}.toml", options.work / f"group{number}.pgn"
    games.unlink(missing_ok=True)
    config.write_text(options.base + "".join(engine.section for engine in engines))
    names = [engine.name for engine in engines]
    command = [options.rookery, "match", *names, "--config", config, "--tc", "2+0.05", *MARGIN]
    progress(f"round robin: {', '.join(names)}")
    status, output = run([*command, "--games", "2", "--pgn", games], 3600)
    played, points, ends = (collections.Counter() for _ in range(3))
    text = games.read_text() if games.exists() else ""
    for game in re.findall(r"^\[Event .*?(?=^\[Event |\Z)", text, re.M | re.S):
        tags = dict(re.findall(r'^\[(\w+) "(.*)"\]', game, re.M))
        players = tags["White"], tags["Black"]
        won = {"1-0": (1, 0), "0-1": (0, 1)}.get(tags.get("Result"), (0.5, 0.5))
        for player, point in zip(players, won):
            played[player] += 1
            points[player] += point
        if tags.get("Termination") in FAULTY_ENDS:
            reason = re.search(r"(?:White|Black) ([^{}\]]*)\}\s*\S+\s*$", game)
            reason = " ".join(reason[1].split()) if reason else tags["Termination"]
            ends[players[won.index(0)], re.sub(r"\d+ ms", "its time", reason)] += 1
    for engine in engines:
        for (name, reason), count in ends.items():
            if name == engine.name:
                engine.note("match", f"{count} of {played[name]} games: {reason}")
        wanted = 2 * (len(engines) - 1)
        engine.steps["match"] = f"{points[engine.name]:g} of {played[engine.name]}"
        if status != 0 or played[engine.name] != wanted:
            engine.note("match", f"{played[engine.name]} of {wanted} games: {last_words(output)}")


def try_out(engine):
    try:
        engine.try_out()
    except Failure as failure:
        engine.note("serve", str(failure))


def row(engine):
    steps = ("add", "moves", "match", "check", "remove")
    origins = {"package": system(), "pypi": "PyPI", "npm": "npm", "crate": "crates.io"}
    origin = origins.get(engine.source, "its folder")
    origin = f"ours: {engine.entry['own']}" if engine.source == "own" else origin
    today = datetime.date.today().isoformat()
    cells = [engine.name, f"{engine.version} {origin}".strip(), today]
    cells.append(" ".join(engine.added()).replace(f"{engine.folder}/", ""))
    cells += [engine.steps.get(step, "–") for step in steps]
    cells.append(f"{engine.seconds / 60:.1f}")
    faults = [f"{whose}: {step}: {why}" for whose, step, why in engine.faults]
    cells.append("; ".join(faults) or "none")
    cells = [cell.replace("|", "\\|").replace("<", "&lt;") for cell in cells]
    return f"| {' | '.join(cells)} |"


def system():
    """Returns the name of the distribution."""
    release = pathlib.Path("/etc/os-release").read_text()
    return re.search(r'^NAME="?([\w ]+)', release, re.M)[1].split()[0]


def page(options, entries, engines):
    """Returns the page, including the rows of engines that were not tried this time."""
    before = options.page.read_text() if options.page and options.page.exists() else ""
    rows = {line.split("|")[1].strip(): line for line in before.splitlines() if line[:1] == "|"}
    rows.update((engine.name, row(engine)) for engine in engines)
    rows = [rows[name] for name in entries if name in rows]
    version = run([options.rookery, "--version"], 60)[1].strip()
    text = (HERE / "page.md").read_text()
    places = {
        "rookery": version,
        "system": system(),
        "processors": str(os.cpu_count()),
        "count": str(len(rows)),
        "served": str(sum(" s | " in row for row in rows)),
        "refused": str(sum("refused" in row for row in rows)),
        "ours": str(sum("ours: " in row.rsplit(" | ", 1)[1] for row in rows)),
        "rows": "\n".join(rows),
    }
    for name, value in places.items():
        text = text.replace("{" + name + "}", value)
    return text


def install(engines):
    """Installs all engines and their requirements. Returns the names of failed ones."""
    programs = {program for engine in engines for program in engine.programs()}
    sources = {engine.source for engine in engines}
    if "pypi" in sources and run(["python3", "-c", "import ensurepip"], 60)[0] != 0:
        programs.add("ensurepip=python3-venv")
    _, output = run([PACKAGES, *sorted(programs)], 1800)
    missing = []
    for engine in engines:
        progress(f"{engine.name}: install")
        try:
            if any(not which(program.split("=")[0]) for program in engine.programs()):
                raise Failure(last_words(output))
            engine.install()
        except Failure as failure:
            progress(f"{engine.name} can't be installed: {failure}")
            missing.append(engine.name)
    return missing


def main():
    options = arguments()
    options.rookery, options.work = options.rookery.resolve(), options.work.resolve()
    options.base = BASE.format(libraries=json.dumps(str(options.rookery.parent)))
    entries = tomllib.loads((HERE / "engines.toml").read_text())
    folders = dict(pair.split("=", 1) for pair in options.folders.split())
    names = [name for name in entries if "by_folder" not in entries[name] or name in folders]
    names = options.engines.split(",") if options.engines else names
    unknown = [name for name in [*names, *folders] if name not in entries]
    if unknown:
        print(f"error: engines.toml has no {', '.join(unknown)}", file=sys.stderr)
        return 2
    engines = [Engine(options, name, entries[name], folders.get(name)) for name in names]
    missing = install(engines)
    if missing:
        print(f"error: these engines can't be installed: {', '.join(missing)}", file=sys.stderr)
        return 1
    with concurrent.futures.ThreadPoolExecutor(options.places) as pool:
        list(pool.map(try_out, engines))
    playing = [engine for engine in engines if engine.section]
    groups = math.ceil(len(playing) / ENGINES_OF_A_GROUP)
    # Each group contains engines of every kind.
    for number in range(groups):
        group = playing[number::groups]
        if len(group) > 1:
            round_robin(options, group, number)
    text = page(options, entries, engines)
    (options.work / "engines.md").write_text(text)
    if options.page:
        options.page.write_text(text)
    ours = [engine.name for engine in engines if any(fault[0] == "ours" for fault in engine.faults)]
    print(f"the table is in {options.page or options.work / 'engines.md'}")
    print(f"{len(engines)} engines, {len(ours)} with faults that may be ours {' '.join(ours)}")
    return 1 if ours else 0


if __name__ == "__main__":
    sys.exit(main())
