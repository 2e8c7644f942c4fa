"""Lines of moves, and the terms of docs/claims.md for their positions: balance, quiet, gain."""

from __future__ import annotations

import chess

WORTH = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9}
# The value of a king as an attacker: no target is worth more. A king is not material.
PRICELESS = 100
ROLES = {name: role for role, name in enumerate(chess.PIECE_NAMES) if name}


class Untrue(Exception):
    """The reason why a claim is false."""


def demand(condition: object, reason: str) -> None:
    if not condition:
        raise Untrue(reason)


def worth(role: int) -> int:
    return WORTH.get(role, PRICELESS)


def balance(board: chess.Board, side: chess.Color) -> int:
    return sum(
        value * (len(board.pieces(role, side)) - len(board.pieces(role, not side)))
        for role, value in WORTH.items()
    )


def is_noisy(board: chess.Board, move: chess.Move) -> bool:
    return board.is_capture(move) or move.promotion is not None


def captured_square(board: chess.Board, move: chess.Move) -> chess.Square | None:
    """Returns the square of the captured piece, which differs from the target in en passant."""
    if board.is_en_passant(move):
        file = chess.square_file(move.to_square)
        return chess.square(file, chess.square_rank(move.from_square))
    return move.to_square if board.is_capture(move) else None


def captures_on(board: chess.Board, square: chess.Square) -> list[chess.Move]:
    """Returns the legal captures on this square."""
    mask = chess.BB_SQUARES[square]
    return [move for move in board.generate_legal_moves(to_mask=mask) if board.is_capture(move)]


def next_behind(
    board: chess.Board, slider: chess.Square, square: chess.Square
) -> chess.Square | None:
    """Returns the next piece behind `square`, if the slider attacks that square along a line."""
    if board.piece_type_at(slider) not in (chess.BISHOP, chess.ROOK, chess.QUEEN):
        return None
    if square not in board.attacks(slider):
        return None
    beyond = chess.SquareSet(chess.ray(slider, square)) - chess.SquareSet.between(slider, square)
    found = [
        other
        for other in beyond & board.occupied
        if square in chess.SquareSet.between(slider, other)
    ]
    return min(found, key=lambda other: chess.square_distance(square, other), default=None)


class Line:
    """A legal line with its positions. Each piece is numbered by its first square."""

    def __init__(self, start: chess.Board, moves: list[str], san: list[str], name: str) -> None:
        self.boards = [start.copy(stack=False)]
        self.moves: list[chess.Move] = []
        self.men = [{square: square for square in chess.SquareSet(start.occupied)}]
        demand(len(moves) == len(san), f"{name} has {len(moves)} moves and {len(san)} in SAN")
        for number, (text, expected) in enumerate(zip(moves, san), 1):
            self._play(text, expected, f"{name}, move {number}: ")

    def _play(self, text: str, expected: str, place: str) -> None:
        board = self.boards[-1]
        try:
            move = board.parse_uci(text)
        except ValueError:
            raise Untrue(f"{place}{text} is illegal") from None
        san = board.san(move)
        demand(san == expected, f"{place}its SAN is {san}, not {expected}")
        self.men.append(self._men_after(board, move))
        self.moves.append(move)
        self.boards.append(board.copy(stack=False))
        self.boards[-1].push(move)
        self.boards[-1].clear_stack()

    def _men_after(self, board: chess.Board, move: chess.Move) -> dict[int, int]:
        men = dict(self.men[-1])
        square = captured_square(board, move)
        if square is not None:
            del men[square]
        man = men.pop(move.from_square)
        if board.is_castling(move):
            kingside = move.to_square > move.from_square
            rook = move.to_square + (1 if kingside else -2)
            men[move.to_square + (-1 if kingside else 1)] = men.pop(rook)
        men[move.to_square] = man
        return men

    def __len__(self) -> int:
        return len(self.moves)

    @property
    def actor(self) -> chess.Color:
        return self.boards[0].turn

    @property
    def end(self) -> chess.Board:
        return self.boards[-1]

    def square_of(self, man: int, position: int) -> chess.Square | None:
        return next((square for square, who in self.men[position].items() if who == man), None)

    def captured(self, number: int) -> chess.Square | None:
        """Returns the square on which this move of the line captures. Moves count from 1."""
        return captured_square(self.boards[number - 1], self.moves[number - 1])

    def captured_man(self, number: int) -> int | None:
        square = self.captured(number)
        return None if square is None else self.men[number - 1][square]

    def moved_man(self, number: int) -> int:
        return self.men[number - 1][self.moves[number - 1].from_square]

    def actor_moves(self, first: int, last: int) -> range:
        """Returns the numbers of the actor's moves from `first` to `last`. They are odd."""
        return range(first + (first + 1) % 2, last + 1, 2)

    def is_quiet(self, position: int) -> bool:
        if position < len(self):
            return not is_noisy(self.boards[position], self.moves[position])
        if not self.moves or not is_noisy(self.boards[-2], self.moves[-1]):
            return True
        return not captures_on(self.end, self.moves[-1].to_square)

    def last_quiet(self) -> int | None:
        quiet = (number for number in range(len(self), -1, -1) if self.is_quiet(number))
        return next(quiet, None)

    def gain(self, position: int, origin: chess.Board) -> int:
        return balance(self.boards[position], self.actor) - balance(origin, self.actor)
