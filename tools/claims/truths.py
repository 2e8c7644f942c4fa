"""The samples for the self-test: a true claim of each kind, and changes that make it false."""

from __future__ import annotations

import dataclasses
import typing

Fields = dict[str, typing.Any]


@dataclasses.dataclass
class Sample:
    """A true claim with forgeries: for each, a part of the expected reason and the changes."""

    fen: str
    move: str
    claim: Fields
    forgeries: list[tuple[str, Fields]]
    # Fields of the report's move. `others` lists further claims, and `theory` lists opening names.
    record: Fields = dataclasses.field(default_factory=dict)
    before: tuple[str, ...] = ()


def sample(
    position: str,
    move: str,
    kind: str,
    line: str,
    after: int,
    fields: Fields,
    *forgeries: tuple[str, Fields],
    record: Fields | None = None,
    before: str = "",
) -> Sample:
    start = "before" if kind.startswith(("wins", "finds", "misses")) else "after"
    claim = {"kind": kind, "text": "says why", "start": start, "after": after}
    claim.update(san=line.split(), **fields)
    return Sample(position, move, claim, list(forgeries), record or {}, tuple(before.split()))


def places(text: str) -> list[dict[str, str]]:
    """Parses `knight c7, king e8` into pieces with their squares."""
    words = [place.split() for place in text.split(", ")]
    return [{"piece": piece, "square": square} for piece, square in words]


def place(text: str) -> dict[str, str]:
    return places(text)[0]


def other(line: str) -> Fields:
    return {"san": line.split()}


KNIGHT = "6k1/5ppp/8/3p4/8/2N5/5PPP/6K1 w - - 0 1"
KNIGHT_AND_F3 = "6k1/5ppp/8/3p4/8/2N2P2/6PP/6K1 w - - 0 1"
INSTEAD = {"instead": other("Nxd5 f6")}
ON_E4 = {"piece": "knight", "square": "e4", "value": 3}
ROOK = "r5k1/5ppp/8/4n3/8/1B5P/5PP1/4R1K1 w - - 0 1"
ON_E5 = {"piece": "knight", "square": "e5", "value": 3, "lost": ["knight"]}
LONG = "dxe4 g3 f6 f3 exf3 Kf2 Kf7 Kxf3 Ke6 Ke4 f5+ Kf4 Kf6"
LONG_INSTEAD = "Nxd5 f6 f3 Kf7 Kf2 Ke6 Nb4 h5 Ke3 h4 Nd3 Kf5 g3"


def any_kind() -> Sample:
    """Returns the sample for rules that apply to every kind of claim."""
    return sample(
        KNIGHT,
        "Ne4",
        "loses_material",
        "dxe4 g3",
        1,
        {**ON_E4, "lost": ["knight"], **INSTEAD},
        ("unknown kind", {"kind": "loses_face"}),
        ("fields are missing", {"value": None}),
        ("fields are not of this kind", {"moves": 1}),
        ("the text is empty", {"text": " "}),
        ("placeholder", {"text": "loses {prize}"}),
        ("full stop", {"text": "loses a knight."}),
        ("before nor after", {"start": "later"}),
        ("is illegal", {"line": ["d5e4", "a1a2"]}),
        ("its SAN is", {"line": ["d5e4", "g2g3"], "san": ["de", "g3"]}),
        ("moves and", {"line": ["d5e4"]}),
        ("`after` is out of range", {"after": 3}),
        ("`after` is out of range", {"after": 0}),
        ("too long", {"san": LONG.split()}),
        ("before the move", {"start": "before", "san": ["Nxd5"]}),
        ("not judged bad", {"record": {"judgement": None}}),
        ("instead is missing", {"instead": None}),
        ("instead is empty", {"instead": other("")}),
        ("instead is the judged move", {"instead": other("Ne4 f6")}),
        ("instead is too long", {"instead": other(LONG_INSTEAD)}),
        ("its SAN is", {"instead": {"san": ["Nd5"], "line": ["c3d5"]}}),
        ("is illegal", {"instead": other("Nxd5 Kg1")}),
        ("balance is", {"instead": other("Nb5 Kf8 Nd6 Ke7 Ne8 Kxe8")}),
    )


