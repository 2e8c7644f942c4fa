"""Serves legal moves with FastAPI and python-chess, with the fields of POST
/v1/legal-moves."""

import chess
from fastapi import FastAPI
from pydantic import BaseModel

app = FastAPI()


class Game(BaseModel):
    fen: str


class Form(BaseModel):
    game: Game


@app.post("/v1/legal-moves")
def legal_moves(form: Form) -> dict:
    board = chess.Board(form.game.fen)
    moves, dests = [], {}
    for move in board.legal_moves:
        start, end = chess.square_name(move.from_square), chess.square_name(move.to_square)
        dests.setdefault(start, []).append(end)
        moves.append(
            {
                "uci": move.uci(),
                "san": board.san(move),
                "from": start,
                "to": end,
                "promotion": move.promotion and chess.piece_name(move.promotion),
                "capture": board.is_capture(move),
                "check": board.gives_check(move),
            }
        )
    return {"moves": moves, "dests": dests, "game": {"fen": board.fen(), "check": board.is_check()}}
