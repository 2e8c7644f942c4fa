//! The ladder and a player's record as tables.

use std::fmt;

use serde::Serialize;

use arena::{LadderRow, PlayerId};
use tournament::{EloEstimate, Rating, Tally};

/// The ladder.
#[derive(Debug, Serialize)]
pub(super) struct Ladder {
    anchored: bool,
    pairs: u32,
    void_pairs: u32,
    players: Vec<Row>,
}

/// A player of the ladder.
#[derive(Debug, Serialize)]
struct Row {
    id: i64,
    player: String,
    version: u32,
    elo: Option<f64>,
    error: Option<f64>,
    wins: u32,
    draws: u32,
    losses: u32,
    faults: u32,
    superiority: Option<f64>,
}

/// A player's results.
#[derive(Debug, Serialize)]
pub(super) struct Record {
    #[serde(flatten)]
    row: Row,
    opponents: Vec<Opponent>,
    versions: Vec<Version>,
}

#[derive(Debug, Serialize)]
struct Opponent {
    id: i64,
    player: String,
    version: u32,
    wins: u32,
    draws: u32,
    losses: u32,
}

#[derive(Debug, Serialize)]
struct Version {
    #[serde(flatten)]
    row: Row,
    /// To the version before, by games alone.
    difference: Option<f64>,
    difference_error: Option<f64>,
}

impl Ladder {
    pub(super) fn of(ladder: &arena::Ladder) -> Self {
        Self {
            anchored: ladder.is_anchored(),
            pairs: ladder.results.pairs(),
            void_pairs: ladder.results.void_pairs,
            players: (1..)
                .zip(&ladder.rows)
                .map(|(next, row)| {
                    let next = ladder.rows.get(next);
                    Row { superiority: next.and_then(|next| ladder.superiority(row, next)), ..Row::of(row) }
                })
                .collect(),
        }
    }
}

impl Row {
    fn of(row: &LadderRow) -> Self {
        let Tally { wins, draws, losses, .. } = row.total;
        Self {
            id: row.player.id.0,
            player: row.player.entry.clone(),
            version: row.player.version,
            elo: row.rating.map(|Rating { elo, .. }| elo),
            error: row.rating.map(|Rating { error, .. }| error),
            wins,
            draws,
            losses,
            faults: row.record.faults,
            superiority: None,
        }
    }

    fn games(&self) -> u32 {
        self.wins + self.draws + self.losses
    }

    fn rating(&self) -> String {
        match (self.elo, self.error) {
            (Some(elo), Some(error)) if error > 0.0 => format!("{elo:.0} ± {error:.0}"),
            (Some(elo), _) => format!("{elo:.0} (anchor)"),
            _ => "-".to_owned(),
        }
    }
}

impl Record {
    pub(super) fn of(ladder: &arena::Ladder, id: PlayerId) -> Option<Self> {
        let row = ladder.row(id)?;
        let opponent = |(id, tally): (PlayerId, Tally)| {
            let player = ladder.players.get(&id)?;
            let Tally { wins, draws, losses, .. } = tally;
            let (entry, version) = (player.entry.clone(), player.version);
            Some(Opponent { id: id.0, player: entry, version, wins, draws, losses })
        };
        let versions = ladder.versions(&row.player.entry).filter_map(|version| {
            let progress = ladder.progress(version.id);
            Some(Version {
                row: Row::of(&ladder.row(version.id)?),
                difference: progress.map(|EloEstimate { elo, .. }| elo),
                difference_error: progress.map(|EloEstimate { error, .. }| error),
            })
        });
        Some(Self {
            row: Row::of(&row),
            opponents: ladder.opponents(id).filter_map(opponent).collect(),
            versions: versions.collect(),
        })
    }
}

impl fmt::Display for Ladder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.players.iter().map(|row| row.player.chars().count()).max().unwrap_or(0).max(6);
        writeln!(
            f,
            "rank    id  {:width$}  version           Elo  games  score  draws  faults  better",
            "player"
        )?;
        for (rank, row) in (1..).zip(&self.players) {
            let games = f64::from(row.games().max(1));
            let score = 100.0 * (f64::from(row.wins) + f64::from(row.draws) / 2.0) / games;
            let superiority = row.superiority.map(|one| format!("{:.0} %", 100.0 * one)).unwrap_or_default();
            writeln!(
                f,
                "{rank:4}  {:4}  {:width$}  {:7}  {:>12}  {:5}  {score:3.0} %  {:3.0} %  {:6}  {superiority:>6}",
                row.id,
                row.player,
                row.version,
                row.rating(),
                row.games(),
                100.0 * f64::from(row.draws) / games,
                row.faults,
            )?;
        }
        let scale =
            if self.anchored { "on the scale of the anchors" } else { "relative to an average of 1500" };
        write!(
            f,
            "{} pairs of games, {} void; ratings ± 95 %, {scale}; better: the likelihood to be better than the next",
            self.pairs, self.void_pairs
        )
    }
}

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { row, opponents, versions } = self;
        writeln!(f, "{} version {}: {} Elo", row.player, row.version, row.rating())?;
        for Opponent { player, version, wins, draws, losses, .. } in opponents {
            writeln!(f, "  against {player} version {version}: +{wins} ={draws} -{losses}")?;
        }
        for Version { row, difference, difference_error } in versions {
            write!(f, "  version {}: {} Elo in {} games", row.version, row.rating(), row.games())?;
            if let (Some(elo), Some(error)) = (difference, difference_error) {
                write!(f, ", {elo:+.0} ± {error:.0} to the version before by games alone")?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}
