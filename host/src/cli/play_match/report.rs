//! The result of a match as text and as JSON.

use std::fmt;

use serde::Serialize;

use tournament::{
    EloEstimate, Hypothesis, Rating, Sprt, SprtState, Standings, StopReason, Tally, TimeControl, Unrated,
    ratings,
};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Scale {
    /// That of rated opponents.
    Absolute,
    /// Around the mean of the players.
    Relative,
}

/// The rated opponents of a gauntlet.
#[derive(Clone, Debug)]
pub(super) struct Anchor {
    pub(super) engine: String,
    pub(super) steps: Vec<u32>,
}

#[derive(Debug, Serialize)]
pub(super) struct MatchReply {
    players: Vec<String>,
    time_control: String,
    games: u32,
    finish: &'static str,
    encounters: Vec<EncounterReply>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sprt: Option<SprtReply>,
    /// For more than two players.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    ratings: Vec<RatingReply>,
    #[serde(skip)]
    last_line: String,
}

/// The games of two players, from the view of the first.
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
struct RatingReply {
    player: String,
    rating: Option<Rating>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unrated: Option<String>,
}

impl MatchReply {
    pub(super) fn new(
        players: Vec<String>,
        time_control: TimeControl,
        standings: &Standings,
        sprt: Option<Sprt>,
        stop_reason: StopReason,
        anchor: Option<&Anchor>,
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
        let sprt = sprt.zip(standings.pairings.values().next()).map(|(hypotheses, tally)| SprtReply {
            hypotheses,
            state: hypotheses.state(tally),
            test: "pentanomial GSPRT",
        });
        let rated: Vec<_> = match anchor {
            Some(anchor) => vec![Rating::of(&against(anchor, standings))],
            None if players.len() > 2 => {
                let games: Vec<_> = (0..players.len()).map(|player| standings.of_player(player)).collect();
                ratings(&games)
            }
            None => Vec::new(),
        };
        let ratings = players.iter().zip(&rated).map(|(player, rating)| RatingReply {
            player: player.clone(),
            rating: rating.ok(),
            unrated: rating.err().map(|unrated| unrated.to_string()),
        });
        Self {
            time_control: time_control.to_string(),
            games: standings.games(),
            finish: match stop_reason {
                StopReason::AllGamesPlayed => "played",
                StopReason::SprtDecided => "decided",
                StopReason::Interrupted => "interrupted",
            },
            sprt,
            ratings: ratings.collect(),
            last_line: last_line(&players, anchor, &encounters, &rated),
            encounters,
            players,
        }
    }
}

/// Returns the rating of a gauntlet, the difference of two players, or the ratings of all players.
fn last_line(
    players: &[String],
    anchor: Option<&Anchor>,
    encounters: &[EncounterReply],
    rated: &[Result<Rating, Unrated>],
) -> String {
    if let Some(Anchor { engine, steps }) = anchor {
        let steps: Vec<_> = steps.iter().map(u32::to_string).collect();
        let rating = rating_text(&rated[0], Scale::Absolute);
        return format!("{}: {rating} against {engine} at UCI_Elo {}", players[0], steps.join(", "));
    }
    if let [only] = encounters {
        return only.summary();
    }
    let ratings = players.iter().zip(rated);
    let ratings =
        ratings.map(|(player, rating)| format!("{player}: {}", rating_text(rating, Scale::Relative)));
    ratings.collect::<Vec<_>>().join("; ")
}

/// Returns the results of a gauntlet, with the rating of each opponent.
fn against(anchor: &Anchor, standings: &Standings) -> Vec<(f64, Tally)> {
    let games = standings.of_player(0).into_iter();
    games.map(|(opponent, tally)| (f64::from(anchor.steps[opponent - 1]), tally)).collect()
}

/// Formats a rating, with a sign if it is relative to the mean.
fn rating_text(rating: &Result<Rating, Unrated>, scale: Scale) -> String {
    match rating {
        Ok(Rating { elo, error }) if scale == Scale::Relative => format!("{elo:+.0} ± {error:.0} Elo (95 %)"),
        Ok(Rating { elo, error }) => format!("{elo:.0} ± {error:.0} Elo (95 %)"),
        Err(unrated) => unrated.to_string(),
    }
}

impl EncounterReply {
    /// Returns the players with the estimated difference.
    fn summary(&self) -> String {
        let Self { first, second, estimate, .. } = self;
        match estimate {
            Some(estimate) => {
                let superiority = 100.0 * estimate.superiority;
                format!("{first} - {second}: {estimate}, likelihood of superiority {superiority:.1} %")
            }
            None => format!("{first} - {second}: no game"),
        }
    }
}

impl fmt::Display for EncounterReply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { first, second, tally, .. } = self;
        let (games, points) = (tally.games(), tally.points());
        let percent = 100.0 * points / f64::from(games.max(1));
        let Tally { wins, draws, losses, pairs } = tally;
        write!(
            f,
            "{first} - {second}: +{wins} ={draws} -{losses}, {points} of {games} points ({percent:.1} %)"
        )?;
        let pairs = pairs.map(|count| count.to_string()).join(" ");
        write!(f, "; pairs by points from 0 to 2: {pairs}")
    }
}

impl fmt::Display for MatchReply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} games, {}", self.games, self.time_control)?;
        for encounter in &self.encounters {
            writeln!(f, "{encounter}")?;
            if self.encounters.len() > 1 {
                writeln!(f, "  {}", encounter.summary())?;
            }
        }
        if let Some(SprtReply { hypotheses: Sprt { elo0, elo1 }, state, test }) = &self.sprt {
            let SprtState { llr, bounds: (low, high), accepted } = state;
            let decision = match accepted {
                Some(Hypothesis::H0) => format!("H0 accepted: {elo0} rather than {elo1}"),
                Some(Hypothesis::H1) => format!("H1 accepted: {elo1} rather than {elo0}"),
                None => "undecided".to_owned(),
            };
            writeln!(f, "SPRT {elo0} to {elo1} ({test}): LLR {llr:.2} of {low:.2} to {high:.2}; {decision}")?;
        }
        f.write_str(&self.last_line)
    }
}
