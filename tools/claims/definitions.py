"""The definitions of docs/claims.md, implemented independently: `check` raises Untrue."""

from __future__ import annotations

import collections
import dataclasses
import typing

import chess
import chess.syzygy
from lines import (
    ROLES,
    WORTH,
    Line,
    Untrue,
    balance,
    captured_square,
    captures_on,
    demand,
    next_behind,
    worth,
)

Claim = dict[str, typing.Any]
# Tablebase results for the side to move, by chess.syzygy's numbers.
RESULTS = {2: "win", 1: "cursed_win", 0: "draw", -1: "blessed_loss", -2: "loss"}
LONGEST_LINE = 12
LAST_MEANS = 5
LATEST_GAIN = 9
SOON = 6


@dataclasses.dataclass
class Judged:
    """A move in a report, with everything its claims are about."""

    # The position before the move, with the previous moves as its stack.
    before: chess.Board
    move: chess.Move
    record: dict[str, typing.Any]
    # The opening names for all moves of the game, and the index of this move.
    theory: list[str | None]
    index: int
    # The AI's evaluation terms, for White.
    terms: typing.Callable[[chess.Board], dict[str, int]]
    tables: chess.syzygy.Tablebase

    @property
    def mover(self) -> chess.Color:
        return self.before.turn

    @property
    def claims(self) -> list[Claim]:
        claims: list[Claim] = self.record["claims"]
        return claims

    @property
    def after(self) -> chess.Board:
        board = self.before.copy(stack=False)
        board.push(self.move)
        return board

    @property
    def is_bad(self) -> bool:
        return self.record["judgement"] is not None

    @property
    def is_own_choice(self) -> bool:
        return self.record["best"] is None and self.record["score"] is not None


@dataclasses.dataclass
class Context:
    judged: Judged
    claim: Claim
    line: Line

    @property
    def after(self) -> int:
        return int(self.claim["after"])

    @property
    def at(self) -> int:
        return int(self.claim["at"])

    @property
    def actor(self) -> chess.Color:
        return self.line.actor

    def piece(self, position: int, place: Claim | None = None) -> tuple[int, int]:
        """Returns the square and number of `place` or the claim's piece, which must be there."""
        place = place or self.claim
        square = chess.parse_square(place["square"])
        found = self.line.boards[position].piece_at(square)
        expected = ROLES[place["piece"]]
        text = f"{place['piece']} on {place['square']} in position {position}"
        demand(found and found.piece_type == expected, f"there is no {text}")
        return square, self.line.men[position][square]

    def piece_of(
        self, side: chess.Color, position: int, place: Claim | None = None
    ) -> tuple[int, int]:
        square, man = self.piece(position, place)
        name = chess.square_name(square)
        demand(
            self.line.boards[position].color_at(square) == side,
            f"the piece on {name} is the other side's",
        )
        return square, man

    def is_captured_later(self, man: int, first: int, by: int | None = None) -> int:
        """Returns the number of the actor's move, up to `after`, that captures a piece, or 0."""
        for number in self.line.actor_moves(first, self.after):
            if self.line.captured_man(number) == man and by in (None, self.line.moved_man(number)):
                return number
        return 0


def check_gain(context: Context) -> None:
    line, after, origin = context.line, context.after, context.judged.before
    gain = line.gain(after, origin)
    demand(gain == context.claim["value"], f"the gain is {gain}")
    demand(gain > 0, "nothing is gained")
    demand(line.is_quiet(after), f"position {after} is not quiet")
    for later in range(after + 1, len(line) + 1):
        smaller = line.is_quiet(later) and line.gain(later, origin) < gain
        demand(not smaller, f"the gain is smaller in the quiet position {later}")
    early = range(1, min(LATEST_GAIN, len(line)) + 1)
    reached = any(line.is_quiet(number) and line.gain(number, origin) >= gain for number in early)
    demand(reached, f"the gain is not reached by position {LATEST_GAIN}")
    declined = any(declines_recapture(line, number) for number in line.actor_moves(1, after))
    demand(gain > 1 or not declined, "the victim could recapture the pawn")


