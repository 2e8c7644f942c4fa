//! `POST /v1/legal-moves` and `GET /v1/legal-moves`: the legal moves of a position.

use crate::{
    call::{CLIENT, Call, GAME},
    error::RequestError,
    forms::{
        game::{FEN, GameForm, MOVES},
        search::square,
    },
    problem::Code,
    query_form::{self, FieldKind, QueryField},
    replies::game::{GameReply, MoveReply},
    reply::JsonReply,
    schemas::schema_of,
};
use ai_api::{Bitboard, Square};
use game::GameService;
use rules::MoveText;
use serde::Deserialize;
use utoipa::ToSchema;

pub const CALL: Call = Call {
    summary: "List legal moves",
    description: "Lists the legal moves of a position. After the end of a game there are none, and \
                  `game.status.reason` says why.",
    example: include_str!("legal_moves/example.json"),
    ..Call::post::<LegalMovesForm>(
        "legalMoves",
        "/v1/legal-moves",
        schema_of::<LegalMovesReply>,
    )
};

pub const BY_URL: Call = Call {
    summary: "List legal moves with GET",
    description: "Lists the legal moves of a position without a body. The reply is the same as \
                  with `POST`.",
    parameters: || query_form::parameters(FIELDS),
    errors: &[CLIENT, &[Code::MalformedRequest], GAME],
    example: include_str!("legal_moves/by_url.json"),
    ..Call::get("legalMovesByUrl", CALL.path, schema_of::<LegalMovesReply>)
};

pub const FIELDS: &[QueryField] = &[
    FEN,
    MOVES,
    QueryField {
        name: "from",
        pointer: "/from",
        kind: FieldKind::Pattern("^[a-h][1-8]$"),
        description: "List only the moves of the piece on this square.",
        example: Some("g1"),
    },
];

/// The body of `POST /v1/legal-moves`.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct LegalMovesForm {
    /// The game.
    pub game: GameForm,
    /// List only the moves of the piece on this square.
    #[schema(pattern = "^[a-h][1-8]$")]
    pub from: Option<String>,
}

/// The reply of `POST /v1/legal-moves`.
#[derive(Clone, Debug, PartialEq, Eq, ToSchema)]
pub struct LegalMovesReply {
    /// The moves.
    pub moves: Vec<MoveReply>,
    /// The target squares of the piece on each square, in the form that board widgets need.
    #[schema(value_type = std::collections::BTreeMap<String, std::collections::BTreeSet<String>>)]
    pub dests: Destinations,
    /// The game.
    pub game: GameReply,
}

impl LegalMovesReply {
    fn new(moves: Vec<MoveReply>, game: GameReply) -> Self {
        let mut dests = Destinations([Bitboard::EMPTY; 64]);
        for chosen in &moves {
            dests.0[chosen.from.index()] |= chosen.to.into();
        }
        Self { moves, dests, game }
    }
}

/// Each piece's destinations, by the piece's square.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Destinations([Bitboard; 64]);

impl Destinations {
    /// Returns the destinations of the piece on a square.
    pub fn of(&self, from: Square) -> Bitboard {
        self.0[from.index()]
    }
}

/// Writes JSON by hand: serde would take ten times as many instructions for this long list, whose
/// strings need no escapes. Arrays are copied without a call, since their lengths are constants.
impl JsonReply for LegalMovesReply {
    fn write_json(&self, out: &mut Vec<u8>) -> serde_json::Result<()> {
        out.extend_from_slice(b"{\"moves\":[");
        for chosen in &self.moves {
            out.extend_from_slice(b"{\"uci\":\"");
            put_text(out, chosen.uci);
            out.extend_from_slice(b"\",\"san\":\"");
            put_text(out, chosen.san);
            let mut squares = *b"\",\"from\":\"??\",\"to\":\"??\",\"promotion\":";
            squares[10..12].copy_from_slice(&name(chosen.from));
            squares[20..22].copy_from_slice(&name(chosen.to));
            out.extend_from_slice(&squares);
            match chosen.promotion {
                Some(role) => {
                    out.push(b'"');
                    out.extend_from_slice(role.as_bytes());
                    out.push(b'"');
                }
                None => out.extend_from_slice(b"null"),
            }
            match (chosen.capture, chosen.check) {
                (false, false) => out.extend_from_slice(b",\"capture\":false,\"check\":false},"),
                (false, true) => out.extend_from_slice(b",\"capture\":false,\"check\":true},"),
                (true, false) => out.extend_from_slice(b",\"capture\":true,\"check\":false},"),
                (true, true) => out.extend_from_slice(b",\"capture\":true,\"check\":true},"),
            }
        }
        pop_comma(out);
        out.extend_from_slice(b"],\"dests\":{");
        for from in by_name(self.moves.iter().map(|chosen| chosen.from).collect()) {
            out.push(b'"');
            out.extend_from_slice(&name(from));
            out.extend_from_slice(b"\":[");
            for to in by_name(self.dests.of(from)) {
                let [file, rank] = name(to);
                out.extend_from_slice(&[b'"', file, rank, b'"', b',']);
            }
            pop_comma(out);
            out.extend_from_slice(b"],");
        }
        pop_comma(out);
        out.extend_from_slice(b"},\"game\":");
        serde_json::to_writer(&mut *out, &self.game)?;
        out.push(b'}');
        Ok(())
    }
}

