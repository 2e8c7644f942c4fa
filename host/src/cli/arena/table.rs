//! The ladder and a player's record as tables.

use std::fmt;

use arena::{Ladder, LadderRow};
use tournament::{EloEstimate, Rating, Tally};

/// The ladder.
pub(super) struct LadderTable<'a>(pub(super) &'a Ladder);

/// A player's results.
pub(super) struct RecordTable<'a> {
    pub(super) ladder: &'a Ladder,
    pub(super) row: LadderRow,
}

impl LadderTable<'_> {
    /// Returns the rows, each with its likelihood to be better than the next.
    fn rows(&self) -> impl Iterator<Item = (&LadderRow, Option<f64>)> {
        let Self(ladder) = self;
        let superiority = |row, next| ladder.superiority(row, ladder.rows.get(next)?);
        (1..).zip(&ladder.rows).map(move |(next, row)| (row, superiority(row, next)))
    }
}

impl RecordTable<'_> {
    /// Returns the opponents with the results against them.
    fn opponents(&self) -> impl Iterator<Item = (LadderRow, Tally)> {
        let opponents = self.ladder.opponents(self.row.player.id);
        opponents.filter_map(|(id, tally)| Some((self.ladder.row(id)?, tally)))
    }

    /// Returns the versions with their differences to the one before, by games alone.
    fn versions(&self) -> impl Iterator<Item = (LadderRow, Option<EloEstimate>)> {
        let versions = self.ladder.versions(&self.row.player.entry);
        versions.filter_map(|version| Some((self.ladder.row(version.id)?, self.ladder.progress(version.id))))
    }
}

fn rating(row: &LadderRow) -> String {
    match row.rating {
        Some(Rating { elo, error, .. }) if error > 0.0 => format!("{elo:.0} ± {error:.0}"),
        Some(Rating { elo, .. }) => format!("{elo:.0} (anchor)"),
        None => "-".to_owned(),
    }
}

impl fmt::Display for LadderTable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(ladder) = self;
        let width = ladder.rows.iter().map(|row| row.player.entry.chars().count()).max().unwrap_or(0).max(6);
        writeln!(
            f,
            "rank    id  {:width$}  version           Elo  games  score  draws  faults  better",
            "player"
        )?;
        for (rank, (row, superiority)) in (1..).zip(self.rows()) {
            let LadderRow { player, total, record, .. } = row;
            let games = f64::from(total.games().max(1));
            let superiority = superiority.map(|one| format!("{:.0} %", 100.0 * one)).unwrap_or_default();
            writeln!(
                f,
                "{rank:4}  {:4}  {:width$}  {:7}  {:>12}  {:5}  {:3.0} %  {:3.0} %  {:6}  {superiority:>6}",
                player.id.0,
                player.entry,
                player.version,
                rating(row),
                total.games(),
                100.0 * total.points() / games,
                100.0 * f64::from(total.draws) / games,
                record.faults,
            )?;
        }
        let scale = if ladder.is_anchored() {
            "on the scale of the anchors"
        } else {
            "relative to an average of 1500"
        };
        write!(
            f,
            "{} pairs of games, {} void; ratings ± 95 %, {scale}; better: the likelihood to be better than the next",
            ladder.results.pairs(),
            ladder.results.void_pairs
        )
    }
}

impl fmt::Display for RecordTable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let player = &self.row.player;
        writeln!(f, "{} version {}: {} Elo", player.entry, player.version, rating(&self.row))?;
        for (LadderRow { player, .. }, Tally { wins, draws, losses, .. }) in self.opponents() {
            writeln!(f, "  against {} version {}: +{wins} ={draws} -{losses}", player.entry, player.version)?;
        }
        for (row, progress) in self.versions() {
            write!(
                f,
                "  version {}: {} Elo in {} games",
                row.player.version,
                rating(&row),
                row.total.games()
            )?;
            if let Some(EloEstimate { elo, error, .. }) = progress {
                write!(f, ", {elo:+.0} ± {error:.0} to the version before by games alone")?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}
