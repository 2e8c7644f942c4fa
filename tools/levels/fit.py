#!/usr/bin/env python3
"""Rates the levels of nnue1 from the games of `rookery match`, all games in one fit.

The fit has the maximum likelihood in the Bradley-Terry model, where a draw counts as half a win.
The published rating of an anchor is not exact at our time control, so its strength is normally
distributed around the rating. The spread is chosen to make the results most likely, and the errors
include it. An engine with less time needs another name, as in `stash,movetime_ms=25`. If that is
not an anchor, its games only link the levels that it played.

Games that ended by a fault or on time are void: they measure a program, not its chess.
"""

from __future__ import annotations

import argparse
import collections
import hashlib
import math
import pathlib
import re

ELO = 400 / math.log(10)
SPREADS = range(10, 310, 10)
VOID = {"abandoned", "rules infraction", "time forfeit", "unterminated"}
POINTS = {"1-0": 1.0, "1/2-1/2": 0.5, "0-1": 0.0}


class Results:
    """The results of each pair of players."""

    def __init__(self) -> None:
        self.pairs: dict[tuple[str, str], list[int]] = collections.defaultdict(lambda: [0, 0, 0])
        self.void: collections.Counter[tuple[str, str]] = collections.Counter()

    def read(self, text: str) -> None:
        """Adds the games of a PGN file."""
        for game in text.split("[Event ")[1:]:
            tags = dict(re.findall(r'^\[(\w+) "(.*)"\]$', game, re.MULTILINE))
            # A level's name does not include its games' additional limit.
            white, black = (re.sub(r",nodes=\d+$", "", tags[color]) for color in ("White", "Black"))
            first, second = sorted((white, black))
            if tags["Termination"] in VOID:
                self.void[first, second] += 1
                continue
            points = POINTS[tags["Result"]]
            self.add(first, second, points if white == first else 1 - points)

    def add(self, first: str, second: str, points: float, games: int = 1) -> None:
        """Adds games with the same result."""
        self.pairs[first, second][round(2 - 2 * points)] += games

    def of(self, player: str) -> list[tuple[str, list[int]]]:
        """Returns a player's opponents, with its wins, draws and losses against each."""
        mine = [
            (second, counts) for (first, second), counts in self.pairs.items() if first == player
        ]
        theirs = [
            (first, counts[::-1])
            for (first, second), counts in self.pairs.items()
            if second == player
        ]
        return sorted(mine + theirs)


def solve(matrix: list[list[float]], right: list[list[float]]) -> tuple[list[list[float]], float]:
    """Returns the solutions of a positive definite system, and the logarithm of its determinant."""
    size = len(matrix)
    rows = [line + extra for line, extra in zip([list(line) for line in matrix], right)]
    determinant = 0.0
    for column in range(size):
        determinant += math.log(rows[column][column])
        for other in range(size):
            if other != column:
                factor = rows[other][column] / rows[column][column]
                rows[other] = [a - factor * b for a, b in zip(rows[other], rows[column])]
    return [[value / line[i] for value in line[size:]] for i, line in enumerate(rows)], determinant


