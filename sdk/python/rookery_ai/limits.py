"""The limits on a search, and its clock."""

from __future__ import annotations

import threading
import time
from typing import Optional

from .position import Move

#: Time reserved for communication with the host, in milliseconds.
OVERHEAD_MS = 10


class Stopped(Exception):
    """Ends a search: the host asked for the move, or a limit has been reached."""


class Limits:
    """The time and nodes that a search may spend.

    Call `visit` at each position and `may_deepen` before each iteration.
    """

    #: The deepest iteration, in plies.
    depth: int
    #: The maximum number of positions to visit, or `None`.
    nodes: Optional[int]
    #: The moves to choose from: all legal moves, or those selected by the host.
    moves: list[Move]
    #: The number of positions visited so far.
    visited: int

    def __init__(
        self,
        depth: int = 100,
        nodes: Optional[int] = None,
        soft_ms: Optional[float] = None,
        hard_ms: Optional[float] = None,
        is_pondering: bool = False,
        is_infinite: bool = False,
    ) -> None:
        self.depth, self.nodes, self.moves, self.visited = depth, nodes, [], 0
        self._soft_ms, self._hard_ms = soft_ms, hard_ms
        self._began = time.monotonic()
        self._is_stopped = threading.Event()
        # Set when the result may be sent. Infinite searches, and searches while the opponent is
        # thinking, wait for the host.
        self._may_answer = threading.Event()
        self._is_pondering = is_pondering
        if not is_pondering and not is_infinite:
            self._may_answer.set()

    def elapsed_ms(self) -> float:
        """Returns the milliseconds since the search began."""
        return (time.monotonic() - self._began) * 1000

    def should_stop(self) -> bool:
        """Returns whether the search must end now."""
        if self._is_stopped.is_set():
            return True
        return (
            self._hard_ms is not None
            and not self._is_pondering
            and self.elapsed_ms() >= self._hard_ms
        )

    def visit(self) -> None:
        """Counts a position. Raises Stopped if the search must end."""
        if self.nodes is not None and self.visited >= self.nodes:
            raise Stopped
        # Reading the clock takes longer than counting.
        if self.visited % 32 == 0 and self.should_stop():
            raise Stopped
        self.visited += 1

    def may_deepen(self) -> bool:
        """Returns whether there is time for another iteration."""
        if self.should_stop():
            return False
        return self._soft_ms is None or self._is_pondering or self.elapsed_ms() < self._soft_ms

    def stop(self) -> None:
        """Ends the search soon. The host's `stop` command calls this."""
        self._is_stopped.set()
        self._may_answer.set()

    def ponder_hit(self) -> None:
        """Starts the search's clock: the opponent has played the expected move."""
        self._began = time.monotonic()
        self._is_pondering = False
        self._may_answer.set()

    def wait_for_host(self) -> None:
        """Waits until the host wants the result."""
        self._may_answer.wait()


def parse_go(words: list[str], turn: bool) -> Limits:
    """Parses the words after `go`, except `searchmoves`, for the side to move."""
    values: dict[str, int] = {}
    for name, value in zip(words, words[1:]):
        if value.lstrip("-").isdigit():
            values[name] = int(value)
    depth = min(values.get("depth", 100), 2 * values["mate"] - 1 if "mate" in values else 100)
    remaining, increment = (
        values.get(name) for name in (("wtime", "winc") if turn else ("btime", "binc"))
    )
    soft: Optional[float] = None
    hard: Optional[float] = None
    if "movetime" in values:
        hard = max(1, values["movetime"] - OVERHEAD_MS)
        soft = hard
    elif remaining is not None:
        left = max(1, remaining - OVERHEAD_MS)
        share = left / min(values.get("movestogo", 30), 30) + 0.7 * (increment or 0)
        # An iteration takes several times as long as the previous one.
        soft, hard = min(share, left / 2) / 2, min(3 * share, left / 2)
    is_infinite = "infinite" in words
    return Limits(depth, values.get("nodes"), soft, hard, "ponder" in words, is_infinite)