def lost_material() -> list[Sample]:
    return [
        sample(
            KNIGHT,
            "Ne4",
            "loses_material",
            "dxe4 f3 exf3 gxf3",
            1,
            {**ON_E4, "lost": ["knight"], **INSTEAD},
            ("the gain is 3", {"value": 2}),
            ("lost is", {"lost": ["bishop"]}),
            ("lost is", {"lost": None}),
            ("won is", {"won": ["pawn"]}),
            ("most valuable", {"square": "d5"}),
            ("most valuable", {"piece": "bishop"}),
            ("not quiet", {"after": 2}),
            ("not quiet", {"fen": KNIGHT_AND_F3, "san": ["dxe4"]}),
            ("smaller in the quiet position", {"fen": BISHOP, "san": "dxe4 g3 h6 Bxd8".split()}),
        ),
        sample(
            ROOK,
            "h4",
            "misses_material",
            "Rxe5 Rf8",
            1,
            ON_E5,
            ("begins with the judged move", {"move": "Rxe5"}),
            ("after the move", {"start": "after", "san": ["Nc6", "g3"]}),
        ),
    ]


BISHOP = "3n2k1/5ppp/8/3p2B1/8/2N5/5PPP/6K1 w - - 0 1"


def won_material() -> list[Sample]:
    return [
        sample(
            ROOK,
            "Rxe5",
            "wins_material",
            "Rxe5 Rf8",
            1,
            ON_E5,
            ("own choice", {"record": {"best": {}}}),
            ("own choice", {"record": {"score": None}}),
            ("does not begin with", {"move": "h4"}),
            ("after the move", {"start": "after", "san": ["Rf8"]}),
            ("captured as much", {"fen": EXCHANGE, "before": ["Nxe5"]}),
            ("nothing is gained", {"san": ["Kf1"], "move": "Kf1", "value": 0}),
        ),
        sample(
            "6k1/P4ppp/8/8/2b5/8/5PPP/6K1 w - - 0 1",
            "a8=Q#",
            "wins_material",
            "a8=Q#",
            1,
            {"value": 8},
            ("despite a promotion", {"lost": ["pawn"]}),
            ("captures nothing", {"piece": "bishop", "square": "c4"}),
        ),
        # A knight and a bishop cancel out.
        sample(
            "3r2k1/5ppp/8/3b4/8/2N5/5PPP/3R2K1 w - - 0 1",
            "Nxd5",
            "wins_material",
            "Nxd5 Rxd5 Rxd5",
            3,
            {"piece": "rook", "square": "d5", "value": 5, "lost": ["rook"]},
            ("lost is", {"lost": ["bishop", "rook"], "won": ["knight"]}),
        ),
    ]


EXCHANGE = "r5k1/3n1ppp/8/4N3/8/1B5P/5PP1/4R1K1 b - - 0 1"


def hanging() -> list[Sample]:
    return [
        sample(
            KNIGHT,
            "Ne4",
            "hangs_piece",
            "dxe4 g3",
            1,
            {**ON_E4, **INSTEAD},
            ("there is no queen on e4", {"piece": "queen"}),
            ("other side's", {"piece": "pawn", "square": "d5"}),
            ("does not capture", {"san": "f6 g3 dxe4".split(), "after": 3}),
            ("can recapture", {"fen": KNIGHT_AND_F3, "san": "dxe4 f4".split()}),
            ("has another value", {"fen": TAKES_FIRST, "move": "Nxe4", "value": 2}),
        ),
        sample(
            KNIGHT,
            "Ne4",
            "underdefended",
            "dxe4 g3",
            1,
            {**ON_E4, **INSTEAD, "attackers": ["d5"], "defenders": []},
            ("the attackers are", {"attackers": ["d5", "f5"]}),
            ("the defenders are", {"defenders": ["f3"]}),
            ("no loses_material", {"record": {}}),
            ("not more attackers", {"fen": KNIGHT_AND_F3, "defenders": ["f3"]}),
            ("does not capture", {"san": "f6 g3 dxe4".split(), "after": 3}),
            record={"others": ["loses_material"]},
        ),
    ]