class Fit:
    """The most likely strengths in natural units, for anchors with this spread in Elo."""

    def __init__(self, results: Results, anchors: dict[str, float], spread: float) -> None:
        self.players = sorted({player for pair in results.pairs for player in pair})
        self.index = {player: i for i, player in enumerate(self.players)}
        self.pairs = [
            (self.index[first], self.index[second], wins + draws / 2, wins + draws + losses)
            for (first, second), (wins, draws, losses) in results.pairs.items()
        ]
        self.normals = [(self.index[player], elo / ELO) for player, elo in anchors.items()]
        self.precision = (ELO / spread) ** 2
        mean = sum(elo for _, elo in self.normals) / len(self.normals)
        self.strengths = [mean] * len(self.players)
        for player, strength in self.normals:
            self.strengths[player] = strength
        for _ in range(200):
            gradient, hessian = self.slopes()
            (steps, _) = solve(hessian, [[value] for value in gradient])
            largest = max(abs(step) for (step,) in steps)
            scale = 1 / (1 + largest)
            self.strengths = [old + scale * step for old, (step,) in zip(self.strengths, steps)]
            if largest < 1e-9:
                break
        identity = [[float(i == j) for j in self.index.values()] for i in self.index.values()]
        covariance, determinant = solve(self.slopes()[1], identity)
        self.errors = [1.96 * ELO * math.sqrt(covariance[i][i]) for i in self.index.values()]
        # The evidence for the spread, by Laplace's method.
        self.evidence = self.likelihood() - determinant / 2

    def slopes(self) -> tuple[list[float], list[list[float]]]:
        """Returns the gradient of the likelihood, and its curvature."""
        size = len(self.players)
        gradient, hessian = [0.0] * size, [[0.0] * size for _ in range(size)]
        for first, second, points, games in self.pairs:
            expected = 1 / (1 + math.exp(self.strengths[second] - self.strengths[first]))
            weight = games * expected * (1 - expected)
            for one, other, sign in ((first, second, 1), (second, first, -1)):
                gradient[one] += sign * (points - games * expected)
                hessian[one][one] += weight
                hessian[one][other] -= weight
        for player, around in self.normals:
            gradient[player] += self.precision * (around - self.strengths[player])
            hessian[player][player] += self.precision
        return gradient, hessian

    def likelihood(self) -> float:
        """Returns the log-likelihood of all results and anchor strengths."""
        total = 0.0
        for first, second, points, games in self.pairs:
            expected = 1 / (1 + math.exp(self.strengths[second] - self.strengths[first]))
            total += points * math.log(expected) + (games - points) * math.log(1 - expected)
        for player, around in self.normals:
            distance = self.strengths[player] - around
            total += (math.log(self.precision) - self.precision * distance**2) / 2
        return total

    def elo(self, player: str) -> tuple[int, int]:
        """Returns a player's rating and half the width of its 95 % interval."""
        i = self.index[player]
        return round(ELO * self.strengths[i]), round(self.errors[i])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("files", nargs="+", type=pathlib.Path, help="PGN files of rookery match")
    parser.add_argument(
        "--anchor", action="append", required=True, metavar="PLAYER=RATING", help="a known rating"
    )
    parser.add_argument(
        "--result",
        action="append",
        default=[],
        nargs=5,
        metavar=("PLAYER", "OPPONENT", "WON", "DRAWN", "LOST"),
        help="games without a file",
    )
    options = parser.parse_args()
    results, digest = Results(), hashlib.sha256()
    for file in options.files:
        digest.update(file.read_bytes())
        results.read(file.read_text(encoding="utf-8"))
    for player, opponent, *counts in options.result:
        first, second = sorted((player, opponent))
        for points, games in zip((1.0, 0.5, 0.0), counts):
            results.add(first, second, points if player == first else 1 - points, int(games))
    given = {name: float(elo) for name, elo in (text.split("=") for text in options.anchor)}
    anchors = {name: elo for name, elo in given.items() if results.of(name)}
    spread = max(SPREADS, key=lambda spread: Fit(results, anchors, spread).evidence)
    fit = Fit(results, anchors, spread)
    engines = {name for name in fit.players if name in anchors or ",movetime_ms=" in name}
    levels = sorted(set(fit.players) - engines, key=fit.elo)
    print("| level | Elo (95 %) | against, won, drawn, lost |\n|---|---|---|")
    for level in levels:
        against = "; ".join(f"{name}: {w}, {d}, {l}" for name, (w, d, l) in results.of(level))
        print("| {} | {} ± {} | {} |".format(level, *fit.elo(level), against))
    print("\n| engine | published | fitted (95 %) | games | void |\n|---|---|---|---|---|")
    for engine in sorted(engines, key=fit.elo):
        published = f"{anchors[engine]:.0f}" if engine in anchors else ""
        games = sum(sum(counts) for _, counts in results.of(engine))
        void = sum(count for pair, count in results.void.items() if engine in pair)
        elo, error = fit.elo(engine)
        print(f"| {engine} | {published} | {elo} ± {error} | {games} | {void} |")
    print("\n| level | against | won, drawn, lost | score |\n|---|---|---|---|")
    for weaker, stronger in zip(levels, levels[1:]):
        counts = dict(results.of(stronger)).get(weaker)
        if counts:
            (won, drawn, lost), games = counts, sum(counts)
            print(
                f"| {stronger} | {weaker} | {won}, {drawn}, {lost} | {(won + drawn / 2) / games:.1%} |"
            )
    games = sum(sum(counts) for counts in results.pairs.values())
    void = sum(results.void.values())
    print(f"\n{games} games, {void} void games, spread of the anchors {spread} Elo (one deviation)")
    print(f"SHA-256 of the files in this order: {digest.hexdigest()}")


if __name__ == "__main__":
    main()
