#!/usr/bin/env python3
"""Compares how Rookery and python-chess read every PGN, EPD and FEN file in folders.

In a PGN it compares the number of games and each game's tags, first position, moves, variations,
comments, glyphs and result. In an EPD or FEN it compares each line's verdict, position, operations
and number of legal moves.
compare/known.tsv explains expected differences. Exits with 1 if any other difference is found.
"""

import argparse
import codecs
import collections
import concurrent.futures
import difflib
import io
import itertools
import logging
import math
import pathlib
import re
import subprocess
import sys
import time

import chess
import chess.pgn

HERE = pathlib.Path(__file__).resolve().parent / "compare"
# Few enough for Rookery to print every error in a part.
LINES_OF_A_PART = 200
# Counting the moves of each position starts a process.
COUNTED_POSITIONS = 1000
ROSTER = ("Event", "Site", "Date", "Round", "White", "Black")
# These tags are compared as the first position and the result.
SET_APART = ("FEN", "SetUp", "Result")
# Rookery adds these to games that lack them.
ADDED = ("ECO", "Opening", "Variation")

TAG = re.compile(r"\[\s*([A-Za-z]\w*)\s+\"(\\.|[^\"\\])*\"\s*\]")

Difference = collections.namedtuple("Difference", "file place kind rookery python_chess")
Known = collections.namedtuple("Known", "kind file rookery python_chess right why")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="*", type=pathlib.Path, help="folders or files")
    parser.add_argument("--rookery", required=True, help="the rookery binary")
    parser.add_argument("--known", type=pathlib.Path, default=HERE / "known.tsv")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=60, help="time limit per file")
    parser.add_argument("--all", action="store_true", help="also print the known differences")
    parser.add_argument("--self-test", action="store_true", help="compare the files in compare/")
    return parser.parse_args()


# Text


