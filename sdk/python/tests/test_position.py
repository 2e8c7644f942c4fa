"""Legal moves by perft, FEN, repetition and material.

The counts are the Chess Programming Wiki's perft results.
"""

import unittest

from rookery_ai import START, Move, Position

PERFT = [
    (START, [20, 400, 8902]),
    ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", [48, 2039]),
    ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", [14, 191, 2812]),
    ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", [6, 264, 9467]),
    ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", [44, 1486]),
    ("r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10", [46, 2079]),
]


def perft(position: Position, depth: int) -> int:
    moves = position.legal_moves()
    if depth == 1:
        return len(moves)
    return sum(perft(position.play(move), depth - 1) for move in moves)


def play(position: Position, moves: str) -> Position:
    for text in moves.split():
        position = position.play(Move.parse(text))
    return position


class Positions(unittest.TestCase):
    def test_counts_the_paths_of_known_positions(self) -> None:
        for fen, counts in PERFT:
            for depth, count in enumerate(counts, 1):
                self.assertEqual(perft(Position(fen), depth), count, f"{fen} at depth {depth}")

    def test_captures_are_the_legal_moves_that_capture_or_promote(self) -> None:
        for fen, _ in PERFT:
            for position in [Position(fen), *map(Position(fen).play, Position(fen).legal_moves())]:
                loud = [
                    move
                    for move in position.legal_moves()
                    if position.is_capture(move) or move.promotion
                ]
                self.assertEqual(sorted(position.legal_captures()), sorted(loud), position)
                self.assertEqual(position.has_legal_move(), bool(position.legal_moves()))

    def test_writes_the_fen_that_it_reads(self) -> None:
        for fen, _ in PERFT:
            self.assertEqual(Position(fen).fen(), fen)
        after = play(Position(), "e2e4 c7c5 e4e5 d7d5")
        self.assertEqual(
            after.fen(), "rnbqkbnr/pp2pppp/8/2ppP3/8/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 3"
        )
        # No pawn can capture on e3.
        self.assertEqual(play(Position(), "e2e4").fen().split()[3], "-")
        self.assertEqual(
            Position("4k3/8/8/8/8/8/8/4K2R w KQkq -").fen(), "4k3/8/8/8/8/8/8/4K2R w K - 0 1"
        )

    def test_rejects_malformed_fen_and_moves(self) -> None:
        for fen in (
            "8/8/8/8/8/8/8/8 w - - 0 1",
            "x",
            "9/8/8/8/8/8/8/Kk6 w - - 0 1",
            "k7/8/8/8/8/8/8/K6P w - - 0 1",
            "k7/8/8/8/8/8/8/K7 x - - 0 1",
            "k7/8/8/8/8/8/8/K7 w - e9 0 1",
            "",
        ):
            with self.assertRaises(ValueError, msg=fen):
                Position(fen)
        for move in ("e2", "e2e9", "e7e8k", "e2e4qq", ""):
            with self.assertRaises(ValueError, msg=move):
                Move.parse(move)

    def test_recognises_draws(self) -> None:
        shuffled = play(Position(), "g1f3 g8f6 f3g1 f6g8")
        self.assertTrue(shuffled.is_repetition() and shuffled.is_draw())
        self.assertFalse(play(Position(), "g1f3 g8f6 f3g1").is_draw())
        # The castling right is lost, so the position differs.
        self.assertFalse(
            play(Position("4k3/8/8/8/8/8/8/4K2R w K - 0 1"), "h1h2 e8d8 h2h1 d8e8").is_repetition()
        )
        for fen, is_insufficient in [
            ("8/8/4k3/8/8/3K1N2/8/8 w - -", True),
            ("8/8/4k3/8/8/3K1R2/8/8 w - -", False),
        ]:
            self.assertEqual(Position(fen).is_insufficient_material(), is_insufficient)
        self.assertTrue(Position("8/8/4k3/8/8/3K1R2/8/8 w - - 100 90").is_draw())


if __name__ == "__main__":
    unittest.main()
