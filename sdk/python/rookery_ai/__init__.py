"""Write a chess engine in Python: a class with a search. `run` speaks UCI for it.

Example:
    from rookery_ai import Engine, Limits, Position, run

    class Mine(Engine):
        name = "Mine"
        author = "Me"

        def search(self, position: Position, limits: Limits):
            return limits.moves[0]

    run(Mine)
"""

from .board import chess_board
from .engine import MATE, Engine, best_move, run
from .limits import Limits, Stopped
from .options import number
from .position import BLACK, START, WHITE, Move, Position, square, square_name

__all__ = [
    "BLACK",
    "MATE",
    "START",
    "WHITE",
    "Engine",
    "Limits",
    "Move",
    "Position",
    "Stopped",
    "best_move",
    "chess_board",
    "number",
    "run",
    "square",
    "square_name",
]
