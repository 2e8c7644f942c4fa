"""Engines for the tests: `engines.py NAME` runs one."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from enum import Enum
from typing import Optional

from rookery_ai import Engine, Limits, Move, Position, chess_board, number, run


class Style(Enum):
    CALM = "calm"
    WILD = "wild"


@dataclass(frozen=True)
class Options:
    contempt: int = number(5, -100, 100)
    style: Style = Style.CALM
    noisy: bool = False
    book: str = ""


class Thinks(Engine):
    """Thinks until it is stopped, and plays the last move of the list."""

    name = "Thinks"
    author = "The tests"
    options: Options = Options()

    def search(self, position: Position, limits: Limits) -> Optional[Move]:
        self.report(1, 13, [limits.moves[-1]], limits)
        while True:
            limits.visit()

    def options_changed(self) -> None:
        print(f"info string now {self.options}", flush=True)


class Fails(Engine):
    def search(self, position: Position, limits: Limits) -> Optional[Move]:
        if position.turn:
            self.report(1, 0, [limits.moves[3]], limits)
        raise RuntimeError("out of\nideas")


class Illegal(Engine):
    def search(self, position: Position, limits: Limits) -> str:
        return "e2e5"


class Deaf(Engine):
    """Never checks whether it must stop."""

    def search(self, position: Position, limits: Limits) -> Optional[Move]:
        while True:
            time.sleep(0.01)


class Borrows(Engine):
    """Searches with python-chess."""

    def search(self, position: Position, limits: Limits) -> str:
        board = chess_board(position)
        print(f"info string {len(board.move_stack)} moves", flush=True)
        return next(iter(board.legal_moves)).uci()


class First(Engine):
    def search(self, position: Position, limits: Limits) -> Move:
        return limits.moves[0]


if __name__ == "__main__":
    run(
        {engine.__name__: engine for engine in (Thinks, Fails, Illegal, Deaf, Borrows, First)}[
            sys.argv[1]
        ]
    )