def declines_recapture(line: Line, number: int) -> bool:
    """Returns whether the victim could recapture after the actor's move of this number."""
    if line.captured(number) is None:
        return False
    square = line.moves[number - 1].to_square
    is_answered = number < len(line) and line.moves[number].to_square == square
    return not is_answered and bool(captures_on(line.boards[number], square))


def lost_pieces(context: Context) -> tuple[list[str], list[str]]:
    """Returns the losses of the victim and the actor, without losses that cancel out."""
    before, then = context.judged.before, context.line.boards[context.after]

    def losses(side: chess.Color) -> collections.Counter[int]:
        return collections.Counter(
            {role: len(before.pieces(role, side)) - len(then.pieces(role, side)) for role in WORTH}
        )

    lost, won = losses(not context.actor), losses(context.actor)
    lost, won = lost - won, won - lost
    for one, other in ((chess.KNIGHT, chess.BISHOP), (chess.BISHOP, chess.KNIGHT)):
        both = min(lost[one], won[other])
        lost[one] -= both
        won[other] -= both
    return tuple(  # type: ignore[return-value]
        sorted(chess.piece_name(role) for role in pieces.elements()) for pieces in (lost, won)
    )


def check_material(context: Context) -> None:
    check_gain(context)
    claim = context.claim
    if has_more_pieces(context):
        demand("lost" not in claim and "won" not in claim, "lost and won despite a promotion")
    else:
        lost, won = lost_pieces(context)
        demand(sorted(claim.get("lost", [])) == lost, f"lost is {lost}")
        demand(sorted(claim.get("won", [])) == won, f"won is {won}")
    check_prize(context)
    if claim["kind"] == "wins_material":
        check_not_taken_back(context)


def has_more_pieces(context: Context) -> bool:
    """Returns whether a promotion has given a side more pieces of a kind than it had."""
    before, then = context.judged.before, context.line.boards[context.after]
    return any(
        len(then.pieces(role, side)) > len(before.pieces(role, side))
        for role in WORTH
        for side in chess.COLORS
    )


def check_prize(context: Context) -> None:
    """Checks that the claim's piece is the most valuable one that the line captures."""
    line = context.line
    captured = []
    for number in line.actor_moves(1, context.after):
        square = line.captured(number)
        if square is not None:
            role = line.boards[number - 1].piece_type_at(square)
            captured.append((chess.square_name(square), role or chess.PAWN))
    if not captured:
        demand("piece" not in context.claim, "the line captures nothing")
        return
    most = max(WORTH[role] for _, role in captured)
    best = {(chess.piece_name(role), name) for name, role in captured if WORTH[role] == most}
    found = (context.claim["piece"], context.claim["square"])
    demand(found in best, f"the most valuable captured piece is {sorted(best)}")


def check_not_taken_back(context: Context) -> None:
    """Checks that the gain exceeds what the opponent's last move has captured."""
    if not context.judged.before.move_stack:
        return
    board = context.judged.before.copy(stack=1)
    square = captured_square(board, board.pop())
    taken = 0 if square is None else WORTH[board.piece_type_at(square)]
    demand(context.claim["value"] > taken, "the opponent has just captured as much")
    demand(context.after <= SOON, "the gain comes too late")


def check_hangs(context: Context) -> None:
    check_gain(context)
    square, _ = context.piece_of(not context.actor, 0)
    name = context.claim["piece"]
    demand(context.line.captured(1) == square, f"the first move does not capture the {name}")
    demand(
        not captures_on(context.line.boards[1], context.line.moves[0].to_square),
        "the victim can recapture",
    )
    demand(context.claim["value"] == WORTH[ROLES[name]], f"a {name} has another value")


