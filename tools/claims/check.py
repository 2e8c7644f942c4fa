#!/usr/bin/env python3
"""Checks every claim of reports with python-chess, by the definitions of docs/claims.md.

Starts a server, plays games of nnue1 at several levels, adds random moves, endings and the composed
cases in cases.json, and lets the server judge them. Exits with 1 if a claim is false. A claim
is doubtful if a material search finds a defence or the AI's scores disagree. Doubtful claims are
printed, but don't fail the run.
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import contextlib
import dataclasses
import functools
import json
import math
import pathlib
import sys
import time
import typing

import chess
import chess.syzygy
import forged
from definitions import Claim, Judged, check
from doubt import doubt_loss, doubt_mate
from games import LEVELS, Game, cases, endings, level_games
from lines import Untrue
from server import ROOT, Client, Failure, serving

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = """examples:
  tools/claims/check.py                                   check target/release/rookery
  tools/claims/check.py --rookery target/debug/rookery --games 4 --nodes 2000
  tools/claims/check.py --games 100 --seed 7 --json       print all results as JSON
  tools/claims/check.py --self-test                       check that forged claims are detected

`tools/scripts/uci-tools.sh` prints a Python with python-chess.
Exit status: 0 no false claim, 1 a false claim or no result, 2 wrong usage.
"""
SHOWN = 20
# A second line must lose this much winning chance to be evidence for an only move.
ONLY_MOVE_LOSS = 20
SCORE_SLOPE = 0.00368208
# The errors that a claim with wrong types or fields raises.
MALFORMED = (AssertionError, AttributeError, IndexError, KeyError, TypeError, ValueError)


@dataclasses.dataclass
class Finding:
    """A false or doubtful claim."""

    fen: str
    move: str
    claim: Claim
    reason: str


@dataclasses.dataclass
class Outcome:
    """The findings about one move."""

    source: str
    fen: str
    move: str
    judgement: str | None
    kinds: list[str]
    missing: list[str]
    false: list[Finding]
    doubtful: list[Finding]


def game_terms(
    client: Client, options: dict[str, typing.Any], board: chess.Board
) -> dict[str, int]:
    reply = client.post("/v1/evaluate", {"game": {"fen": board.fen()}, "options": options})
    return {term["name"]: term["score"]["cp"] for term in reply["terms"]}


def winning_chance(score: dict[str, int], side: chess.Color) -> float:
    sign = 1 if side == chess.WHITE else -1
    if "mate" in score:
        return 100.0 if sign * score["mate"] > 0 else 0.0
    return 100 / (1 + math.exp(-SCORE_SLOPE * sign * score["cp"]))


def doubt_only_move(client: Client, game: Game, judged: Judged, claim: Claim) -> str | None:
    """Asks for two lines. The second should lose a lot."""
    if claim.get("evidence") != "lines":
        return None
    moves = game.moves[: judged.index]
    request = {"game": {"fen": game.fen, "moves": moves}, "lines": 2, "options": game.options}
    lines = client.post("/v1/best-move", request)["lines"]
    first, second = (winning_chance(line["score"], judged.mover) for line in lines)
    if first - second >= ONLY_MOVE_LOSS:
        return None
    return f"the second line loses {first - second:.1f} points"


def judged_moves(
    client: Client, game: Game, reply: dict[str, typing.Any], tables: chess.syzygy.Tablebase
) -> typing.Iterator[Judged]:
    board = chess.Board(game.fen)
    theory = [(record.get("opening") or {}).get("name") for record in reply["moves"]]
    terms = functools.partial(game_terms, client, game.options)
    for index, (uci, record) in enumerate(zip(game.moves, reply["moves"])):
        move = chess.Move.from_uci(uci)
        if record["move"]["uci"] != uci:
            raise Failure(f"{uci} is reported as {record['move']['uci']}")
        if "claims" not in record:
            raise Failure("the server's report has no claims")
        yield Judged(board.copy(), move, record, theory, index, terms, tables)
        board.push(move)


def outcome(client: Client, game: Game, judged: Judged) -> Outcome:
    false, doubtful = [], []
    fen, san = judged.before.fen(), judged.before.san(judged.move)
    for claim in judged.claims:
        claim = {name: value for name, value in claim.items() if value is not None}
        try:
            check(judged, claim)
        except (Untrue, *MALFORMED) as error:
            reason = str(error) if isinstance(error, Untrue) else f"malformed: {error!r}"
            false.append(Finding(fen, san, claim, reason))
            continue
        found = (
            doubt_loss(judged, claim)
            or doubt_mate(judged, claim)
            or doubt_only_move(client, game, judged, claim)
        )
        if found:
            doubtful.append(Finding(fen, san, claim, found))
    kinds = [claim["kind"] for claim in judged.claims]
    is_last = judged.index == len(game.moves) - 1
    missing = [kind for kind in game.kinds if is_last and kind not in kinds]
    judgement = judged.record["judgement"]
    return Outcome(game.source, fen, san, judgement, kinds, missing, false, doubtful)


@dataclasses.dataclass
class Job:
    """Plays some games in one process: the games of a level, the endings, or the cases."""

    port: int
    options: argparse.Namespace
    level: int = 0
    seed: int = 0
    endings: int = 0
    cases: bool = False

    def games(self, client: Client) -> typing.Iterator[Game]:
        if self.level:
            chosen = self.options
            yield from level_games(client, self.level, self.seed, chosen.plies, chosen.walks)
        if self.endings:
            yield from endings(self.seed, self.endings)
        if self.cases:
            yield from cases(self.options.cases)


def run_job(job: Job) -> list[Outcome]:
    client = Client(job.port)
    found = []
    with chess.syzygy.open_tablebase(str(job.options.tables)) as tables:
        for game in job.games(client):
            reply = client.post("/v1/report", {"game": game.body, "options": game.options})
            for judged in judged_moves(client, game, reply, tables):
                found.append(outcome(client, game, judged))
    return found


def run(options: argparse.Namespace) -> list[Outcome]:
    with serving(options.rookery, options.tables, options.nodes) as port:
        jobs = [Job(port, options, cases=True)]
        jobs += [Job(port, options, seed=options.seed + part, endings=25) for part in range(4)]
        for number in range(options.games):
            level = LEVELS[number % len(LEVELS)]
            jobs.append(Job(port, options, level=level, seed=options.seed + number))
        with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
            return [found for part in pool.map(run_job, jobs) for found in part]


def share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "-"


def table(outcomes: list[Outcome]) -> list[str]:
    """Counts claims by kind, and the share of bad moves with a claim."""
    bad = [each for each in outcomes if each.judgement in ("mistake", "blunder")]
    poor = [each for each in outcomes if each.judgement == "inaccuracy"]
    counts: dict[str, collections.Counter[str]] = {
        "claims": collections.Counter(kind for each in outcomes for kind in each.kinds),
        "false": collections.Counter(
            found.claim["kind"] for each in outcomes for found in each.false
        ),
        "doubtful": collections.Counter(
            found.claim["kind"] for each in outcomes for found in each.doubtful
        ),
    }
    lines = [f"{'kind':26} {'claims':>7} {'false':>6} {'doubtful':>9} {'of ? ??':>8} {'of ?!':>8}"]
    for kind, number in sorted(counts["claims"].items(), key=lambda item: (-item[1], item[0])):
        shares = [share(sum(kind in e.kinds for e in some), len(some)) for some in (bad, poor)]
        numbers = f"{number:7} {counts['false'][kind]:6} {counts['doubtful'][kind]:9}"
        lines.append(f"{kind:26} {numbers} {shares[0]:>8} {shares[1]:>8}")
    totals = " ".join(f"{sum(counts[name].values()):{width}}" for name, width in WIDTHS)
    shares = [share(sum(bool(e.kinds) for e in some), len(some)) for some in (bad, poor)]
    lines.append(f"{'all':26} {totals} {shares[0]:>8} {shares[1]:>8}")
    for source in dict.fromkeys(each.source for each in outcomes):
        some = [each for each in bad if each.source == source]
        moves = sum(each.source == source for each in outcomes)
        covered = sum(bool(each.kinds) for each in some)
        lines.append(f"{source}: {moves} moves, {len(some)} bad, {share(covered, len(some))}")
    lines.append(
        f"{len(outcomes)} judged moves: {len(bad)} mistakes and blunders, {len(poor)} inaccuracies"
    )
    return lines


WIDTHS = (("claims", 7), ("false", 6), ("doubtful", 9))


def print_findings(name: str, findings: list[Finding]) -> None:
    for finding in findings[:SHOWN]:
        print(f"{name}: {finding.reason}\n  {finding.fen}\n  {finding.move}")
        print(f"  {json.dumps(finding.claim, ensure_ascii=False)}")
    if len(findings) > SHOWN:
        print(f"{name}: {len(findings) - SHOWN} more")


def print_outcomes(outcomes: list[Outcome], seconds: float) -> None:
    print_findings("doubtful", [found for each in outcomes for found in each.doubtful])
    print_findings("false", [found for each in outcomes for found in each.false])
    for each in outcomes:
        if each.missing:
            names, made = ", ".join(each.missing), ", ".join(each.kinds) or "none"
            print(f"expected {names}; claims: {made}; {each.judgement}\n  {each.fen} {each.move}")
    print("\n".join(table(outcomes)))
    print(f"{seconds:.0f} s")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    path = pathlib.Path
    parser.add_argument(
        "--rookery",
        type=path,
        default=ROOT / "target/release/rookery",
        help="the binary, with its libraries next to it (default: target/release/rookery)",
    )
    parser.add_argument(
        "--tables",
        type=path,
        default=ROOT / "data/syzygy",
        help="Syzygy tables (default: data/syzygy)",
    )
    parser.add_argument(
        "--cases",
        type=path,
        default=HERE / "cases.json",
        help="positions with the claims that they expect (default: cases.json)",
    )
    parser.add_argument("--games", type=int, default=14, help="games to play (default: 14)")
    parser.add_argument(
        "--plies", type=int, default=80, help="maximum half-moves per game (default: 80)"
    )
    parser.add_argument("--walks", type=int, default=16, help="random moves per game (default: 16)")
    parser.add_argument(
        "--nodes", type=int, default=20000, help="nodes per search (default: 20000)"
    )
    parser.add_argument(
        "--seed", type=int, default=1, help="seed of games and random moves (default: 1)"
    )
    parser.add_argument("--jobs", type=int, default=3, help="parallel processes (default: 3)")
    parser.add_argument(
        "--strict", action="store_true", help="fail if an expected claim is missing"
    )
    parser.add_argument("--json", action="store_true", help="print every outcome as JSON")
    parser.add_argument("--self-test", action="store_true", help="check forged claims only")
    return parser.parse_args()


def main() -> int:
    options = arguments()
    if options.self_test:
        return forged.main(options.tables)
    began = time.monotonic()
    try:
        outcomes = run(options)
    except Failure as failure:
        print(f"error: {failure}", file=sys.stderr)
        return 1
    if options.json:
        print(json.dumps([dataclasses.asdict(each) for each in outcomes], ensure_ascii=False))
    else:
        print_outcomes(outcomes, time.monotonic() - began)
    failed = any(each.false or (options.strict and each.missing) for each in outcomes)
    return 1 if failed or not outcomes else 0


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        sys.exit(main())
    sys.exit(130)
