"""Runs engines as processes, and checks what they send to a host."""

from __future__ import annotations

import pathlib
import subprocess
import sys
import time
import unittest
from typing import Optional

from rookery_ai import Engine, Limits, Move, Position, best_move

ENGINES = pathlib.Path(__file__).with_name("engines.py")


class Host:
    """A UCI host with one engine, from the tests or from a script."""

    def __init__(self, name: str, script: Optional[str] = None) -> None:
        # Without -u: the engine itself must flush.
        command = [sys.executable, *([str(ENGINES), name] if script is None else ["-c", script])]
        pipe = subprocess.PIPE
        self.engine = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True
        )

    def __enter__(self) -> Host:
        return self

    def __exit__(self, *_: object) -> None:
        self.engine.kill()
        self.engine.communicate()

    def send(self, *lines: str) -> None:
        assert self.engine.stdin is not None
        for line in lines:
            self.engine.stdin.write(line + "\n")
        self.engine.stdin.flush()

    def lines_until(self, last: str) -> list[str]:
        """Returns the lines up to one that begins with this text.

        The test runner sets the deadline.
        """
        assert self.engine.stdout is not None
        lines: list[str] = []
        while not lines or not lines[-1].startswith(last):
            line = self.engine.stdout.readline()
            assert line, f"the engine exited before '{last}': {lines}"
            lines.append(line.rstrip())
        return lines

    def best_move(self, *lines: str) -> str:
        self.send(*lines)
        return self.lines_until("bestmove")[-1]


class Draws(unittest.TestCase):
    def test_a_third_occurrence_in_the_game_and_a_second_in_the_search_are_draws(self) -> None:
        shuffle = [Move.parse(text) for text in ("g1f3", "g8f6", "f3g1", "f6g8")]
        drawn_after: dict[int, int] = {}

        class Shuffler(Engine):
            def search(self, position: Position, limits: Limits) -> Move:
                """Shuffles until a draw."""
                played = 0
                while not position.is_draw():
                    position = position.play(shuffle[(plies + played) % 4])
                    played += 1
                drawn_after[plies] = played
                return limits.moves[0]

        for plies in range(9):
            position = Position()
            for ply in range(plies):
                position = position.play(shuffle[ply % 4])
            best_move(Shuffler(), position, Limits())
        # The search ends when the root recurs after four plies, or when the start position occurs
        # for the third time, eight plies into the game.
        self.assertEqual(drawn_after, {0: 4, 1: 4, 2: 4, 3: 4, 4: 4, 5: 3, 6: 2, 7: 1, 8: 0})


