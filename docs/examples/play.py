"""Plays a game against an AI of a Rookery server, with nothing but Python's own library.

    python3 docs/examples/play.py http://127.0.0.1:8080
"""

import json
import sys
import urllib.error
import urllib.request

SERVER = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8080"


class Refused(Exception):
    """The server's answer, where it is an error: `code` is stable, `detail` is for people."""

    def __init__(self, problem):
        super().__init__(f"{problem['code']}: {problem['detail']}")
        self.problem = problem


def call(path, body):
    request = urllib.request.Request(
        SERVER + path, json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    try:
        with urllib.request.urlopen(request) as response:
            return json.load(response)
    except urllib.error.HTTPError as error:
        raise Refused(json.load(error)) from None


def main():
    # The AI plays both sides; each answer has the whole game so far, which is sent again.
    moves = ["e2e4"]
    while len(moves) < 8:
        answer = call("/v1/best-move", {"game": {"moves": moves}, "limit": {"depth": 2}})
        if answer["move"] is None:
            break
        moves = answer["game"]["moves"]
        print(len(moves), answer["move"]["san"], answer["score"])

    print(call("/v1/convert", {"game": {"moves": moves}, "to": "pgn"})["pgn"])

    # What is wrong with a game is told at once, each with its place.
    try:
        call("/v1/validate", {"game": {"moves": ["e2e5", "zzzz"]}})
    except Refused as refused:
        for issue in refused.problem["issues"]:
            print(issue["pointer"], issue["code"], "-", issue["message"])


main()