def mates_in_one(board: chess.Board) -> bool:
    for move in board.legal_moves:
        board.push(move)
        mate = board.is_checkmate()
        board.pop()
        if mate:
            return True
    return False


def check_mate(context: Context) -> None:
    line, moves = context.line, context.claim["moves"]
    demand(line.end.is_checkmate(), "the line does not end with mate")
    demand(len(line) == 2 * moves - 1, f"the mate is not the actor's move {moves}")
    demand(context.after == len(line), "`after` is before the mate")
    if moves != 2:
        return
    board = line.boards[1].copy()
    for defence in board.legal_moves:
        board.push(defence)
        demand(mates_in_one(board), f"{defence} prevents the mate")
        board.pop()


def check_back_rank_mate(context: Context) -> None:
    check_mate(context)
    board = context.line.end
    side = board.turn
    king = board.king(side)
    assert king is not None
    rank = 0 if side == chess.WHITE else 7
    demand(chess.square_rank(king) == rank, "the king is not on its first rank")
    heavy = board.pieces(chess.ROOK, not side) | board.pieces(chess.QUEEN, not side)
    on_rank = heavy & board.checkers() & chess.BB_RANKS[rank]
    demand(on_rank, "no rook or queen on the first rank gives check")
    front = chess.SquareSet(chess.BB_KING_ATTACKS[king]) & chess.BB_RANKS[1 if side else 6]
    demand(front & board.occupied_co[side], "none of the king's own pieces is in front of it")


def check_fork(context: Context) -> None:
    line, at = context.line, context.at
    board = line.boards[at]
    square, man = context.piece_of(context.actor, at, context.claim["by"])
    brought = line.square_of(man, at - 1) != square
    demand(brought, "move `at` does not bring `by` to its square")
    targets = context.claim["targets"]
    demand(len({target["square"] for target in targets}) >= 2, "a fork has two targets")
    men = {}
    for target in targets:
        place, victim = context.piece_of(not context.actor, at, target)
        demand(place in board.attacks(square), f"`by` does not attack {target['square']}")
        role = ROLES[target["piece"]]
        loose = role != chess.PAWN and not board.attackers(not context.actor, place)
        more = role == chess.KING or worth(role) > worth(ROLES[context.claim["by"]["piece"]])
        demand(more or loose, f"the target on {target['square']} is neither worth more nor loose")
        men[victim] = place
    for number in line.actor_moves(at + 1, context.after):
        move, taken = line.moves[number - 1], line.captured_man(number)
        stays = line.moved_man(number) == man and move.from_square == square
        if stays and taken in men and move.to_square == men[taken]:
            return
    raise Untrue("no later move captures a target from that square")


def check_line_of_three(context: Context) -> tuple[int, int, int, int]:
    """Checks that `by`, `piece` and `behind` are on a line after move `at`, but not before."""
    line, at = context.line, context.at
    by, by_man = context.piece_of(context.actor, at, context.claim["by"])
    square, man = context.piece_of(not context.actor, at)
    behind, behind_man = context.piece_of(not context.actor, at, context.claim["behind"])
    demand(next_behind(line.boards[at], by, square) == behind, "not on a line after move `at`")
    # The other two pieces belong to the victim, so move `at` has not moved them.
    source = line.square_of(by_man, at - 1)
    same = source is not None and next_behind(line.boards[at - 1], source, square) == behind
    demand(not same, "on that line before move `at`")
    return by_man, square, man, behind_man


def check_pin(context: Context) -> None:
    _, square, man, _ = check_line_of_three(context)
    role, behind = ROLES[context.claim["piece"]], ROLES[context.claim["behind"]["piece"]]
    demand(role not in (chess.PAWN, chess.KING), "a pawn or king is not pinned")
    more = behind == chess.KING or worth(behind) > worth(role)
    demand(more, "the piece behind is not worth more")
    check_captured_in_place(context, man, square)


