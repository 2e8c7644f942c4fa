"""Converts positions to python-chess. It is under the GPL, so only `chess_board` imports it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .position import Move, Position

if TYPE_CHECKING:
    import chess


def chess_board(position: Position) -> chess.Board:
    """Returns a python-chess board with the moves of the game.

    Requires `pip install rookery-ai[chess]`.
    """
    import chess

    moves: list[Move] = []
    while position.previous is not None and position.last_move is not None:
        moves.append(position.last_move)
        position = position.previous
    board = chess.Board(position.fen())
    for move in reversed(moves):
        board.push_uci(move.uci())
    return board