def decode(data):
    """Decodes UTF-16 with a byte order mark, UTF-8, and other bytes as Windows-1252."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    return data.decode("utf-8-sig", "windows-1252")


def as_windows_1252(error):
    invalid = error.object[error.start : error.end]
    characters = (bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in invalid)
    return "".join(characters), error.end


def is_pgn(path, text):
    """Returns whether a file is PGN, by its name or its first tag."""
    return path.suffix.lower() == ".pgn" or bool(re.search(r"^\s*\[\w+ +\"", text[:10_000], re.M))


def squeezed(text):
    """Reduces white space and control characters to single spaces: a program may drop them."""
    return " ".join(re.sub(r"[\x00-\x1f\x7f]", " ", text).split())


# Rookery


def rookery(options, *arguments, stdin):
    """Converts the input.

    Returns the output, each game's first error by its number from 1, how many games are invalid,
    and other errors.
    """
    command = [options.rookery, "convert", "-", *arguments]
    done = subprocess.run(command, input=stdin, capture_output=True, timeout=600, check=False)
    refused, invalid, other = {}, 0, []
    for line in done.stderr.decode("utf-8", "replace").splitlines():
        found = re.fullmatch(r"error: game (\d+)(?:, )?(.*) \((\w+)\)", line)
        if found:
            refused.setdefault(int(found[1]), f"[{found[3]}] {found[2]}")
        elif found := re.fullmatch(r"error: (\d+) of \d+ games are invalid", line):
            invalid = int(found[1])
        elif line.startswith("error: "):
            other.append(line)
    if done.returncode < 0:
        other.append(f"signal {-done.returncode}")
    return done.stdout.decode("utf-8"), refused, invalid, "; ".join(other)


def legal_moves(options, fen):
    command = [options.rookery, "perft", "--depth", "1", "--fen", fen]
    done = subprocess.run(command, capture_output=True, timeout=60, text=True, check=False)
    found = re.search(r"perft\(1\) = (\d+)", done.stdout)
    return int(found[1]) if found else done.stderr.strip()


# PGN


def read_games(text, deadline):
    """Reads games with python-chess until the deadline. Returns them, and whether it read all."""
    text = for_python_chess(text)
    stream = io.StringIO(text)
    games = []
    while time.monotonic() < deadline:
        try:
            game = chess.pgn.read_game(stream)
        except Exception as error:  # python-chess does not document all its exceptions.
            games.append({"error": repr(error)})
            continue
        if game is None:
            return games, True
        games.append(reading(game))
    return games, False


def for_python_chess(text):
    """Puts tags on separate lines and empty lines only around the tags of a game.

    python-chess reads one tag per line. It ends a game only at an empty line, and at each one, even
    between tags or moves.
    """
    lines, names, is_ended = [], set(), False
    for line in io.StringIO(text, newline=None).read().split("\n"):
        tags, rest = [], line.strip()
        while found := TAG.match(rest):
            tags.append(found)
            rest = rest[found.end() :].lstrip()
        is_empty_below_tag = len(lines) > 1 and not lines[-1] and TAG.match(lines[-2])
        if tags and is_empty_below_tag and tags[0][1] not in names:
            lines.pop()
        elif tags and lines and not TAG.match(lines[-1]):
            lines.append("")
            names = set()
        names |= {tag[1] for tag in tags}
        lines += [tag[0] for tag in tags]
        if rest:
            if lines and not lines[-1] and not is_ended and not is_empty_below_tag:
                lines.pop()
            if lines and TAG.match(lines[-1]):
                lines.append("")
            lines.append(rest if line[0] not in "%;" else line)
            is_ended = re.search(r"(1-0|0-1|1/2|\*)\s*$", rest) is not None
        elif not tags and lines and lines[-1]:
            lines.append("")
    return "\n".join(lines)


def reading(game):
    """Returns what python-chess has read, in a form that can be compared."""
    if game.errors:
        return {"error": str(game.errors[0]), "tags": dict(game.headers)}
    # python-chess keeps the backslashes before quotes and backslashes.
    tags = {
        name: squeezed(re.sub(r"\\([\"\\])", r"\1", tag))
        for name, tag in game.headers.items()
        if name not in SET_APART
    }
    notes = {"variations": [], "comments": [], "glyphs": []}
    lines = [((), game)]
    while lines:
        path, node = lines.pop()
        for place, comment in ("before", node.starting_comment), ("after", node.comment):
            if squeezed(comment):
                notes["comments"].append((path, place, squeezed(comment)))
        if node.nags:
            notes["glyphs"].append((path, sorted(node.nags)))
        # `--null-moves cut` makes Rookery cut a line before a null move.
        is_cut = not (node.variations and node.variations[0].move)
        children = [] if is_cut else [child for child in node.variations if child.move]
        lines += [((*path, child.move.uci()), child) for child in reversed(children)]
        notes["variations"] += [(path, child.move.uci()) for child in children[1:]]
        if not children and not node.is_main_variation():
            notes["variations"].append((path, "end"))
    moves = list(itertools.takewhile(bool, game.mainline_moves()))
    return {
        "tags": tags,
        "position": game.board().fen(),
        "moves": [move.uci() for move in moves],
        "result": game.headers.get("Result", "*"),
        **notes,
    }


def compare_pgn(options, path, data):
    text = decode(data)
    reads = "--from", "pgn", "--null-moves", "cut"
    written, refused, invalid, failure = rookery(options, *reads, "--to", "pgn", stdin=data)
    lines, _, _, _ = rookery(options, *reads, "--to", "uci", stdin=data)
    theirs, is_all = read_games(text, time.monotonic() + options.seconds)
    accepted, is_all_of_ours = read_games(written, time.monotonic() + options.seconds)
    differences = []

    def differ(number, kind, ours, other):
        differences.append(Difference(str(path), f"game {number}", kind, ours, other))

    if failure and not (failure.startswith("error: found no game") and not theirs):
        differ(0, "file", failure, f"{len(theirs)} games")
        if not accepted:
            return len(theirs), 0, 0, differences
    for number, (game, line) in enumerate(zip(accepted, lines.splitlines()), 1):
        moves = line.partition(" moves ")[2] if line.startswith("position") else line
        if "moves" in game and not same_moves(game, moves.split()):
            differ(number, "uci", moves, " ".join(game["moves"]))
    ours = in_places(accepted, refused)
    is_all = is_all and is_all_of_ours
    total = len(accepted) + invalid
    if is_all and total != len(theirs):
        differ(0, "count", f"{total} games", f"{len(theirs)} games")
    if is_all and len(ours) != len(theirs):
        # The readings differ, or there are more errors than Rookery prints.
        pairs = aligned(ours, theirs)
    else:
        pairs = [(index, index) for index in range(min(len(ours), len(theirs)))]
    for our, their in pairs:
        for difference in differences_of_games(ours[our], theirs[their]):
            differ(their + 1, *difference)
    refusals = sum("refused" in ours[our] and "error" in theirs[their] for our, their in pairs)
    return len(theirs), len(pairs), refusals, differences


def in_places(accepted, refused):
    """Inserts refused games between the others, by number."""
    rest = iter(accepted)
    games = []
    for number in range(1, len(accepted) + len(refused) + 1):
        games.append({"refused": refused[number]} if number in refused else next(rest, None))
    return [game for game in games if game] + list(rest)


def same_moves(game, moves):
    """Returns whether moves are the same except for the castling notation."""
    if moves == game["moves"]:
        return True
    try:
        board = chess.Board(game["position"], chess960=True)
        other = board.copy()
        for one, another in zip(game["moves"], moves, strict=True):
            if board.push_uci(one) != other.push_uci(another):
                return False
    except ValueError:
        return False
    return True


def aligned(ours, theirs):
    """Yields pairs of games with the same moves or tags, in order."""

    def keys(games):
        for game in games:
            tags = game.get("tags", {})
            yield (*game.get("moves", ()), *(tags.get(name) for name in ROSTER))

    matcher = difflib.SequenceMatcher(None, list(keys(ours)), list(keys(theirs)), autojunk=False)
    return [(a + i, b + i) for a, b, size in matcher.get_matching_blocks() for i in range(size)]


def differences_of_games(ours, theirs):
    if "refused" in ours or "error" in theirs or "error" in ours:
        if "error" in ours:
            yield "unreadable", ours["error"], "reads the original"
        elif "refused" not in ours:
            yield "accepted", f"{len(ours['moves'])} half-moves", theirs["error"]
        elif "error" not in theirs:
            yield "refused", ours["refused"], f"{len(theirs['moves'])} half-moves {variant(theirs)}"
        return
    for name in {**ours["tags"], **theirs["tags"]}:
        our, their = ours["tags"].get(name), theirs["tags"].get(name)
        if our != their and not (name in ADDED and their is None):
            yield "tags", f"{name} {our!r}", f"{name} {their!r}"
    for kind in ("position", "moves", "result", "variations", "comments", "glyphs"):
        our, their = ours[kind], theirs[kind]
        if our != their:
            yield kind, *first_difference(our, their)


def variant(game):
    return game["tags"].get("Variant", "")


def first_difference(ours, theirs):
    if isinstance(ours, str):
        return ours, theirs
    for our, their in itertools.zip_longest(ours, theirs):
        if our != their:
            return shown(our), shown(their)
    raise AssertionError("nothing differs")


def shown(item):
    """Returns a comment or glyph with the last moves of its path."""
    if not isinstance(item, tuple):
        return str(item)
    path, *rest = item
    return f"after {len(path)} half-moves ({' '.join(path[-3:])}): {' '.join(map(str, rest))}"


# EPD and FEN


def compare_positions(options, path, data):
    lines = enumerate(decode(data).splitlines(), 1)
    lines = [(number, line) for number, line in lines if line.strip()]
    deadline = time.monotonic() + options.seconds
    differences, items, compared, refusals = [], 0, 0, 0
    for first in range(0, len(lines), LINES_OF_A_PART):
        part = lines[first : first + LINES_OF_A_PART]
        positions = [(number, line) for number, line in part if line.lstrip()[0] != "#"]
        items += len(positions)
        if time.monotonic() > deadline:
            continue
        stdin = "\n".join(line for _, line in part).encode()
        written, refused, _, _ = rookery(options, "--from", "epd", "--to", "epd", stdin=stdin)
        written = written.splitlines()
        if len(written) + len(refused) != len(positions):
            ours = f"{len(written)} positions and {len(refused)} errors"
            count = "count", ours, f"{len(positions)} positions"
            differences.append(Difference(str(path), f"line {part[0][0]}", *count))
            continue
        written = iter(written)
        compared += len(positions)
        for index, (number, line) in enumerate(positions, 1):
            theirs = read_position(line)
            ours = None if index in refused else read_written(next(written), theirs)
            found = list(differences_of_lines(refused.get(index), ours, theirs))
            refusals += ours is None and not found
            if first + index <= COUNTED_POSITIONS and ours and theirs[0] and not found:
                found = differences_of_counts(options, theirs[0])
            for difference in found:
                differences.append(Difference(str(path), f"line {number}", *difference))
    return items, compared, refusals, differences


def read_written(line, theirs):
    """Reads Rookery's line, or only its position if python-chess takes an operand for a move."""
    position = re.match(r"(\S+ ){3}\S+( hmvc \d+;)?( fmvn \d+;)?", line)
    read = read_position(line)
    if read[0] is None and position:
        return read_position(position[0])[0], theirs[1]
    return read


