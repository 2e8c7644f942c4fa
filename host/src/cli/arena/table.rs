//! The ladder and a player's record as tables.

use std::fmt;

use arena::{Ladder, LadderRow, StoredPlayer};
use tournament::{EloEstimate, Rating, Tally};

/// The ladder.
pub(super) struct LadderTable<'a>(pub(super) &'a Ladder);

/// A player's results.
pub(super) struct RecordTable<'a> {
    pub(super) ladder: &'a Ladder,
    pub(super) row: LadderRow,
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
        let width = ladder
            .rows
            .iter()
            .map(|row| row.player.entry.chars().count())
            .max()
            .unwrap_or(0)
            .max(6);
        writeln!(
            f,
            "rank    id  {:width$}  version           Elo  games  score  draws  faults  better",
            "player"
        )?;
        for (rank, row) in (1..).zip(&ladder.rows) {
            let LadderRow {
                player,
                total,
                record,
                ..
            } = row;
            let games = f64::from(total.games().max(1));
            let superiority = ladder
                .rows
                .get(rank)
                .and_then(|next| ladder.superiority(row, next));
            let superiority = superiority
                .map(|one| format!("{:.0} %", 100.0 * one))
                .unwrap_or_default();
            writeln!(
                f,
                "{rank:4}  {:4}  {:width$}  {:7}  {:>12}  {:5}  {:3.0} %  {:3.0} %  {:6}  \
                 {superiority:>6}",
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
            "{} pairs of games, {} void; ratings ± 95 %, {scale}; better: the likelihood of \
             being better than the next",
            ladder.results.pairs(),
            ladder.results.void_pairs
        )
    }
}

impl fmt::Display for RecordTable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            ladder,
            row: LadderRow { player, .. },
        } = self;
        writeln!(
            f,
            "{} version {}: {} Elo",
            player.entry,
            player.version,
            rating(&self.row)
        )?;
        for (
            opponent,
            Tally {
                wins,
                draws,
                losses,
                ..
            },
        ) in ladder.opponents(player.id)
        {
            let StoredPlayer { entry, version, .. } = &ladder.players[&opponent];
            writeln!(
                f,
                "  against {entry} version {version}: +{wins} ={draws} -{losses}"
            )?;
        }
        for row in ladder
            .versions(&player.entry)
            .filter_map(|version| ladder.row(version.id))
        {
            let (version, games) = (row.player.version, row.total.games());
            write!(
                f,
                "  version {version}: {} Elo in {games} games",
                rating(&row)
            )?;
            if let Some(EloEstimate { elo, error, .. }) = ladder.progress(row.player.id) {
                write!(
                    f,
                    ", {elo:+.0} ± {error:.0} against the previous version, from games alone"
                )?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}
