"""Games and positions for reports: games at levels, random moves in them, endings, cases."""

import dataclasses
import json
import pathlib
import random
import typing

import chess
from server import Client

# Close to the Elo of levels 1, 3, 5, 7, 9 and 10 in config/rookery.toml.
LEVELS = (680, 950, 1150, 1350, 1550, 1680)
# Endings, by the pieces other than the kings. The tablebases cover each with either side as White.
ENDINGS = ("P", "Pp", "R", "Rp", "Q", "Qp", "Rb", "Rn", "QR", "Bp", "Np", "PP")


@dataclasses.dataclass
class Game:
    """A game to report. In a case only the last move counts, and `kinds` are expected for it."""

    source: str
    fen: str
    moves: list[str]
    options: dict[str, typing.Any] = dataclasses.field(default_factory=dict)
    kinds: tuple[str, ...] = ()

    @property
    def body(self) -> dict[str, typing.Any]:
        return {"fen": self.fen, "moves": self.moves}


def play(client: Client, level: int, seed: int, plies: int) -> chess.Board:
    """Plays a game of the AI against itself. Each move has its own seed."""
    board = chess.Board()
    for move in range(plies):
        if board.is_game_over(claim_draw=True):
            break
        request = {
            "game": {"moves": [each.uci() for each in board.move_stack]},
            "options": {"elo": level, "seed": seed * 1000 + move},
        }
        board.push_uci(client.post("/v1/best-move", request)["move"]["uci"])
    return board


def options_of(seed: int) -> dict[str, typing.Any]:
    """Alternates between the hand-written evaluation, which has terms to claim, and the net."""
    return {"evaluation": "terms"} if seed % 2 else {}


def level_games(
    client: Client, level: int, seed: int, plies: int, walks: int
) -> typing.Iterator[Game]:
    """Yields a game, and random moves from random positions in it."""
    board = play(client, level, seed, plies)
    moves = [move.uci() for move in board.move_stack]
    yield Game(f"level {level}", chess.STARTING_FEN, moves, options_of(seed))
    generator = random.Random(seed)
    for number in range(walks):
        position = chess.Board()
        for move in moves[: generator.randrange(4, max(5, len(moves)))]:
            position.push_uci(move)
        yield from random_walk(position, generator, number, seed)


def random_walk(
    position: chess.Board, generator: random.Random, number: int, seed: int
) -> typing.Iterator[Game]:
    for _ in range(number % 3):
        if moves := list(position.legal_moves):
            position.push(generator.choice(moves))
    if not position.is_game_over():
        move = generator.choice(list(position.legal_moves))
        yield Game("random move", position.fen(), [move.uci()], options_of(seed + number))


def endings(seed: int, count: int) -> typing.Iterator[Game]:
    """Yields random legal moves in random positions with few pieces."""
    generator = random.Random(seed)
    while count:
        men = "Kk" + ENDINGS[count % len(ENDINGS)]
        board = chess.Board(None)
        for square, man in zip(generator.sample(chess.SQUARES, len(men)), men):
            board.set_piece_at(square, chess.Piece.from_symbol(man))
        board.turn = generator.random() < 0.5
        if generator.random() < 0.5:
            board.apply_mirror()
        # The server rejects a check that no move could have given.
        if board.is_valid() and not board.is_check() and not board.is_game_over():
            move = generator.choice(list(board.legal_moves))
            yield Game("ending", board.fen(), [move.uci()])
            count -= 1


def cases(file: pathlib.Path) -> typing.Iterator[Game]:
    for case in json.loads(file.read_text()):
        board = chess.Board(case.get("fen", chess.STARTING_FEN))
        for move in [*case.get("before", []), case["move"]]:
            board.push_san(move)
        moves = [move.uci() for move in board.move_stack]
        kinds = tuple(case["kinds"])
        yield Game("case", board.root().fen(), moves, case.get("options", {}), kinds)