TAKES_FIRST = "6k1/5ppp/8/3p4/4p3/2N5/5PPP/6K1 w - - 0 1"
SCHOLAR = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/8/PPPP1PPP/RNBQK1NR w KQkq - 0 1"
BACK_RANK = "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1"


def mates() -> list[Sample]:
    return [
        sample(
            "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1",
            "Ra7",
            "finds_mate",
            "Ra7 Kg8 Rb8#",
            3,
            {"moves": 2},
            ("not the actor's move", {"moves": 3}),
            ("before the mate", {"after": 1}),
            ("does not end with mate", {"san": ["Ra7", "Kg8"], "after": 2}),
            ("prevents the mate", {"fen": SCHOLAR, "move": "Qh5", "san": FOOLISH}),
        ),
        sample(
            BACK_RANK,
            "Ra8#",
            "finds_back_rank_mate",
            "Ra8#",
            1,
            {"moves": 1},
            ("is in front of it", {"fen": "7k/8/7K/8/8/8/8/R7 w - - 0 1"}),
            ("not on its first rank", {"fen": "8/8/5K1k/8/8/8/6R1/R7 w - - 0 1", **ON_H1}),
            ("no rook or queen", {"fen": "6rk/6pp/8/6N1/8/8/8/6K1 w - - 0 1", **SMOTHERED}),
        ),
    ]


FOOLISH = ["Qh5", "Nf6", "Qxf7#"]
ON_H1 = {"move": "Rh1#", "san": ["Rh1#"]}
SMOTHERED = {"move": "Nf7#", "san": ["Nf7#"]}
FORK = "r3k3/8/8/3N4/8/8/8/4K3 w - - 0 1"
DEFENDED_FORK = "4k3/8/1p6/2b5/8/3N4/8/4K2r w - - 0 1"


def forks() -> Sample:
    return sample(
        FORK,
        "Nc7+",
        "finds_fork",
        "Nc7+ Kd7 Nxa8",
        3,
        {"at": 1, "value": 5, "by": place("knight c7"), "targets": places("king e8, rook a8")},
        ("out of range", {"at": 2}),
        ("out of range", {"at": 5}),
        ("two targets", {"targets": places("rook a8")}),
        ("two targets", {"targets": places("rook a8, rook a8")}),
        ("no knight on d5", {"by": place("knight d5")}),
        ("other side's", {"by": place("king e8")}),
        ("other side's", {"targets": places("king e8, king e1")}),
        (
            "does not bring",
            {"at": 3, "by": place("king e1"), "targets": places("king d7, king e1")},
        ),
        ("does not attack", {"fen": FORK.replace("8/4K3", "7r/4K3"), "targets": FAR}),
        ("neither worth more nor loose", {"fen": PAWN_ON_B5, **TAKES_PAWN}),
        ("no later move captures", {"fen": TAKEN_BEFORE, **BY_ROOK}),
        ("the gain is", {"value": 4}),
    )


FAR = places("king e8, rook h2")
PAWN_ON_B5 = "4k3/8/8/1p1N4/8/8/8/4K3 w - - 0 1"
TAKES_PAWN = {
    "san": ["Nc7+", "Kd7", "Nxb5"],
    "value": 1,
    "targets": places("king e8, pawn b5"),
}
TAKEN_BEFORE = "r3k3/8/8/3N4/8/8/8/R3K3 w - - 0 1"
BY_ROOK = {"san": ["Nc7+", "Kd7", "Rxa8"]}
PIN = "4k3/8/8/4n3/8/8/8/R5K1 w - - 0 1"
SKEWER = "8/8/8/4k2q/8/8/R7/6K1 w - - 0 1"


def pins() -> Sample:
    pinned = {"piece": "knight", "square": "e5", "behind": place("king e8")}
    return sample(
        PIN,
        "Re1",
        "finds_pin",
        "Re1 Kf7 Rxe5",
        3,
        {"at": 1, "value": 3, "by": place("rook e1"), **pinned},
        ("on that line before", {"fen": PIN.replace("R5K1", "4R1K1"), **UP_THE_FILE}),
        ("not on a line", {"fen": PIN.replace("4k3", "3bk3"), "behind": place("bishop d8")}),
        ("not worth more", {"fen": PIN.replace("4k3", "4n1k1"), **TO_KNIGHT}),
        ("no later move captures `piece`", {"fen": WITH_BISHOP, **TAKES_H7}),
        ("has moved", {"san": "Re1 Kf7 Rf1+ Nf3+ Rxf3+".split(), "after": 5}),
        ("not pinned", {"fen": SKEWER, **AS_PIN}),
    )


