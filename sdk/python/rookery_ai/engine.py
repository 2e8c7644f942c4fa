"""The base class for engines, and the loop that speaks UCI for them.

A thread reads the host's commands, so `stop`, `ponderhit`, `isready` and `quit` are answered
while the main thread searches.
"""

from __future__ import annotations

import io
import os
import queue
import sys
import threading
import traceback
from typing import Any, NamedTuple, Optional, Protocol, TextIO, Union

from . import options as uci_options
from .limits import Limits, Stopped, parse_go
from .position import START, Move, Position

#: The score of a mate: `MATE - plies` if the side to move mates in this many plies,
#: `plies - MATE` if it is mated.
MATE = 1_000_000
#: How long an engine may take to exit after `quit`.
QUIT_SECONDS = 1.0


class HasUci(Protocol):
    """A move from another library, such as python-chess."""

    def uci(self) -> str: ...


class Engine:
    """An engine. Subclass it, define `search`, and pass the class to `run`."""

    name: str = "Unnamed"
    author: str = ""
    #: An instance of a dataclass with the options, or `None`. The host changes it between searches.
    options: Any = None

    #: Where `report` writes; `run` sets it.
    _session: Optional[_Session] = None

    def search(self, position: Position, limits: Limits) -> Union[Move, HasUci, str, None]:
        """Returns the move to play, or `None` for the first move of the last reported line.

        There is no need to catch `Stopped`, which `limits.visit` raises: it counts as `None`.
        """
        raise NotImplementedError

    def new_game(self) -> None:
        """Called before each new game, which must not depend on earlier ones."""

    def options_changed(self) -> None:
        """Called after `options` has changed."""

    def report(self, depth: int, score: int, line: list[Move], limits: Limits) -> None:
        """Tells the host about a completed iteration: the score for the side to move in centipawns,
        and the best line."""
        if self._session is not None:
            self._session.report(depth, score, line, limits)


class _Search(NamedTuple):
    limits: Limits
    wanted: list[str]  # the words after `searchmoves`