def check_captured_in_place(context: Context, man: int, square: int) -> int:
    """Checks that a later move captures a piece that has not moved since move `at`."""
    number = context.is_captured_later(man, context.at + 1)
    demand(number, "no later move captures `piece`")
    positions = range(context.at, number)
    moved = any(context.line.square_of(man, position) != square for position in positions)
    demand(not moved, "`piece` has moved")
    return number


def check_skewer(context: Context) -> None:
    by_man, _, man, behind_man = check_line_of_three(context)
    role, behind = ROLES[context.claim["piece"]], ROLES[context.claim["behind"]["piece"]]
    more = role == chess.KING or worth(role) > worth(behind)
    demand(more, "the piece in front is not worth more")
    demand(behind not in (chess.PAWN, chess.KING), "behind is a pawn or king")
    escapes = context.at < len(context.line) and context.line.moved_man(context.at + 1) == man
    demand(escapes, "the victim's next move leaves `piece` where it is")
    later = context.is_captured_later(behind_man, context.at + 2, by_man)
    demand(later, "`by` does not capture `behind`")


def check_discovered_attack(context: Context) -> None:
    line, at = context.line, context.at
    by, by_man = context.piece_of(context.actor, at, context.claim["by"])
    square, man = context.piece_of(not context.actor, at)
    demand(square in line.boards[at].attacks(by), "`by` does not attack `piece`")
    moved = line.moved_man(at)
    demand(moved != by_man and line.square_of(by_man, at - 1) == by, "`by` itself moves")
    source = line.moves[at - 1].from_square
    demand(source in chess.SquareSet.between(by, square), "no piece leaves the line between")
    if ROLES[context.claim["piece"]] == chess.KING:
        numbers = [number for number in (at, at + 2) if number <= context.after]
        takes = any(
            line.moved_man(number) == moved and line.captured(number) is not None
            for number in numbers
        )
        demand(takes, "the piece that moved captures nothing")
        target = line.moves[at - 1].to_square
        taken = at < len(line) and line.captured(at + 1) == target
        demand(not taken, "the piece that moved is captured next")
        return
    demand(ROLES[context.claim["piece"]] != chess.PAWN, "an attack on a pawn")
    later = context.is_captured_later(man, at + 1, by_man)
    demand(later and line.captured(later) == square, "`by` does not capture `piece` there")


def can_be_lost(board: chess.Board, actor: chess.Color, square: int, role: int) -> bool:
    """Returns whether the actor, to move, can profitably capture a piece, by the definition."""
    board = board.copy(stack=False)
    if board.turn != actor:
        board.turn = actor
        board.ep_square = None
    for move in captures_on(board, square):
        if worth(board.piece_type_at(move.from_square) or 0) < worth(role):
            return True
        board.push(move)
        recaptures = captures_on(board, square)
        board.pop()
        if not recaptures:
            return True
    return False


def check_trapped_piece(context: Context) -> None:
    board, actor = context.line.boards[context.at], context.actor
    square, man = context.piece_of(not actor, context.at)
    role = ROLES[context.claim["piece"]]
    demand(role not in (chess.PAWN, chess.KING), "a pawn or king is not trapped")
    demand(board.attackers(actor, square), "the actor does not attack the piece")
    before = context.line.boards[context.at - 1].attackers(actor, square)
    demand(not before, "the actor has attacked the piece before")
    demand(not board.is_pinned(not actor, square), "the piece is pinned")
    demand(can_be_lost(board, actor, square, role), "the piece is safe where it is")
    board = board.copy(stack=False)
    for move in list(board.generate_legal_moves(from_mask=chess.BB_SQUARES[square])):
        board.push(move)
        lost = can_be_lost(board, actor, move.to_square, role)
        board.pop()
        demand(lost, f"the piece is safe after {move}")
    demand(context.is_captured_later(man, context.at + 1), "no later move captures the piece")


