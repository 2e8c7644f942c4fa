"""Prints the median times of a UCI engine in µs: from `isready` to `readyok`, and from
`go nodes 1` to `bestmove`. Arguments: COMMAND."""

import statistics
import subprocess
import sys
import time

QUESTIONS = 2_000
engine = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)


def ask(question, answer):
    started = time.perf_counter()
    engine.stdin.write(question)
    for line in lines:
        if line.startswith(answer):
            return (time.perf_counter() - started) * 1e6
    sys.exit(f"{sys.argv[1:]} ended before {answer.decode()}")


def median(question, answer):
    return statistics.median(ask(question, answer) for _ in range(QUESTIONS))


with engine, open(engine.stdout.fileno(), "rb", closefd=False) as lines:
    ask(b"uci\n", b"uciok")
    ask(b"ucinewgame\nisready\n", b"readyok")
    print(median(b"isready\n", b"readyok"), median(b"position startpos\ngo nodes 1\n", b"bestmove"))
    engine.stdin.write(b"quit\n")
