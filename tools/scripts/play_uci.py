#!/usr/bin/env python3
"""Plays games of `rookery uci` against Stockfish, with clocks. python-chess is the referee.

It fails if Rookery plays an illegal move, loses on time, crashes or times out. It may lose games.
"""

import argparse
import asyncio
import random
import sys
import time

import chess
import chess.engine


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rookery", required=True, help="the rookery binary")
    parser.add_argument("--config", required=True, help="the configuration")
    parser.add_argument("--ai", default="basic1", help="the AI that plays")
    parser.add_argument("--engine", default="/usr/games/stockfish", help="the opponent")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--concurrency", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=1.0, help="time on each clock")
    parser.add_argument("--increment", type=float, default=0.1, help="increment in seconds")
    # A longer game counts as drawn: the test is about the protocol, not the play.
    parser.add_argument("--plies", type=int, default=400, help="maximum half-moves per game")
    parser.add_argument("--seed", type=int, default=1, help="seed of the random openings")
    return parser.parse_args()


class Failure(Exception):
    pass


def opening(seed):
    """Returns a position after four random plies, so games differ."""
    generator = random.Random(seed)
    board = chess.Board()
    for _ in range(4):
        board.push(generator.choice(list(board.legal_moves)))
    return board


async def play(options, number):
    """Plays a game. Returns the result, Rookery's colour and the lowest time on its clock."""
    color = chess.WHITE if number % 2 == 0 else chess.BLACK
    command = [options.rookery, "uci", "--ai", options.ai, "--config", options.config]
    _, rookery = await chess.engine.popen_uci(command)
    _, opponent = await chess.engine.popen_uci(options.engine)
    least = options.seconds
    try:
        await opponent.configure({"Skill Level": number % 10})
        board = opening(options.seed * 100_000 + number // 2)
        clocks = {chess.WHITE: options.seconds, chess.BLACK: options.seconds}
        while not board.is_game_over(claim_draw=True) and board.ply() < options.plies:
            side = board.turn
            limit = chess.engine.Limit(
                white_clock=clocks[chess.WHITE],
                black_clock=clocks[chess.BLACK],
                white_inc=options.increment,
                black_inc=options.increment,
            )
            player = rookery if side == color else opponent
            began = time.monotonic()
            # python-chess raises an error for an illegal move, an engine that exits and lines that
            # are not UCI.
            answer = await asyncio.wait_for(player.play(board, limit, game=number), timeout=60)
            spent = time.monotonic() - began
            if side == color:
                if answer.move is None:
                    raise Failure(f"game {number}: no move in {board.fen()}")
                if spent > clocks[side]:
                    raise Failure(
                        f"game {number}: {spent:.3f} s of {clocks[side]:.3f} s in {board.fen()}"
                    )
                least = min(least, clocks[side] - spent)
            clocks[side] = max(clocks[side] - spent, 0.001) + options.increment
            board.push(answer.move)
        return board.result(claim_draw=True), color, least
    finally:
        for player in (rookery, opponent):
            try:
                await asyncio.wait_for(player.quit(), timeout=10)
            except (asyncio.TimeoutError, chess.engine.EngineTerminatedError):
                raise Failure(f"game {number}: an engine did not quit") from None


async def main():
    options = arguments()
    places = asyncio.Semaphore(options.concurrency)
    points, least, failures = [], options.seconds, []

    async def one(number):
        nonlocal least
        async with places:
            try:
                result, color, left = await play(options, number)
            except (Failure, chess.engine.EngineError, asyncio.TimeoutError) as error:
                failures.append(f"game {number}: {type(error).__name__}: {error}")
                return
            least = min(least, left)
            won = {"1-0": chess.WHITE, "0-1": chess.BLACK}.get(result)
            points.append(0.5 if won is None else float(won == color))

    await asyncio.gather(*(one(number) for number in range(options.games)))
    for failure in failures:
        print(f"error: {failure}", file=sys.stderr)
    print(
        f"{len(points)} of {options.games} games completed, {sum(points)} points, "
        f"lowest time on the clock {least:.3f} s, {len(failures)} failures"
    )
    return 1 if failures or len(points) != options.games else 0


sys.exit(asyncio.run(main()))