def read_position(line):
    """Returns the board and operations of a line, or `None` and the error."""
    fields = line.strip().split(None, 6)
    board = chess.Board(None, chess960=True)
    try:
        clocks = [field.rstrip(";") for field in fields[4:6]]
        if len(clocks) == 2 and all(clock.isdecimal() for clock in clocks):
            board.set_fen(" ".join(fields[:4] + clocks))
            epd = chess.Board(None, chess960=True)
            operations = epd.set_epd(" ".join(fields[:4] + fields[6:]))
        else:
            operations = board.set_epd(line.strip())
    except Exception as error:  # python-chess does not document all its exceptions.
        return None, f"{type(error).__name__}: {error}"
    # The position contains these clocks.
    operations.pop("hmvc", None)
    operations.pop("fmvn", None)
    return board, operations


def differences_of_counts(options, board):
    counts = legal_moves(options, board.fen()), board.legal_moves.count()
    return [("legal moves", *map(str, counts))] if counts[0] != counts[1] else []


def differences_of_lines(refusal, ours, theirs):
    board, operations = theirs
    if board is not None and not board.is_valid():
        operations = f"status {board.status()!r}"
        board = None
    if refusal is not None:
        if board is not None:
            yield "refused", refusal, board.fen()
        return
    our_board, our_operations = ours
    if our_board is None:
        yield "unreadable", str(our_operations), "reads the original"
        return
    if board is None:
        yield "accepted", our_board.fen(), str(operations)
        return
    if our_board.fen() != board.fen():
        yield "position", our_board.fen(), board.fen()
    if our_operations != operations:
        for name in {**our_operations, **operations}:
            our, their = our_operations.get(name), operations.get(name)
            if our != their:
                yield "operations", f"{name} {our!r}", f"{name} {their!r}"