class _Session:
    def __init__(self, engine: Engine, output: TextIO) -> None:
        self.engine = engine
        self.output = output
        self.output_lock = threading.Lock()
        self.commands: queue.Queue[Union[str, _Search]] = queue.Queue()
        self.position = Position()
        #: The side to move after the last `position` command that was read.
        self.turn = True
        self.lock = threading.Lock()
        self.current: Optional[Limits] = None
        self.line: list[Move] = []
        self.has_ended = threading.Event()

    def write(self, text: str) -> None:
        with self.output_lock:
            try:
                self.output.write(text + "\n")
                self.output.flush()
            except (BrokenPipeError, ValueError):
                # The host has exited.
                os._exit(0)

    def inform(self, text: str) -> None:
        self.write("info string " + " ".join(text.split()))

    # These functions run on the reading thread.

    def read(self, source: TextIO) -> None:
        for line in source:
            words = line.split()
            if not words:
                continue
            if words[0] == "stop" or words[0] == "ponderhit":
                with self.lock:
                    if self.current is not None:
                        self.current.stop() if words[0] == "stop" else self.current.ponder_hit()
            elif words[0] == "isready":
                with self.lock:
                    is_searching = self.current is not None
                    if not is_searching:
                        self.commands.put("isready")
                if is_searching:
                    self.write("readyok")
            elif words[0] == "go":
                at = words.index("searchmoves") if "searchmoves" in words else len(words)
                search = _Search(parse_go(words[1:at], self.turn), words[at + 1 :])
                with self.lock:
                    self.current = search.limits
                    self.commands.put(search)
            elif words[0] == "quit":
                break
            else:
                if words[0] == "position":
                    self.turn = _turn_after(words)
                self.commands.put(line.strip())
        self.commands.put("quit")
        with self.lock:
            if self.current is not None:
                self.current.stop()
        if not self.has_ended.wait(QUIT_SECONDS):
            os._exit(0)

    # These functions run on the main thread.

    def serve(self) -> None:
        while True:
            command = self.commands.get()
            if isinstance(command, _Search):
                self.search(command)
            elif command == "quit":
                self.has_ended.set()
                return
            else:
                try:
                    self.obey(command)
                # Reports the error to the host and keeps the engine running.
                except Exception as error:  # noqa: BLE001
                    self.report_error(f"'{command}' failed", error)

    def obey(self, command: str) -> None:
        word, _, rest = command.partition(" ")
        if word == "uci":
            name, author = self.engine.name, self.engine.author
            self.write(
                f"id name {name}\nid author {author}\noption name Ponder type check default false"
            )
            for declaration in uci_options.declarations(type(self.engine).options):
                self.write(declaration)
            self.write("uciok")
        elif word == "isready":
            self.write("readyok")
        elif word == "ucinewgame":
            self.engine.new_game()
        elif word == "setoption":
            name, _, value = rest.partition(" value ")
            name = name.replace("name ", "", 1).strip()
            if name != "Ponder":
                self.engine.options = uci_options.changed(self.engine.options, name, value.strip())
                self.engine.options_changed()
        elif word == "position":
            self.position = _position(rest.split())

    def search(self, search: _Search) -> None:
        limits, self.line = search.limits, []
        best: Optional[Move] = None
        if self.position.has_legal_move():
            try:
                best = self.choose(limits, search.wanted)
            except Exception as error:  # noqa: BLE001 - a failed search still answers
                self.report_error("the search failed", error)
                best = self.line[0] if self.line else limits.moves[0]
        limits.wait_for_host()
        with self.lock:
            if self.current is limits:
                self.current = None
            ponder = self.line[1] if len(self.line) > 1 and self.line[0] == best else None
            answer = best.uci() if best else "0000"
            self.write(f"bestmove {answer}" + (f" ponder {ponder.uci()}" if ponder else ""))

    def choose(self, limits: Limits, wanted: list[str]) -> Move:
        """Returns the engine's move, else the first move of its last line, else any legal move."""
        legal = self.position.legal_moves()
        limits.moves = [move for move in legal if not wanted or move.uci() in wanted] or legal
        chosen: Union[Move, HasUci, str, None] = None
        try:
            chosen = self.engine.search(self.position._as_root(), limits)
        except Stopped:
            pass
        if chosen is not None:
            text = chosen if isinstance(chosen, str) else chosen.uci()
            if text in (move.uci() for move in legal):
                return Move.parse(text)
            raise ValueError(
                f"the search returned {text}, which is not legal in {self.position.fen()}"
            )
        return self.line[0] if self.line else limits.moves[0]

    def report(self, depth: int, score: int, line: list[Move], limits: Limits) -> None:
        """Keeps the line's legal part and writes the report."""
        position, self.line = self.position, []
        for move in line:
            if move not in position.legal_moves():
                break
            self.line.append(move)
            position = position.play(move)
        plies = MATE - abs(score)
        moves = (plies + 1) // 2
        value = f"cp {score}" if plies > 10_000 else f"mate {moves if score > 0 else -moves}"
        spent = int(limits.elapsed_ms())
        speed = f" nps {limits.visited * 1000 // spent}" if spent else ""
        shown = " ".join(move.uci() for move in self.line)
        self.write(
            f"info depth {depth} score {value} nodes {limits.visited}{speed} time {spent}"
            f" pv {shown}"
        )

    def report_error(self, what: str, error: Exception) -> None:
        last = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{os.path.basename(last.filename)}, line {last.lineno}"
        self.inform(f"{what}: {type(error).__name__}: {error} ({place})")
        traceback.print_exception(type(error), error, error.__traceback__)


def _turn_after(words: list[str]) -> bool:
    """Returns the side to move after a `position` command."""
    fen = words[words.index("fen") + 1 :] if "fen" in words else START.split()
    moves = len(words) - words.index("moves") - 1 if "moves" in words else 0
    return (fen[1:2] != ["b"]) == (moves % 2 == 0)


def _position(words: list[str]) -> Position:
    at = words.index("moves") if "moves" in words else len(words)
    position = Position(" ".join(words[1:at]) if words[:1] == ["fen"] else START)
    for text in words[at + 1 :]:
        move = Move.parse(text.lower())
        if move not in position.legal_moves():
            raise ValueError(f"{text} is illegal in {position.fen()}")
        position = position.play(move)
    return position


def best_move(engine: Engine, position: Position, limits: Limits) -> Move:
    """Returns an engine's move without a host, for tests.

    Raises the exceptions of the search.
    """
    session = _Session(engine, io.StringIO())
    engine._session, session.position = session, position
    return session.choose(limits, [])


def run(engine: type[Engine]) -> None:
    """Speaks UCI on standard input and output until the host quits."""
    session = _Session(engine(), sys.stdout)
    session.engine._session = session
    threading.Thread(target=session.read, args=(sys.stdin,), daemon=True).start()
    try:
        session.serve()
    except KeyboardInterrupt:
        pass
