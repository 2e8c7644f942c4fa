"""Chess positions with legal moves and FEN. Chess960 is not supported."""

from __future__ import annotations

import copy
from typing import Iterator, NamedTuple, Optional

WHITE = True
BLACK = False
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"


def square(name: str) -> int:
    """Returns the number of a square: a1 is 0, b1 is 1, h8 is 63."""
    if len(name) != 2 or name[0] not in "abcdefgh" or name[1] not in "12345678":
        raise ValueError(f"found {name!r}, expected a square such as e4")
    return ord(name[0]) - ord("a") + 8 * (ord(name[1]) - ord("1"))


def square_name(number: int) -> str:
    return "abcdefgh"[number % 8] + "12345678"[number // 8]


class Move(NamedTuple):
    """A move between two squares. Castling is a king move of two squares."""

    origin: int
    target: int
    promotion: str = ""  # "q", "r", "b" or "n"

    @classmethod
    def parse(cls, text: str) -> Move:
        """Reads UCI notation, such as e2e4 or e7e8q."""
        if len(text) not in (4, 5) or text[4:] not in ("", "q", "r", "b", "n"):
            raise ValueError(f"found {text!r}, expected a move such as e2e4 or e7e8q")
        return cls(square(text[:2]), square(text[2:4]), text[4:])

    def uci(self) -> str:
        return square_name(self.origin) + square_name(self.target) + self.promotion

    def __str__(self) -> str:
        return self.uci()


def _reached(origin: int, steps: tuple[tuple[int, int], ...]) -> tuple[int, ...]:
    file, rank = origin % 8, origin // 8
    reached = [(file + across, rank + up) for across, up in steps]
    return tuple(to + 8 * up for to, up in reached if 0 <= to < 8 and 0 <= up < 8)


def _ray(origin: int, across: int, up: int) -> tuple[int, ...]:
    return _reached(origin, tuple((across * length, up * length) for length in range(1, 8)))


_STRAIGHT = ((0, 1), (0, -1), (1, 0), (-1, 0))
_DIAGONAL = ((1, 1), (1, -1), (-1, 1), (-1, -1))
_JUMPS = tuple((a, b) for a in (-2, -1, 1, 2) for b in (-2, -1, 1, 2) if abs(a) != abs(b))
_KNIGHT = tuple(_reached(origin, _JUMPS) for origin in range(64))
_KING = tuple(_reached(origin, _STRAIGHT + _DIAGONAL) for origin in range(64))
_ROOK = tuple(tuple(_ray(origin, *step) for step in _STRAIGHT) for origin in range(64))
_BISHOP = tuple(tuple(_ray(origin, *step) for step in _DIAGONAL) for origin in range(64))
_QUEEN = tuple(_ROOK[origin] + _BISHOP[origin] for origin in range(64))
_SLIDES = {"R": _ROOK, "B": _BISHOP, "Q": _QUEEN}
# The squares that a pawn attacks, by its color (False is Black).
_PAWN = tuple(
    tuple(_reached(origin, ((1, up), (-1, up))) for origin in range(64)) for up in (-1, 1)
)
# The squares in line with each square. A piece that is not in line with its king is not pinned.
_LINES = tuple(frozenset(target for ray in rays for target in ray) for rays in _QUEEN)
# The castling rights lost by a move from or to a square.
_RIGHTS = {0: "Q", 4: "KQ", 7: "K", 56: "q", 60: "kq", 63: "k"}
# The squares between king and rook, the squares that the king crosses, and its target.
_CASTLING = {
    "K": ((5, 6), (5, 6), 6),
    "Q": ((1, 2, 3), (3, 2), 2),
    "k": ((61, 62), (61, 62), 62),
    "q": ((57, 58, 59), (59, 58), 58),
}


def _is_attacked(board: list[str], target: int, by_white: bool) -> bool:
    pawn, knight, bishop, rook, queen, king = list("PNBRQK" if by_white else "pnbrqk")
    for origin in _KNIGHT[target]:
        if board[origin] == knight:
            return True
    for origin in _PAWN[not by_white][target]:
        if board[origin] == pawn:
            return True
    for origin in _KING[target]:
        if board[origin] == king:
            return True
    for rays, slider in ((_ROOK[target], rook), (_BISHOP[target], bishop)):
        for ray in rays:
            for origin in ray:
                piece = board[origin]
                if piece != ".":
                    if piece == slider or piece == queen:
                        return True
                    break
    return False


class Position:
    """An immutable position: `play` returns a new one."""

    __slots__ = (
        "board",
        "turn",
        "castling",
        "en_passant",
        "halfmove_clock",
        "fullmove_number",
        "previous",
        "last_move",
        "_ply",
    )

    #: The pieces from a1 to h8: `PNBRQK` are White's, `pnbrqk` Black's, `.` is an empty square.
    board: str
    #: The side to move: WHITE or BLACK.
    turn: bool
    #: The castling rights, some of `KQkq`.
    castling: str
    #: The square that a pawn has just passed, if an enemy pawn is ready to capture it there.
    en_passant: Optional[int]
    #: Plies since the last capture or pawn move.
    halfmove_clock: int
    fullmove_number: int
    #: The position before `last_move`; `None` at the start of the game.
    previous: Optional[Position]
    last_move: Optional[Move]
    # Plies since the root of the search or, without a search, since the start.
    _ply: int

    def __init__(self, fen: str = START) -> None:
        fields = fen.split() + ["w", "-", "-", "0", "1"][len(fen.split()) - 1 :]
        rows = fields[0].split("/")
        for digit in "12345678":
            rows = [row.replace(digit, "." * int(digit)) for row in rows]
        board = "".join(reversed(rows))
        if [len(row) for row in rows] != [8] * 8 or set(board) - set(".PNBRQKpnbrqk"):
            raise ValueError(f"found {fields[0]!r}, expected eight ranks of pieces in FEN")
        if (
            board.count("K") != 1
            or board.count("k") != 1
            or set(board[:8] + board[56:]) & set("Pp")
        ):
            raise ValueError(
                f"found {fields[0]!r}, expected one king per side, "
                "and no pawn on the first or last rank"
            )
        if fields[1] not in ("w", "b"):
            raise ValueError(f"found {fields[1]!r} as the side to move, expected w or b")
        self.board = board
        self.turn = fields[1] == "w"
        homes = {"K": (4, 7), "Q": (4, 0), "k": (60, 63), "q": (60, 56)}
        king_and_rook = {right: ("KR" if right.isupper() else "kr") for right in homes}
        self.castling = "".join(
            right
            for right, (king, rook) in homes.items()
            if right in fields[2] and board[king] + board[rook] == king_and_rook[right]
        )
        self.en_passant = (
            None if fields[3] == "-" else self._capturable(square(fields[3]), self.turn)
        )
        self.halfmove_clock, self.fullmove_number = int(fields[4]), int(fields[5])
        self.previous = self.last_move = None
        self._ply = 0

    def _capturable(self, passed: int, by_white: bool) -> Optional[int]:
        pawn = "P" if by_white else "p"
        return (
            passed
            if any(self.board[origin] == pawn for origin in _PAWN[not by_white][passed])
            else None
        )

    def fen(self) -> str:
        rows = []
        for rank in range(7, -1, -1):
            row = self.board[8 * rank : 8 * rank + 8]
            for length in range(8, 0, -1):
                row = row.replace("." * length, str(length))
            rows.append(row)
        turn = "w" if self.turn else "b"
        passed = "-" if self.en_passant is None else square_name(self.en_passant)
        counts = f"{self.halfmove_clock} {self.fullmove_number}"
        return f"{'/'.join(rows)} {turn} {self.castling or '-'} {passed} {counts}"

    def __repr__(self) -> str:
        return f"Position({self.fen()!r})"

    def key(self) -> tuple[str, bool, str, Optional[int]]:
        """Returns a key that is equal for positions that repeat each other."""
        return (self.board, self.turn, self.castling, self.en_passant)

    def in_check(self) -> bool:
        king = self.board.index("K" if self.turn else "k")
        return _is_attacked(list(self.board), king, not self.turn)

    def is_attacked(self, target: int, by: bool) -> bool:
        """Returns whether a side attacks a square."""
        return _is_attacked(list(self.board), target, by)

    def is_capture(self, move: Move) -> bool:
        if self.board[move.target] != ".":
            return True
        return move.target == self.en_passant and self.board[move.origin] in "Pp"

    def legal_moves(self) -> list[Move]:
        return list(self._legal(False))

    def legal_captures(self) -> list[Move]:
        """Returns the legal moves that capture or promote."""
        return list(self._legal(True))

    def has_legal_move(self) -> bool:
        return next(self._legal(False), None) is not None

    def _legal(self, captures: bool) -> Iterator[Move]:
        board = list(self.board)
        king = self.board.index("K" if self.turn else "k")
        in_check = _is_attacked(board, king, not self.turn)
        lines = _LINES[king]
        for move in self._candidates(captures, in_check):
            origin, target, _ = move
            if in_check or origin == king or origin in lines or target == self.en_passant:
                piece, captured = board[origin], board[target]
                board[origin], board[target] = ".", piece
                passed = None
                if target == self.en_passant and piece in "Pp":
                    passed = target - 8 if self.turn else target + 8
                    pawn, board[passed] = board[passed], "."
                left_in_check = _is_attacked(
                    board, target if origin == king else king, not self.turn
                )
                board[origin], board[target] = piece, captured
                if passed is not None:
                    board[passed] = pawn
                if left_in_check:
                    continue
            yield move

    def _candidates(self, captures: bool, in_check: bool) -> Iterator[Move]:
        """Returns the moves, including some that leave the king in check."""
        board, turn = self.board, self.turn
        enemies = "pnbrq" if turn else "PNBRQ"
        wanted = enemies if captures else enemies + "."
        for origin, piece in enumerate(board):
            if piece == "." or piece.isupper() != turn:
                continue
            kind = piece.upper()
            if kind == "P":
                yield from self._pawn_moves(origin, captures, enemies)
            elif kind == "N" or kind == "K":
                for target in (_KNIGHT if kind == "N" else _KING)[origin]:
                    if board[target] in wanted:
                        yield Move(origin, target)
                if kind == "K" and not captures and not in_check:
                    yield from self._castling_moves(origin)
            else:
                for ray in _SLIDES[kind][origin]:
                    for target in ray:
                        met = board[target]
                        if met in wanted:
                            yield Move(origin, target)
                        if met != ".":
                            break

    def _pawn_moves(self, origin: int, captures: bool, enemies: str) -> Iterator[Move]:
        board = self.board
        targets = [
            to for to in _PAWN[self.turn][origin] if board[to] in enemies or to == self.en_passant
        ]
        forward, home, last = (8, 1, 7) if self.turn else (-8, 6, 0)
        promotes = (origin + forward) // 8 == last
        if board[origin + forward] == "." and (promotes or not captures):
            targets.append(origin + forward)
            if origin // 8 == home and board[origin + 2 * forward] == ".":
                targets.append(origin + 2 * forward)
        for target in targets:
            for promotion in "qrbn" if promotes else ("",):
                yield Move(origin, target, promotion)

    def _castling_moves(self, king: int) -> Iterator[Move]:
        for right in self.castling:
            if right.isupper() != self.turn:
                continue
            between, crossed, target = _CASTLING[right]
            is_free = all(self.board[on] == "." for on in between)
            if is_free and not any(self.is_attacked(on, not self.turn) for on in crossed):
                yield Move(king, target)

    def play(self, move: Move) -> Position:
        """Returns the position after a legal move."""
        origin, target, promotion = move
        board = list(self.board)
        piece, captured = board[origin], board[target]
        is_pawn = piece in "Pp"
        board[origin] = "."
        board[target] = piece if not promotion else promotion.upper() if self.turn else promotion
        passed = None
        if is_pawn:
            if target == self.en_passant:
                board[target - 8 if self.turn else target + 8] = "."
            elif abs(target - origin) == 16:
                passed = (origin + target) // 2
        elif piece in "Kk" and abs(target - origin) == 2:
            rook, beside = (target + 1, target - 1) if target > origin else (target - 2, target + 1)
            board[rook], board[beside] = ".", board[rook]
        castling = self.castling
        if castling and (origin in _RIGHTS or target in _RIGHTS):
            ended = _RIGHTS.get(origin, "") + _RIGHTS.get(target, "")
            castling = "".join(right for right in castling if right not in ended)
        after = Position.__new__(Position)
        after.board, after.turn, after.castling = "".join(board), not self.turn, castling
        after.en_passant = None if passed is None else after._capturable(passed, after.turn)
        after.halfmove_clock = 0 if is_pawn or captured != "." else self.halfmove_clock + 1
        after.fullmove_number = self.fullmove_number + (not self.turn)
        after.previous, after.last_move, after._ply = self, move, self._ply + 1
        return after

    def is_repetition(self) -> bool:
        """Returns whether the position occurred since the search's root, or twice in the game.

        One earlier occurrence in the game is not enough: the opponent need not allow another. The
        root is the position that the engine searches or, without a search, the first position.
        """
        earlier, times = self.previous, 0
        for back in range(1, self.halfmove_clock + 1):
            if earlier is None:
                return False
            if earlier.board == self.board and earlier.key() == self.key():
                times += 1
                if times == 2 or back <= self._ply:
                    return True
            earlier = earlier.previous
        return False

    def _as_root(self) -> Position:
        root = copy.copy(self)
        root._ply = 0
        return root

    def is_insufficient_material(self) -> bool:
        """Returns whether a king with at most one knight or bishop faces a bare king."""
        return sorted(self.board.replace(".", "").upper()) in (
            ["K", "K"],
            ["B", "K", "K"],
            ["K", "K", "N"],
        )

    def is_draw(self) -> bool:
        """Returns whether a search may count the position as drawn by repetition, by the fifty-move
        rule or by insufficient material. Does not check for stalemate."""
        return self.halfmove_clock >= 100 or self.is_repetition() or self.is_insufficient_material()