def check_removed_defender(context: Context) -> None:
    line, at = context.line, context.at
    by, _ = context.piece_of(not context.actor, at - 1, context.claim["by"])
    demand(line.captured(at) == by, "move `at` does not capture `by`")
    square, man = context.piece_of(not context.actor, at - 1)
    demand(ROLES[context.claim["piece"]] != chess.PAWN, "`piece` is a pawn")
    demand(square in line.boards[at - 1].attacks(by), "`by` did not defend `piece`")
    number = check_captured_in_place(context, man, square)
    target = line.moves[number - 1].to_square
    demand(not captures_on(line.boards[number], target), "the victim can recapture")


def check_promotion(context: Context) -> None:
    move = context.line.moves[context.at - 1]
    demand(move.promotion, "move `at` does not promote")
    square = chess.square_name(move.to_square)
    demand(square == context.claim["square"], f"the pawn promotes on {square}")


def check_underdefended(context: Context) -> None:
    check_gain(context)
    board = context.line.boards[0]
    square, _ = context.piece_of(not context.actor, 0)
    demand(context.line.captured(1) == square, "the first move does not capture the piece")
    attackers = board.attackers(context.actor, square)
    defenders = board.attackers(not context.actor, square)
    for name, squares in (("attackers", attackers), ("defenders", defenders)):
        expected = sorted(chess.square_name(each) for each in squares)
        demand(sorted(context.claim[name]) == expected, f"the {name} are {expected}")
    demand(len(attackers) > len(defenders), "there are not more attackers")
    kinds = [claim["kind"] for claim in context.judged.claims]
    demand("loses_material" in kinds, "there is no loses_material")


def check_stalemate(context: Context) -> None:
    demand(context.line.end.is_stalemate(), "the line does not end with stalemate")
    demand(context.after == len(context.line), "`after` is before the stalemate")


def check_perpetual(context: Context) -> None:
    line = context.line
    keys = [board._transposition_key() for board in line.boards]
    same = [number for number, key in enumerate(keys[:-1]) if key == keys[-1]]
    demand(same, "the last position occurs only once")
    moves = line.actor_moves(same[-1] + 1, len(line))
    checks = [line.boards[number].is_check() for number in moves]
    demand(all(checks), "a move of the actor gives no check")
    demand(len(checks) >= 2, f"there are only {len(checks)} checks")


def result(judged: Judged, board: chess.Board) -> int:
    """Returns the tablebases' result for the mover, from 2 for a win to -2."""
    sign = 1 if board.turn == judged.mover else -1
    if board.is_checkmate():
        return -2 * sign
    try:
        value = judged.tables.probe_wdl(board)
        if abs(value) == 2 and abs(judged.tables.probe_dtz(board)) + board.halfmove_clock > 100:
            value //= 2
    except KeyError:
        raise Untrue(f"the tablebases do not contain {board.fen()}") from None
    return sign * value


def check_only_move(context: Context) -> None:
    judged, evidence = context.judged, context.claim["evidence"]
    others = [move for move in judged.before.legal_moves if move != judged.move]
    if evidence == "rules":
        demand(not others, f"{len(others)} other moves are legal")
        return
    demand(others, "the evidence is the rules")
    if evidence == "lines":
        return
    demand(evidence == "tablebase", f"unknown evidence {evidence}")
    played = result(judged, judged.after)
    for move in others:
        board = judged.before.copy(stack=False)
        board.push(move)
        demand(result(judged, board) < played, f"{move} has no worse result")


def check_leaves_theory(context: Context) -> None:
    theory, index = context.judged.theory, context.judged.index
    demand(index > 0 and theory[index - 1], "the position before the move is not theory")
    demand(not any(theory[index:]), "a later position is theory")
    demand(theory[index - 1] == context.claim["opening"], f"the opening is {theory[index - 1]}")


def check_tablebase_result(context: Context) -> None:
    judged = context.judged
    before, after = result(judged, judged.before), result(judged, judged.after)
    expected = {"before": RESULTS[before], "after": RESULTS[after]}
    demand(context.claim["result"] == expected, f"the results are {expected}")
    demand(after < before, "the result is not worse")