UP_THE_FILE = {"move": "Re2", "san": ["Re2", "Kf7", "Rxe5"], "by": place("rook e2")}
TO_KNIGHT = {"san": ["Re1", "Nd6", "Rxe5"], "behind": place("knight e8")}
WITH_BISHOP = "4k3/7p/8/4n3/8/3B4/8/R5K1 w - - 0 1"
TAKES_H7 = {"san": ["Re1", "Kf7", "Bxh7"], "value": 1}
AS_PIN = {
    "move": "Ra5+",
    "san": ["Ra5+", "Kd4", "Rxh5"],
    "value": 9,
    "by": place("rook a5"),
    "piece": "king",
    "square": "e5",
    "behind": place("queen h5"),
}


def skewers() -> Sample:
    fields = {key: value for key, value in AS_PIN.items() if key not in ("move", "san")}
    return sample(
        SKEWER,
        "Ra5+",
        "finds_skewer",
        "Ra5+ Kd4 Rxh5",
        3,
        {"at": 1, **fields},
        ("on that line before", {"fen": SKEWER.replace("4k2q/8/8/R7", "R3k2q/8/8/8"), **ALONG}),
        ("behind is a pawn", {"fen": SKEWER.replace("q", "p"), "value": 1, "behind": PAWN}),
        ("in front is not worth more", {"fen": PIN, **PIN_AS_SKEWER}),
        ("leaves `piece` where it is", {"fen": TWO_QUEENS, **STAYS}),
        ("does not capture `behind`", {"fen": TWO_ROOKS, **OTHER_ROOK}),
    )


PAWN = place("pawn h5")
ALONG = {"move": "Rb5+", "san": ["Rb5+", "Kd4", "Rxh5"], "by": place("rook b5")}
PIN_AS_SKEWER = {
    "move": "Re1",
    "san": ["Re1", "Kf7", "Rxe5"],
    "value": 3,
    "by": place("rook e1"),
    "piece": "knight",
    "square": "e5",
    "behind": place("king e8"),
}
TWO_QUEENS = "7k/8/8/4q2r/8/8/R7/6K1 w - - 0 1"
STAYS = {
    "move": "Ra5",
    "san": ["Ra5", "Kg7", "Rxe5", "Kg8", "Rxh5"],
    "after": 5,
    "value": 14,
    "piece": "queen",
    "behind": place("rook h5"),
}
TWO_ROOKS = "8/8/8/4k2q/8/8/R7/6KR w - - 0 1"
OTHER_ROOK = {"san": ["Ra5+", "Kd4", "Rhxh5"]}
DISCOVERY = "6k1/5ppp/8/n7/3q4/3B4/5PPP/3Q2K1 w - - 0 1"
CHECK = "4k3/1p6/8/8/4B3/8/8/4R1K1 w - - 0 1"


def discovered_attacks() -> list[Sample]:
    queen = {"piece": "queen", "square": "d4"}
    return [
        sample(
            DISCOVERY,
            "Bxh7+",
            "finds_discovered_attack",
            "Bxh7+ Kxh7 Qxd4",
            3,
            {"at": 1, "value": 7, "by": place("queen d1"), **queen},
            ("`by` itself moves", {"by": place("bishop h7"), "piece": "king", "square": "g8"}),
            ("does not attack", {"by": place("king g1")}),
            ("leaves the line between", {"fen": OPEN_FILE}),
            ("does not capture `piece` there", {"fen": BY_BISHOP, **TAKES_WITH_BISHOP}),
        ),
        sample(
            CHECK,
            "Bxb7+",
            "finds_discovered_attack",
            "Bxb7+ Kd7",
            1,
            {"at": 1, "value": 1, "by": place("rook e1"), "piece": "king", "square": "e8"},
            ("captures nothing", {"fen": WITH_KNIGHT, **ROOK_TAKES}),
        ),
    ]