class Uci(unittest.TestCase):
    def check_best(
        self, name: str, lines: list[str], expected: str, said: Optional[str] = None
    ) -> None:
        with Host(name) as host:
            host.send(*lines)
            found = host.lines_until("bestmove")
            self.assertEqual(found[-1], expected, found)
            self.assertTrue(said is None or any(said in line for line in found), found)
            host.send("isready")
            host.lines_until("readyok")

    def test_introduces_itself_with_its_options(self) -> None:
        with Host("Thinks") as host:
            host.send("uci")
            self.assertEqual(
                host.lines_until("uciok"),
                [
                    "id name Thinks",
                    "id author The tests",
                    "option name Ponder type check default false",
                    "option name contempt type spin default 5 min -100 max 100",
                    "option name style type combo default calm var calm var wild",
                    "option name noisy type check default false",
                    "option name book type string default <empty>",
                    "uciok",
                ],
            )

    def test_sets_options_and_rejects_invalid_values(self) -> None:
        settings = [
            ("contempt value -7", "contempt=-7"),
            ("STYLE value wild", "WILD"),
            ("noisy value true", "noisy=True"),
            ("book value a book.bin", "book='a book.bin'"),
            ("book value <empty>", "book=''"),
            ("contempt value 101", "expected a number from -100 to 100"),
            ("noisy value yes", "expected true or false"),
            ("style value rude", "expected one of calm, wild"),
            (
                "depth value 3",
                "found no option 'depth'; the options are: contempt, style, noisy, book",
            ),
        ]
        with Host("Thinks") as host:
            for setting, said in settings:
                host.send(f"setoption name {setting}", "isready")
                found = host.lines_until("readyok")
                self.assertIn(said, found[0])

    def test_answers_while_it_searches(self) -> None:
        with Host("Thinks") as host:
            host.send("go infinite")
            host.lines_until("info depth 1 score cp 13 nodes 0")
            host.send("isready")
            host.lines_until("readyok")
            self.assertRegex(host.best_move("stop"), "^bestmove [a-h]")
            self.assertEqual(
                host.best_move("position startpos moves f2f3 e7e5 g2g4", "go nodes 9"),
                "bestmove g8h6",
            )

    def test_respects_limits(self) -> None:
        with Host("Thinks") as host:
            host.send("go nodes 1000")
            host.lines_until("bestmove")
            for go, shortest, longest in [
                ("movetime 200", 0.15, 1),
                ("wtime 3000 btime 9 winc 0 binc 0", 0.05, 2),
            ]:
                began = time.monotonic()
                host.best_move("go " + go)
                self.assertTrue(shortest < time.monotonic() - began < longest, go)
            # Black has a different clock.
            began = time.monotonic()
            host.best_move("position startpos moves e2e4", "go wtime 600000 btime 200")
            self.assertLess(time.monotonic() - began, 1)

    def test_ponders_until_the_hit(self) -> None:
        with Host("Thinks") as host:
            host.send(
                "position startpos moves e2e4 e7e5", "go ponder movetime 100 wtime 1000 btime 1000"
            )
            host.lines_until("info depth")
            host.send("isready")
            self.assertEqual(host.lines_until("readyok"), ["readyok"])
            began = time.monotonic()
            host.best_move("ponderhit")
            self.assertGreater(time.monotonic() - began, 0.05)
            host.send("go ponder wtime 1000 btime 1000")
            host.best_move("stop")

    def test_withholds_the_result_of_an_infinite_search(self) -> None:
        with Host("First") as host:
            host.send("go infinite", "isready")
            self.assertEqual(host.lines_until("readyok"), ["readyok"])
            self.assertEqual(host.best_move("stop"), "bestmove b1a3")

    def test_offers_only_the_moves_that_the_host_selects(self) -> None:
        self.check_best("First", ["go depth 1 searchmoves h2h4 a2a3"], "bestmove a2a3")

    def test_keeps_playing_after_an_exception(self) -> None:
        said = "info string the search failed: RuntimeError: out of ideas (engines.py, line "
        self.check_best("Fails", ["position startpos", "go depth 1"], "bestmove g1h3", said)
        self.check_best(
            "Fails", ["position startpos moves e2e4", "go depth 1"], "bestmove a7a6", said
        )

    def test_replaces_an_illegal_move(self) -> None:
        self.check_best(
            "Illegal",
            ["go depth 1"],
            "bestmove b1a3",
            "returned e2e5, which is not legal in rnbqkbnr/",
        )

    def test_reports_an_illegal_game(self) -> None:
        with Host("First") as host:
            host.send("position startpos moves e2e5", "isready")
            self.assertIn("e2e5 is illegal in rnbqkbnr", host.lines_until("readyok")[0])

    def test_answers_with_no_move_if_there_is_none(self) -> None:
        self.check_best(
            "First", ["position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "go depth 1"], "bestmove 0000"
        )

    def test_exits_with_its_host(self) -> None:
        for name, lines in [
            ("First", ["quit"]),
            ("Thinks", ["go infinite", "quit"]),
            ("Deaf", ["go infinite", "quit"]),
        ]:
            with Host(name) as host:
                host.send(*lines)
                self.assertEqual(host.engine.wait(30), 0, name)
        for name, lines in [("First", []), ("Thinks", ["go infinite"])]:
            with Host(name) as host:
                host.send(*lines)
                assert host.engine.stdin is not None
                host.engine.stdin.close()
                self.assertEqual(host.engine.wait(30), 0, name)
                host.engine.stdin = None

    def test_borrows_a_python_chess_board(self) -> None:
        try:
            import chess  # noqa: F401
        except ImportError:
            self.skipTest("python-chess is not installed")
        with Host("Borrows") as host:
            host.send("position startpos moves e2e4 e7e5 g1f3", "go depth 1")
            self.assertIn("info string 3 moves", host.lines_until("bestmove"))

    def test_the_engine_in_the_readme_plays(self) -> None:
        readme = ENGINES.parent.parent.joinpath("README.md").read_text()
        example = readme.split("```python\n")[1].split("```")[0]
        with Host("README.md", example) as host:
            hanging = "position fen 4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1"
            self.assertEqual(host.best_move(hanging, "go depth 1"), "bestmove e4d5")


if __name__ == "__main__":
    unittest.main()
