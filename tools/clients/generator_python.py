"""Plays a game with the Python client of openapi-generator."""

import sys

from openapi_client import (
    AiApi,
    ApiClient,
    BestMoveForm,
    Configuration,
    GameForm,
    LimitForm,
    MovesGame,
)

api = AiApi(ApiClient(Configuration(host=sys.argv[1])))
moves: list[str] = []
while True:
    form = BestMoveForm(game=GameForm(MovesGame(moves=moves)), limit=LimitForm(depth=2))
    reply = api.best_move(form)
    if reply.move is None:
        break
    moves = reply.game.moves
print(f"{len(moves)} half-moves: {reply.game.status.reason}")