OPEN_FILE = "6k1/5ppp/8/n7/3q4/8/2B2PPP/3Q2K1 w - - 0 1"
BY_BISHOP = "6k1/5ppp/8/n7/3q4/3B4/1B3PPP/3Q2K1 w - - 0 1"
TAKES_WITH_BISHOP = {"san": ["Bxh7+", "Kxh7", "Bxd4"]}
WITH_KNIGHT = "4k3/8/8/7n/4B3/8/8/4R1K1 w - - 0 1"
ROOK_TAKES = {"move": "Bf3+", "san": "Bf3+ Kf7 Kg2 Kf6 Bxh5".split(), "after": 5, "value": 3}
TRAP = "6k1/4bppp/p7/1pp5/8/1B3N2/PPP2PPP/6K1 b - - 0 1"
GUARD = "4k3/1p3ppp/2n5/1B2b3/8/7P/5PP1/4R1K1 w - - 0 1"


def trapped_pieces() -> Sample:
    return sample(
        TRAP,
        "c4",
        "finds_trapped_piece",
        "c4 h3 cxb3 axb3",
        4,
        {"at": 1, "value": 2, "piece": "bishop", "square": "b3"},
        ("a pawn or king", {"piece": "king", "square": "g1"}),
        ("does not attack the piece", {"piece": "knight", "square": "f3"}),
        ("safe after b3", {"fen": TRAP.replace("1pp5", "2p5").replace("p7", "8")}),
        ("safe where it is", {"fen": BY_A_ROOK, **ROOK_ATTACKS}),
        ("no later move captures", {"fen": PAWN_TOO, **TAKES_A_PAWN}),
    )


BY_A_ROOK = "r5k1/4bppp/8/8/8/1B3N2/PPP2PPP/6K1 b - - 0 1"
ROOK_ATTACKS = {"move": "Rb8", "san": "Rb8 Bd5 Rd8 Kf1 Rxd5".split(), "after": 5, "value": 3}
PAWN_TOO = "6k1/4bppp/p7/1pp5/7P/1B4N1/PPP2PP1/6K1 b - - 0 1"
TAKES_A_PAWN = {"san": ["c4", "c3", "Bxh4", "Kf1"], "after": 3, "value": 1}


def removed_defenders() -> Sample:
    bishop = {"piece": "bishop", "square": "e5"}
    return sample(
        GUARD,
        "Bxc6+",
        "finds_removed_defender",
        "Bxc6+ bxc6 Rxe5+",
        3,
        {"at": 1, "value": 3, "by": place("knight c6"), **bishop},
        ("does not capture `by`", {"by": place("pawn b7")}),
        ("did not defend", {"piece": "king", "square": "e8"}),
        ("is a pawn", {"piece": "pawn", "square": "h7"}),
        ("no later move captures `piece`", {"after": 1, "san": ["Bxc6+", "Kd8"]}),
        ("can recapture", RECAPTURED),
        ("has moved", {"san": "Bxc6+ Kd8 Ba4 Bf6 Rd1+ Bd4 Rxd4+".split(), **LATER}),
    )


RECAPTURED = {
    "fen": "4k3/1p4pp/2np4/1B2b3/5P2/8/6P1/6K1 w - - 0 1",
    "san": ["Bxc6+", "bxc6", "fxe5", "dxe5"],
    "after": 4,
    "value": 2,
}
LATER = {"after": 7, "value": 6}


def promotions() -> Sample:
    return sample(
        "7k/P7/8/8/8/8/8/K7 w - - 0 1",
        "a8=Q+",
        "finds_promotion",
        "a8=Q+ Kg7 Qb7+",
        1,
        {"at": 1, "value": 8, "square": "a8"},
        ("does not promote", {"at": 3, "after": 3, "square": "b7"}),
        ("promotes on a8", {"square": "b8"}),
    )


