//! The result of a match as text and as JSON.

use std::{fmt, process::ExitCode};

use serde::Serialize;

use super::{
    faults::MatchFaults, gauntlet::GauntletReply, lost_game::LostGame, progress::node_table,
};
use crate::cli::failure::Failure;
use fleet_match::NodeProgress;
use tournament::{
    EloEstimate, GauntletAnchor, Hypothesis, MatchEnd, RatedPlayer, Rating, Sprt, SprtState,
    Standings, Tally, TimeControl, ratings,
};

/// The maximum number of lost games in the text.
const MAX_LOST_GAMES: usize = 20;

/// The effect of a player's fault.
#[derive(Clone, Copy, Debug)]
pub(super) enum FaultRule {
    /// It loses the game.
    Lose,
    /// It loses the game, and the command fails.
    Fail,
}

#[derive(Debug, Serialize)]
pub(super) struct MatchReport {
    players: Vec<String>,
    time_control: String,
    games: u32,
    finish: &'static str,
    encounters: Vec<EncounterReply>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sprt: Option<SprtReply>,
    /// The verdict of the test.
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<SprtVerdict>,
    /// For more than two players, their ratings around the mean; in a gauntlet, the first player's
    /// rating on CCRL Blitz.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    ratings: Vec<MatchRating>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gauntlet: Option<GauntletReply>,
    lost_from_won: Vec<LostGame>,
    /// Only for a match on a fleet.
    #[serde(skip_serializing_if = "Option::is_none")]
    nodes: Option<Vec<NodeProgress>>,
    faults: MatchFaults,
    #[serde(skip)]
    last_line: String,
}

/// Whether a test finds the first player better by `elo1`.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
enum SprtVerdict {
    Accepted,
    Rejected,
    Undecided,
}

/// The games of two players, from the first player's point of view.
#[derive(Debug, Serialize)]
struct EncounterReply {
    first: String,
    second: String,
    #[serde(flatten)]
    tally: Tally,
    estimate: Option<EloEstimate>,
}

#[derive(Debug, Serialize)]
struct SprtReply {
    #[serde(flatten)]
    hypotheses: Sprt,
    #[serde(flatten)]
    state: SprtState,
    test: &'static str,
}

#[derive(Debug, Serialize)]
struct MatchRating {
    player: String,
    rating: Option<Rating>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unrated: Option<String>,
    /// Set if the results do not connect all players.
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<usize>,
}

impl MatchReport {
    pub(super) fn new(
        players: Vec<String>,
        time_control: TimeControl,
        (standings, stop_reason): (&Standings, MatchEnd),
        sprt: Option<Sprt>,
        anchors: Option<&[GauntletAnchor]>,
        lost_from_won: Vec<LostGame>,
        faults: MatchFaults,
    ) -> Self {
        let encounters: Vec<_> = standings
            .pairings
            .iter()
            .map(|(&(first, second), tally)| EncounterReply {
                first: players[first].clone(),
                second: players[second].clone(),
                tally: *tally,
                estimate: EloEstimate::of(tally),
            })
            .collect();
        let sprt = sprt
            .zip(standings.pairings.values().next())
            .map(|(hypotheses, tally)| SprtReply {
                hypotheses,
                state: hypotheses.state(tally),
                test: "pentanomial GSPRT",
            });
        let gauntlet = anchors.map(|anchors| GauntletReply::new(&players, anchors, standings));
        let rated = match &gauntlet {
            Some(gauntlet) => vec![RatedPlayer {
                rating: gauntlet.rating(),
                group: 0,
            }],
            None if players.len() > 2 => ratings(&vec![None; players.len()], &standings.pairings),
            None => Vec::new(),
        };
        let ratings = rating_replies(&players, &rated);
        let last_line = match (&gauntlet, &encounters[..]) {
            (Some(gauntlet), _) => gauntlet.summary(),
            (None, [only]) => only.summary(),
            (None, _) => ratings
                .iter()
                .map(MatchRating::summary)
                .collect::<Vec<_>>()
                .join("; "),
        };
        Self {
            time_control: time_control.to_string(),
            games: standings.games(),
            finish: match stop_reason {
                MatchEnd::AllGamesPlayed => "played",
                MatchEnd::SprtDecided => "decided",
                MatchEnd::Interrupted => "interrupted",
            },
            verdict: sprt.as_ref().map(|sprt| sprt.state.accepted.into()),
            sprt,
            ratings,
            gauntlet,
            lost_from_won,
            nodes: None,
            faults,
            last_line,
            encounters,
            players,
        }
    }

    /// Returns the exit status of the command.
    ///
    /// # Errors
    /// A fault ended a game and `rule` forbids that, or faults of every player ended all games.
    pub(super) fn exit_status(&self, rule: FaultRule) -> Result<ExitCode, Failure> {
        let faults = &self.faults;
        let is_failure = match rule {
            FaultRule::Lose => faults.are_all_of(self.games),
            FaultRule::Fail => faults.games() > 0,
        };
        if is_failure {
            return Err(Failure::Other(anyhow::anyhow!("{faults}")));
        }
        Ok(match self.verdict {
            None | Some(SprtVerdict::Accepted) => ExitCode::SUCCESS,
            Some(SprtVerdict::Rejected) => ExitCode::from(3),
            Some(SprtVerdict::Undecided) => ExitCode::from(4),
        })
    }
}

