"""A small material search that doubts claims: can the mover keep everything after all?"""

from __future__ import annotations

import chess
from definitions import Claim, Judged
from lines import balance, is_noisy, worth

# The limit for each claim. A longer search would prove nothing.
MOST_NODES = 2000
DEEPEST_EXCHANGE = 8
# The search sees a defence, a move and exchanges after it, so it cannot judge slower claims.
LATEST = 3


class TooLong(Exception):
    pass


class Search:
    def __init__(self, board: chess.Board) -> None:
        self.board = board
        self.nodes = 0

    def moves(self, only_noisy: bool) -> list[chess.Move]:
        """Returns the moves, captures first, by most valuable victim and least valuable piece."""
        board = self.board

        def order(move: chess.Move) -> int:
            victim = board.piece_type_at(move.to_square) if board.is_capture(move) else None
            own = board.piece_type_at(move.from_square) or 0
            return -10 * worth(victim or chess.PAWN) + worth(own) if is_noisy(board, move) else 0

        found = [move for move in board.legal_moves if not only_noisy or is_noisy(board, move)]
        return sorted(found, key=order)

    def reaches(self, goal: int, quiet_plies: int, exchange: int = 0) -> bool:
        """Returns whether the side to move keeps a balance of at least `goal` against all replies."""
        board = self.board
        self.nodes += 1
        if self.nodes > MOST_NODES:
            raise TooLong
        check = board.is_check()
        only_noisy = quiet_plies <= 0 and not check
        if quiet_plies <= 0 and (not check or exchange >= DEEPEST_EXCHANGE):
            if balance(board, board.turn) >= goal:
                return True
            if exchange >= DEEPEST_EXCHANGE:
                return False
        moves = self.moves(only_noisy)
        if not moves and not any(board.legal_moves):
            return not check and goal <= 0
        for move in moves:
            board.push(move)
            refuted = self.reaches(1 - goal, quiet_plies - 1, exchange + (quiet_plies <= 0))
            board.pop()
            if not refuted:
                return True
        return False


def doubt_mate(judged: Judged, claim: Claim) -> str | None:
    """Checks that the AI found the same mate."""
    if "moves" not in claim:
        return None
    score = judged.record["score_after" if claim["start"] == "after" else "score"] or {}
    found = abs(score.get("mate", 0))
    return None if found == claim["moves"] else f"the AI's score is {score}"


def doubt_loss(judged: Judged, claim: Claim) -> str | None:
    """Returns a defence that keeps everything after the first move, if a search finds one."""
    if claim["kind"] not in ("loses_material", "hangs_piece") or claim["after"] > LATEST:
        return None
    board = judged.after
    board.push_uci(claim["line"][0])
    goal = balance(judged.before, judged.mover)
    search = Search(board)
    try:
        for move in search.moves(only_noisy=False):
            board.push(move)
            loses = search.reaches(1 - goal, 1)
            board.pop()
            if not loses:
                return f"{claim['san'][0]} {board.san(move)} keeps everything"
    except TooLong:
        pass
    return None