def check_evaluation_term(context: Context) -> None:
    judged, name = context.judged, context.claim["term"]
    no_faults = ("evaluation_term", "leaves_theory")
    others = [each["kind"] for each in judged.claims if each["kind"] not in no_faults]
    demand(not others, f"something else is proven: {others}")
    terms = [each for each in judged.claims if each["kind"] == "evaluation_term"]
    demand(len(terms) <= 2, f"there are {len(terms)} terms")
    demand(name != "rest", "the rest is no term")
    for line in (context.line, instead_line(context)):
        demand(line.is_quiet(len(line)), "a line does not end in a quiet position")
        demand(line.end.turn == judged.mover, "the mover is not to move at the end of a line")
    sign = 1 if judged.mover == chess.WHITE else -1
    ends = [judged.terms(board) for board in (context.line.end, instead_line(context).end)]
    demand(all(name in terms for terms in ends), f"there is no term {name}")
    change = sign * (ends[0][name] - ends[1][name])
    demand(change <= -40, f"the term is not worse: {change}")
    demand(context.claim["change"] == change, f"the change is {change}")


def instead_line(context: Context) -> Line:
    instead = context.claim["instead"]
    return Line(context.judged.before, instead["line"], instead["san"], "instead")


def check_instead(context: Context) -> None:
    """Checks that the better line avoids what the claim says."""
    judged, claim = context.judged, context.claim
    line = instead_line(context)
    demand(len(line) > 0, "instead is empty")
    demand(line.moves[0] != judged.move, "instead is the judged move")
    demand(len(line) <= LONGEST_LINE or line.end.is_checkmate(), "instead is too long")
    if claim["start"] == "before":
        return
    mated = line.end.is_checkmate() and line.end.turn == judged.mover
    demand(not mated, "the mover is mated instead")
    if "value" in claim:
        last = line.last_quiet()
        demand(last is not None, "instead has no quiet position")
        kept = balance(line.boards[last or 0], judged.mover)
        left = balance(context.line.boards[context.after], judged.mover)
        demand(kept > left, f"the mover's balance is {left}, and {kept} with the better line")


@dataclasses.dataclass
class Kind:
    check: typing.Callable[[Context], None]
    fields: frozenset[str]
    optional: frozenset[str] = frozenset()


def kinds() -> dict[str, Kind]:
    material = Kind(
        check_material, frozenset({"value"}), frozenset({"piece", "square", "lost", "won"})
    )
    found = {f"{verb}_material": material for verb in ("loses", "misses", "wins")}
    found["hangs_piece"] = Kind(check_hangs, frozenset({"piece", "square", "value"}))
    found["underdefended"] = Kind(
        check_underdefended,
        frozenset({"piece", "square", "value", "attackers", "defenders"}),
        frozenset({"at"}),
    )
    three = {"by", "piece", "square", "behind"}
    means: dict[str, tuple[typing.Callable[[Context], None], set[str]]] = {
        "fork": (check_fork, {"by", "targets"}),
        "pin": (check_pin, three),
        "skewer": (check_skewer, three),
        "discovered_attack": (check_discovered_attack, {"by", "piece", "square"}),
        "trapped_piece": (check_trapped_piece, {"piece", "square"}),
        "removed_defender": (check_removed_defender, {"by", "piece", "square"}),
        "promotion": (check_promotion, {"square"}),
    }
    endings: dict[str, tuple[typing.Callable[[Context], None], set[str]]] = {
        "mate": (check_mate, {"moves"}),
        "back_rank_mate": (check_back_rank_mate, {"moves"}),
        "stalemate": (check_stalemate, set()),
        "perpetual": (check_perpetual, set()),
    }
    for verb in ("allows", "misses", "finds"):
        for name, (check, fields) in means.items():
            found[f"{verb}_{name}"] = Kind(with_gain(check), frozenset(fields | {"at", "value"}))
        for name, (check, fields) in endings.items():
            found[f"{verb}_{name}"] = Kind(check, frozenset(fields))
    found["only_move"] = Kind(check_only_move, frozenset({"evidence"}))
    found["leaves_theory"] = Kind(check_leaves_theory, frozenset({"opening"}))
    found["tablebase_result"] = Kind(check_tablebase_result, frozenset({"result"}))
    found["evaluation_term"] = Kind(check_evaluation_term, frozenset({"term", "change", "instead"}))
    return found