def draws() -> list[Sample]:
    return [
        sample(
            "7k/7p/7P/8/8/8/2q5/K5R1 w - - 0 1",
            "Rg8+",
            "finds_stalemate",
            "Rg8+ Kxg8",
            2,
            {},
            ("does not end with stalemate", {"san": ["Rg8+"], "after": 1}),
            ("before the stalemate", {"after": 1}),
        ),
        sample(
            "6k1/6p1/8/7Q/8/8/qr6/7K w - - 0 1",
            "Qe8+",
            "finds_perpetual",
            "Qe8+ Kh7 Qh5+ Kg8 Qe8+",
            5,
            {},
            ("gives no check", {"san": "Qe8+ Kh7 Qe1 Kg8 Qe8+".split()}),
            ("occurs only once", {"san": "Qe8+ Kh7 Qe4+ Kg8 Qe6+".split()}),
        ),
        sample(
            "5k2/6p1/8/7Q/8/8/qr6/7K b - - 0 1",
            "Kg8",
            "allows_perpetual",
            "Qe8+ Kh7 Qh5+ Kg8 Qe8+",
            5,
            {"instead": other("Rb1+ Qd1 Rxd1#")},
            ("instead is missing", {"instead": None}),
        ),
        sample(
            "rnbqkbnr/pppp1ppp/8/4p3/8/5P2/PPPPP1PP/RNBQKBNR w KQkq - 0 2",
            "g4",
            "allows_mate",
            "Qh4#",
            1,
            {"moves": 1, "instead": other("e4 Nf6")},
            ("mated instead", {"instead": other("h3 Nc6 g4 Qh4#")}),
        ),
    ]


ENDING = "8/4k3/8/3KP3/8/8/8/8 b - - 0 1"
RUY_LOPEZ = "e4 e5 Nf3 Nc6 Bb5"


def knowledge() -> list[Sample]:
    return [
        sample(
            "7k/8/8/8/8/6r1/8/r6K w - - 0 1",
            "Kh2",
            "only_move",
            "Kg7 Kxg3",
            1,
            {"evidence": "rules"},
            ("other moves are legal", {"fen": ENDING, "move": "Kd7", "san": ["e6+"]}),
            ("the evidence is the rules", {"evidence": "lines"}),
        ),
        sample(
            ENDING,
            "Kd7",
            "only_move",
            "e6+",
            1,
            {"evidence": "tablebase"},
            ("unknown evidence", {"evidence": "feeling"}),
            ("has no worse result", {"move": "Ke8", "san": ["Kd6"]}),
            ("do not contain", {"fen": KNIGHT, "move": "Ne4", "san": ["dxe4"]}),
        ),
        sample(
            ENDING,
            "Ke8",
            "tablebase_result",
            "Kd6",
            1,
            {"result": {"before": "draw", "after": "loss"}},
            ("the results are", {"result": {"before": "win", "after": "loss"}}),
            ("is not worse", {"move": "Kd7", "san": ["e6+"], "result": SAME}),
            ("do not contain", {"fen": KNIGHT, "move": "Ne4", "san": ["dxe4"]}),
        ),
        sample(
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "h5",
            "leaves_theory",
            "O-O",
            1,
            {"opening": "Ruy Lopez"},
            ("the opening is", {"opening": "Italian Game"}),
            ("a later position is theory", {"record": {"theory": [*THEORY, "Ruy Lopez"]}}),
            ("is not theory", {"record": {"theory": [None] * 6}}),
            record={"theory": [*THEORY, None]},
            before=RUY_LOPEZ,
        ),
        sample(
            "6k1/5ppp/8/8/8/8/5PPP/6K1 w - - 0 1",
            "g4",
            "evaluation_term",
            "g6",
            1,
            {"term": "king_shield", "change": -45, "instead": other("g3 g6")},
            ("the change is", {"change": -40}),
            ("there is no term", {"term": "net"}),
            ("something else is proven", {"record": {"others": ["only_move"]}}),
            ("is not worse", {"instead": other("h3 g6 g4 h6"), "change": 0}),
            ("not judged bad", {"record": {"judgement": None}}),
        ),
    ]


SAME = {"before": "draw", "after": "draw"}
THEORY = ["King's Pawn Game", "King's Pawn Game", "King's Knight Opening", None, "Ruy Lopez"]


def samples() -> list[Sample]:
    return [
        any_kind(),
        *lost_material(),
        *won_material(),
        *hanging(),
        *mates(),
        forks(),
        pins(),
        skewers(),
        *discovered_attacks(),
        trapped_pieces(),
        removed_defenders(),
        promotions(),
        *draws(),
        *knowledge(),
    ]