# Files


def compare(options, path):
    """Returns the path, the numbers of items, compared items and items refused by both, and the
    differences."""
    data = path.read_bytes()
    try:
        read = compare_pgn if is_pgn(path, decode(data)) else compare_positions
        return path, *read(options, path, data)
    except (subprocess.TimeoutExpired, UnicodeDecodeError) as error:
        return path, 0, 0, 0, [Difference(str(path), "", "file", repr(error), "")]


def files_of(folders):
    for folder in folders:
        if folder.is_file():
            yield folder
        else:
            files = sorted(folder.rglob("*"))
            yield from (file for file in files if file.suffix.lower() in (".pgn", ".epd", ".fen"))


def known_of(path):
    rows = [line.split("\t") for line in path.read_text().splitlines()[1:]]
    return [Known(row[0], *map(re.compile, row[1:4]), *row[4:]) for row in rows]


def explain(known, difference):
    for row in known:
        texts = difference.file, difference.rookery, difference.python_chess
        patterns = row.file, row.rookery, row.python_chess
        if row.kind == difference.kind and all(map(re.search, patterns, texts)):
            return row
    return None


def described(difference):
    file, place, kind, ours, theirs = difference
    return f"{file}: {place}: {kind}: Rookery: {ours[:300]} | python-chess: {theirs[:300]}"


def run(options, known, files):
    """Prints the differences and a table of them. Returns the unexplained ones."""
    counts, unexplained = collections.Counter(), []
    read = compared = refused = equal = 0
    with concurrent.futures.ProcessPoolExecutor(options.processes) as pool:
        running = [pool.submit(compare, options, file) for file in files]
        for number, done in enumerate(concurrent.futures.as_completed(running), 1):
            path, items, pairs, refusals, differences = done.result()
            read += items
            compared += pairs
            refused += refusals
            equal += not differences
            if pairs < items:
                print(f"note: {path}: {pairs} of {items} items compared", file=sys.stderr)
            for difference in differences:
                row = explain(known, difference)
                counts[difference.kind, row and (row.right, row.why)] += 1
                if row is None:
                    unexplained.append(difference)
                if row is None or options.all:
                    print(described(difference))
            if number % 100 == 0:
                print(f"note: {number} of {len(files)} files", file=sys.stderr)
    print(f"\n{len(files)} files, {equal} of them equal")
    print(f"{compared} of {read} games and positions compared, {refused} of them refused by both\n")
    print("| kind | differences | right | why |\n|---|---|---|---|")
    for (kind, row), count in sorted(counts.items(), key=lambda item: -item[1]):
        right, why = row or ("?", "not in the table of known differences")
        print(f"| {kind} | {count} | {right} | {why} |")
    return unexplained


def self_test(options):
    """Compares files that both programs read alike, one that they do not, and two readings."""
    same = run(options, [], list(files_of([HERE / "same"])))
    different = run(options, [], [HERE / "different/results.pgn"])
    kinds = {difference.kind for difference in different}
    readings = []
    for folder in "same", "different":
        games, _ = read_games((HERE / folder / "annotated.pgn").read_text(), math.inf)
        readings.append(games[0])
    altered = {kind for kind, _, _ in differences_of_games(*readings)}
    wanted = {"tags", "moves", "result", "variations", "comments", "glyphs"}
    if same or kinds != {"count", "result"} or altered != wanted:
        print(f"error: same: {same}, different: {kinds}, altered: {altered}", file=sys.stderr)
        return 1
    return 0


def main():
    codecs.register_error("windows-1252", as_windows_1252)
    # python-chess also adds its errors to the games.
    logging.disable(logging.CRITICAL)
    options = arguments()
    if options.self_test:
        return self_test(options)
    files = list(files_of(options.folders))
    if not files:
        print("error: found no .pgn, .epd or .fen file; name a folder with one", file=sys.stderr)
        return 2
    unexplained = run(options, known_of(options.known), files)
    if unexplained:
        print(f"error: {len(unexplained)} differences are not in {options.known}", file=sys.stderr)
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
