"""Plays an AI of a Rookery server against itself. Needs only the standard library.

Usage:
    python3 docs/examples/play.py http://127.0.0.1:8080
"""

import json
import sys
import urllib.error
import urllib.request

SERVER = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8080"


class Problem(Exception):
    """An error from the server. Its `code` is stable, and its `detail` is for people."""

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
        raise Problem(json.load(error)) from None


def main():
    # The AI plays both sides. Each reply contains the complete game for the next request.
    moves = ["e2e4"]
    while len(moves) < 8:
        reply = call("/v1/best-move", {"game": {"moves": moves}, "limit": {"depth": 2}})
        if reply["move"] is None:
            break
        moves = reply["game"]["moves"]
        print(len(moves), reply["move"]["san"], reply["score"])

    print(call("/v1/convert", {"game": {"moves": moves}, "to": "pgn"})["pgn"])

    # The error for an illegal game lists every issue with its JSON pointer.
    try:
        call("/v1/validate", {"game": {"moves": ["e2e5", "zzzz"]}})
    except Problem as error:
        for issue in error.problem["issues"]:
            print(issue["pointer"], issue["code"], "-", issue["message"])


main()