fn put_text(out: &mut Vec<u8>, text: MoveText) {
    let end = out.len() + text.as_bytes().len();
    out.extend_from_slice(&text.padded());
    out.truncate(end);
}

/// Removes the comma after the last element. An empty list has none.
fn pop_comma(out: &mut Vec<u8>) {
    out.pop_if(|last| *last == b',');
}

fn name(square: Square) -> [u8; 2] {
    [b'a' + square.file(), b'1' + square.rank()]
}

/// Returns squares in alphabetical order of their names: a1, a2, …, h8. A set iterates by ranks, so
/// it is first mirrored about the a1–h8 diagonal, and each square is then mirrored back
/// (<https://www.chessprogramming.org/Flipping_Mirroring_and_Rotating>).
fn by_name(squares: Bitboard) -> impl Iterator<Item = Square> {
    let mirrored = [
        (28, 0x0f0f_0f0f_0000_0000),
        (14, 0x3333_0000_3333_0000),
        (7, 0x5500_5500_5500_5500),
    ]
    .into_iter()
    .fold(squares.0, |set, (shift, mask)| {
        let swapped = mask & (set ^ set << shift);
        set ^ swapped ^ swapped >> shift
    });
    Bitboard(mirrored)
        .into_iter()
        .map(|square| Square::new(square.rank(), square.file()))
}

/// Returns the legal moves of a game, or of one piece in it.
///
/// # Errors
/// The game is illegal, or `from` is not a square.
pub fn respond(
    service: &GameService,
    form: &LegalMovesForm,
) -> Result<LegalMovesReply, RequestError> {
    let record = form.game.read_to_look(service.config().server.max_plies)?;
    let from = form
        .from
        .as_deref()
        .map(|text| square(text, "/from"))
        .transpose()?;
    let position = record.game.position();
    let moves = if record.game.status().outcome.is_some() {
        ai_api::MoveList::new()
    } else {
        from.map_or_else(
            || rules::legal_moves(position),
            |from| rules::legal_moves_from(position, from),
        )
    };
    let moves: Vec<_> = moves
        .iter()
        .map(|&chosen| MoveReply::new(position, chosen))
        .collect();
    Ok(LegalMovesReply::new(
        moves,
        GameReply::new(&record.game, record.inferred),
    ))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::replies::game::Inferred;

    #[test]
    fn writes_what_serde_would_write() {
        for fen in [
            "4k3/P7/8/3pP3/8/7n/7P/R3K2R w KQ d6 0 1",
            "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
            "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
        ] {
            let position = rules::parse_fen(fen).unwrap();
            let moves: Vec<_> = rules::legal_moves(&position)
                .iter()
                .map(|&m| MoveReply::new(&position, m))
                .collect();
            let reply = LegalMovesReply::new(
                moves,
                GameReply::new(&rules::Game::new(position), Inferred::default()),
            );
            let mut text = Vec::new();
            reply.write_json(&mut text).unwrap();
            let mut dests = json!({});
            for chosen in &reply.moves {
                let targets = dests
                    .as_object_mut()
                    .unwrap()
                    .entry(chosen.from.to_string())
                    .or_insert(json!([]));
                let targets = targets.as_array_mut().unwrap();
                if !targets.contains(&json!(chosen.to.to_string())) {
                    targets.push(json!(chosen.to.to_string()));
                    targets.sort_by_key(ToString::to_string);
                }
            }
            let expected = json!({ "moves": reply.moves, "dests": dests, "game": reply.game });
            assert_eq!(
                serde_json::from_slice::<Value>(&text).unwrap(),
                expected,
                "{fen}"
            );
        }
    }
}