impl From<Option<Hypothesis>> for SprtVerdict {
    fn from(accepted: Option<Hypothesis>) -> Self {
        match accepted {
            Some(Hypothesis::H1) => Self::Accepted,
            Some(Hypothesis::H0) => Self::Rejected,
            None => Self::Undecided,
        }
    }
}

impl MatchReport {
    /// Adds the nodes that played.
    pub(super) fn with_nodes(self, nodes: Option<Vec<NodeProgress>>) -> Self {
        Self { nodes, ..self }
    }
}

fn rating_replies(players: &[String], rated: &[RatedPlayer]) -> Vec<MatchRating> {
    let are_connected = rated.iter().all(|player| player.group == rated[0].group);
    let reply = |(name, player): (&String, &RatedPlayer)| MatchRating {
        player: name.clone(),
        rating: player.rating.ok(),
        unrated: player.rating.err().map(|unrated| unrated.to_string()),
        group: (!are_connected).then_some(player.group + 1),
    };
    players.iter().zip(rated).map(reply).collect()
}

impl MatchRating {
    /// Returns the player with its rating around the mean.
    fn summary(&self) -> String {
        let Self {
            player,
            rating,
            unrated,
            group,
        } = self;
        match (rating, group) {
            (Some(rating), None) => format!("{player}: {rating:+}"),
            (Some(rating), Some(group)) => format!("{player}: {rating:+} in group {group}"),
            (None, _) => format!("{player}: {}", unrated.as_deref().unwrap_or_default()),
        }
    }
}

impl EncounterReply {
    /// Returns the players with the estimated difference.
    fn summary(&self) -> String {
        let Self {
            first,
            second,
            estimate,
            ..
        } = self;
        match estimate {
            Some(estimate) => {
                let superiority = 100.0 * estimate.superiority;
                format!(
                    "{first} - {second}: {estimate}, likelihood of superiority {superiority:.1} %"
                )
            }
            None => format!("{first} - {second}: no games"),
        }
    }
}

impl fmt::Display for EncounterReply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            first,
            second,
            tally,
            ..
        } = self;
        let (games, points) = (tally.games(), tally.points());
        let percent = 100.0 * points / f64::from(games.max(1));
        let Tally {
            wins,
            draws,
            losses,
            pairs,
        } = tally;
        write!(
            f,
            "{first} - {second}: +{wins} ={draws} -{losses}, {points} of {games} points \
             ({percent:.1} %)"
        )?;
        let pairs = pairs.map(|count| count.to_string()).join(" ");
        write!(f, "; pairs by points from 0 to 2: {pairs}")
    }
}

impl fmt::Display for MatchReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} games, {}", self.games, self.time_control)?;
        for encounter in &self.encounters {
            writeln!(f, "{encounter}")?;
            if self.encounters.len() > 1 {
                writeln!(f, "  {}", encounter.summary())?;
            }
        }
        if let Some(SprtReply {
            hypotheses: Sprt { elo0, elo1 },
            state,
            test,
        }) = &self.sprt
        {
            let SprtState {
                llr,
                bounds: (low, high),
                accepted,
            } = state;
            let decision = match accepted {
                Some(Hypothesis::H0) => format!("H0 accepted: {elo0} rather than {elo1}"),
                Some(Hypothesis::H1) => format!("H1 accepted: {elo1} rather than {elo0}"),
                None => "undecided".to_owned(),
            };
            writeln!(
                f,
                "SPRT {elo0} to {elo1} ({test}): LLR {llr:.2} of {low:.2} to {high:.2}; {decision}"
            )?;
        }
        f.write_str(&node_table(self.nodes.as_deref().unwrap_or_default()))?;
        if let Some(gauntlet) = &self.gauntlet {
            write!(f, "{gauntlet}")?;
        }
        if self.ratings.iter().any(|rating| rating.group.is_some()) {
            writeln!(
                f,
                "Ratings in different groups are not comparable: no results connect the groups, or \
                 one group won every game between them"
            )?;
        }
        if !self.lost_from_won.is_empty() {
            writeln!(
                f,
                "Games lost from a won position, with the last evaluation of at least +3.00 for \
                 the loser:"
            )?;
        }
        for game in self.lost_from_won.iter().take(MAX_LOST_GAMES) {
            writeln!(f, "  {game}")?;
        }
        if let Some(more @ 1..) = self.lost_from_won.len().checked_sub(MAX_LOST_GAMES) {
            writeln!(f, "  and {more} more; --json lists all")?;
        }
        if self.faults.games() > 0 {
            writeln!(f, "{}", self.faults)?;
        }
        f.write_str(&self.last_line)
    }
}