def with_gain(check: typing.Callable[[Context], None]) -> typing.Callable[[Context], None]:
    def both(context: Context) -> None:
        at = context.at
        odd = at % 2 == 1
        last = context.after if check is check_promotion else min(LAST_MEANS, context.after)
        demand(odd and 1 <= at <= last, "`at` is out of range")
        check_gain(context)
        check(context)

    return both


KINDS = kinds()
COMMON = {"kind", "text", "start", "line", "san", "after"}
AFTER_THE_MOVE = ("loses", "hangs", "allows", "underdefended")
INSTEAD_OF_IT = ("misses",)
BY_THE_MOVE = ("wins", "finds")
# Claims of these kinds may have no line.
WITHOUT_LINE = ("only_move", "leaves_theory", "tablebase_result", "evaluation_term")


def check_shape(claim: Claim, kind: Kind) -> None:
    fields = {name for name, value in claim.items() if value is not None}
    missing = (COMMON | kind.fields) - fields
    demand(not missing, f"fields are missing: {sorted(missing)}")
    unknown = fields - COMMON - kind.fields - kind.optional - {"instead"}
    demand(not unknown, f"fields are not of this kind: {sorted(unknown)}")
    text = claim["text"]
    demand(text.strip(), "the text is empty")
    demand("{" not in text and "}" not in text, "the text has a placeholder")
    demand(not text.endswith("."), "the text ends with a full stop")
    demand(claim["start"] in ("before", "after"), "start is neither before nor after")


def check_place(context: Context) -> None:
    """Checks where the line starts and whether such a move can have such a claim."""
    judged, claim = context.judged, context.claim
    verb = claim["kind"].split("_")[0]
    first = context.line.moves[0] if context.line.moves else None
    if verb in AFTER_THE_MOVE:
        demand(claim["start"] == "after", "the line starts before the move")
        demand("instead" in claim, "instead is missing")
    if verb in INSTEAD_OF_IT:
        demand(claim["start"] == "before", "the line starts after the move")
        demand(first != judged.move, "the line begins with the judged move")
    if verb in BY_THE_MOVE:
        demand(claim["start"] == "before", "the line starts after the move")
        demand(first == judged.move, "the line does not begin with the judged move")
        is_merit = judged.is_own_choice or judged.after.is_checkmate()
        demand(is_merit, "the move is not the AI's own choice")
    elif claim["kind"] == "evaluation_term" or verb in AFTER_THE_MOVE + INSTEAD_OF_IT:
        demand(judged.is_bad, "the move is not judged bad")


def check(judged: Judged, claim: Claim) -> None:
    kind = KINDS.get(claim["kind"])
    if kind is None:
        raise Untrue("unknown kind")
    check_shape(claim, kind)
    start = judged.before if claim["start"] == "before" else judged.after
    line = Line(start, claim["line"], claim["san"], "line")
    context = Context(judged, claim, line)
    least = 0 if claim["kind"] in WITHOUT_LINE or claim["kind"].endswith("stalemate") else 1
    demand(least <= claim["after"] <= len(line), "`after` is out of range")
    demand(len(line) <= LONGEST_LINE or line.end.is_checkmate(), "the line is too long")
    check_place(context)
    kind.check(context)
    if "instead" in claim:
        check_instead(context)
