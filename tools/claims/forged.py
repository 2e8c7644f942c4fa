"""The self-test: hand-written true claims, and forgeries of each, which must be found false."""

from __future__ import annotations

import copy
import pathlib
import typing

import chess
import chess.syzygy
from definitions import KINDS, Claim, Judged, check
from lines import Untrue
from truths import Fields, Sample, samples


def uci_line(board: chess.Board, san: list[str]) -> list[str]:
    """Returns the moves in UCI. SAN that is not a legal move stays unchanged."""
    board = board.copy()
    moves = []
    for text in san:
        try:
            moves.append(board.push_san(text).uci())
        except ValueError:
            moves.append(text)
    return moves


def forge(sample: Sample, change: Fields) -> Sample:
    """Changes or removes (`None`) fields of the claim, or changes parts of the sample."""
    forged = copy.deepcopy(sample)
    for name, value in change.items():
        if name in ("fen", "move", "record", "before"):
            setattr(forged, name, value)
        elif value is None:
            del forged.claim[name]
        else:
            forged.claim[name] = value
    return forged


def judge(sample: Sample, tables: chess.syzygy.Tablebase) -> tuple[Judged, Claim]:
    board = chess.Board(sample.fen)
    for san in sample.before:
        board.push_san(san)
    move = board.parse_san(sample.move)
    claim = sample.claim
    start = board.copy()
    if claim["start"] == "after":
        start.push(move)
    claim.setdefault("line", uci_line(start, claim["san"]))
    if "instead" in claim:
        claim["instead"].setdefault("line", uci_line(board, claim["instead"]["san"]))
    good = claim["kind"].startswith(("wins", "finds"))
    others = [{"kind": kind} for kind in sample.record.get("others", ())]
    record = {
        "judgement": None if good else "blunder",
        "best": None if good else {},
        "score": {"cp": 0},
        **sample.record,
        "claims": [claim, *others],
    }

    def terms(position: chess.Board) -> dict[str, int]:
        """Makes the shield worse for the mover after the judged move than after the better line."""
        ruined = position.piece_at(chess.G4)
        return {"king_shield": -5 if ruined else 40}

    theory = sample.record.get("theory", [None])
    return Judged(board, move, record, theory, len(sample.before), terms, tables), claim


def verdict(sample: Sample, tables: chess.syzygy.Tablebase) -> str | None:
    judged, claim = judge(copy.deepcopy(sample), tables)
    try:
        check(judged, claim)
    except Untrue as error:
        return str(error)
    return None


def faults_of(sample: Sample, tables: chess.syzygy.Tablebase) -> typing.Iterator[str]:
    kind = sample.claim["kind"]
    reason = verdict(sample, tables)
    if reason is not None:
        yield f"{kind}: a true claim is found false: {reason}"
    for expected, change in sample.forgeries:
        reason = verdict(forge(sample, change), tables)
        if reason is None or expected not in reason:
            yield f"{kind}, {change}: expected {expected!r}, found {reason!r}"


def main(folder: pathlib.Path) -> int:
    """Prints all wrong verdicts. Returns the exit status."""
    chosen = samples()
    with chess.syzygy.open_tablebase(str(folder)) as tables:
        faults = [fault for sample in chosen for fault in faults_of(sample, tables)]
    # One sample is enough for kinds that differ only in their first word.
    needed = {kind for kind in KINDS if not kind.startswith(("allows", "misses"))}
    faults += [f"no sample of {kind}" for kind in needed - {each.claim["kind"] for each in chosen}]
    forgeries = sum(len(each.forgeries) for each in chosen)
    print(
        "\n".join([*faults, f"{len(chosen)} true claims, {forgeries} forged: {len(faults)} faults"])
    )
    return 1 if faults else 0
