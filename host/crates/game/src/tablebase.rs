//! Probes the host's tablebases.

use ai_api::{Color, Score, ScoreKind, TableMove, TableProbe, TableResult};
use pool::{Fault, RequestContext, TablebaseError, Tablebases};
use protocol::{Probed, Task};
use rules::Game;

use crate::{ask::job, client::Client, error::ServiceError, service::GameService};

/// The maximum number of pieces in a table.
const MAX_PIECES: u32 = 7;
/// The score of a win without a known mate.
const WIN_CENTIPAWNS: i32 = 20_000;

impl GameService {
    /// Returns what the tables say about the last position of a game, for the side to move.
    ///
    /// # Errors
    /// No table covers the position, or the probing worker failed.
    pub async fn tablebase(
        &self,
        client: &Client,
        game: &Game,
    ) -> Result<TableProbe, ServiceError> {
        probe(self.ais().tablebases(), client.context(), game).await
    }

    /// Returns the maximum number of pieces that the tables cover, or 0 without tables.
    ///
    /// # Errors
    /// The probing worker failed.
    pub async fn tablebase_pieces(&self, client: &Client) -> Result<u32, ServiceError> {
        let tables = self.ais().tablebases();
        if tables.is_off() {
            return Ok(0);
        }
        // Every reply contains the number, even for a position without a table.
        let start = Game::new(rules::start_position());
        let probed = tables
            .probe(client.context(), job(&start, Task::Probe))
            .await;
        Ok(probed.map_err(ServiceError::Tablebase)?.max_pieces)
    }
}

/// Probes the last position of a game.
///
/// # Errors
/// The same as for [`GameService::tablebase`].
pub async fn probe(
    tables: &Tablebases,
    context: RequestContext,
    game: &Game,
) -> Result<TableProbe, ServiceError> {
    let position = game.position();
    let pieces = position.occupied().count();
    let has_castling = !position.castling().is_none();
    let missing = |max_pieces| ServiceError::NoTable {
        pieces,
        has_castling,
        max_pieces,
    };
    if tables.is_off() {
        return Err(missing(0));
    }
    if pieces > MAX_PIECES {
        return Err(missing(MAX_PIECES));
    }
    // The tables require only the position, and the earlier moves could fill a frame.
    let last = Game::new(*position);
    let Probed { found, max_pieces } = tables
        .probe(context, job(&last, Task::Probe))
        .await
        .map_err(ServiceError::Tablebase)?;
    let found = found.ok_or_else(|| missing(max_pieces))?;
    checked(game, found).ok_or_else(|| {
        let fault = Fault::Protocol("its moves are not the legal moves".into());
        ServiceError::Tablebase(TablebaseError::Fault(fault))
    })
}

/// Returns the score of a position in a table, for White. Keeps a mate that the AI has found.
pub(crate) fn exact_score(result: TableResult, turn: Color, found: Score) -> Score {
    let sign = match result {
        TableResult::Win => turn.sign(),
        TableResult::Loss => -turn.sign(),
        TableResult::CursedWin | TableResult::Draw | TableResult::BlessedLoss => {
            return Score::DRAW;
        }
    };
    let is_mate = matches!(found.kind(), ScoreKind::Mate(_)) && found.value().signum() == sign;
    if is_mate {
        found
    } else {
        Score::centipawns(WIN_CENTIPAWNS * sign)
    }
}

/// Returns the probe, mates first, if it contains exactly the legal moves. A damaged table may have
/// corrupted the worker.
fn checked(game: &Game, mut found: TableProbe) -> Option<TableProbe> {
    let mut legal: Vec<_> = rules::legal_moves(game.position())
        .iter()
        .copied()
        .collect();
    let mut probed: Vec<_> = found.moves.iter().map(|entry| entry.chosen).collect();
    legal.sort_unstable();
    probed.sort_unstable();
    let mates = |entry: &TableMove| {
        let mut ahead = Game::new(*game.position());
        ahead.play(entry.chosen).is_ok()
            && ahead.position().in_check()
            && rules::legal_moves(ahead.position()).is_empty()
    };
    found.moves.sort_by_key(|entry| !mates(entry));
    (legal == probed).then_some(found)
}
