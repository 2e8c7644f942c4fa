//! The opponents of `--gauntlet` and the rating against them.

use std::{fmt, path::Path, str::FromStr};

use serde::Serialize;

use crate::cli::failure::Failure;
use tournament::{
    AnchorSource, GauntletAnchor, GauntletRating, MissingAnchor, Player, Rating, Standings, Tally,
    Unrated,
};

/// The default `UCI_Elo` values of the opponents.
const STEPS: [u32; 6] = [1350, 1500, 1700, 1900, 2100, 2300];

/// An opponent's rating given on the command line.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct GivenRating {
    player: String,
    elo: f64,
}

#[derive(Debug, PartialEq, thiserror::Error)]
#[error("expected AI=RATING with a CCRL Blitz rating from 0 to 5000, such as gnuchess=2661")]
pub(super) struct ParseRatingError;

impl FromStr for GivenRating {
    type Err = ParseRatingError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // An AI's options also contain this sign.
        let (player, elo) = text.rsplit_once('=').ok_or(ParseRatingError)?;
        let elo = elo
            .parse()
            .ok()
            .filter(|elo| (0.0..=5000.0).contains(elo))
            .ok_or(ParseRatingError)?;
        if player.is_empty() {
            Err(ParseRatingError)
        } else {
            Ok(Self {
                player: player.to_owned(),
                elo,
            })
        }
    }
}

/// Returns the players of a gauntlet: the named players, the players in `given`, and the engine at
/// each step. Without other opponents, the default steps apply.
pub(super) fn players(
    named: &[String],
    given: &[GivenRating],
    engine: &Path,
    steps: &[u32],
) -> Result<Vec<String>, Failure> {
    let mut players = named.to_vec();
    for GivenRating { player, .. } in given {
        if players.first() == Some(player) {
            let problem = format!(
                "--anchor rates '{player}', which the gauntlet rates; expected an opponent"
            );
            return Err(Failure::Usage(problem));
        }
        if !players.contains(player) {
            players.push(player.clone());
        }
    }
    let steps = if steps.is_empty() && players.len() == 1 {
        &STEPS
    } else {
        steps
    };
    let engine = engine.display();
    players.extend(
        steps
            .iter()
            .map(|step| format!("{engine},uci_limit_strength=true,uci_elo={step}")),
    );
    Ok(players)
}

/// Returns the rating of each opponent, which is every player except the first: the given rating,
/// or else the rating of its `UCI_Elo`.
pub(super) fn anchors(
    players: &[Player],
    given: &[GivenRating],
) -> Result<Vec<GauntletAnchor>, Failure> {
    let anchor = |player: &Player| {
        if let Some(given) = given.iter().rfind(|given| given.player == player.name) {
            return Ok(GauntletAnchor {
                elo: given.elo,
                source: AnchorSource::Given,
            });
        }
        let known = player.known_rating().map(|elo| GauntletAnchor {
            elo,
            source: AnchorSource::UciElo,
        });
        known.ok_or_else(|| {
            let name = &player.name;
            Failure::Usage(format!(
                "the opponent '{name}' has no known rating; set --anchor {name}=RATING, or use \
                 Stockfish with uci_limit_strength=true and uci_elo"
            ))
        })
    };
    players.iter().skip(1).map(anchor).collect()
}

/// A gauntlet as text and as JSON.
#[derive(Debug, Serialize)]
pub(super) struct GauntletReply {
    /// On the `UCI_Elo` of Stockfish 11 to 15.1; null beyond its range.
    uci_elo: Option<Rating>,
    anchors: Vec<AnchorReply>,
    missing_anchor: Option<MissingAnchor>,
    #[serde(skip)]
    player: String,
    #[serde(skip)]
    ccrl_blitz: Result<Rating, Unrated>,
}

#[derive(Debug, Serialize)]
struct AnchorReply {
    player: String,
    ccrl_blitz: f64,
    source: AnchorSource,
    /// The rating that only its games imply; null without games.
    implied: Option<Rating>,
}

impl GauntletReply {
    pub(super) fn new(
        players: &[String],
        anchors: &[GauntletAnchor],
        standings: &Standings,
    ) -> Self {
        let tallies = standings.of_player(0);
        let games: Vec<(GauntletAnchor, Tally)> = tallies
            .into_iter()
            .map(|(opponent, tally)| (anchors[opponent - 1], tally))
            .collect();
        let GauntletRating {
            ccrl_blitz,
            uci_elo,
            implied,
            missing,
        } = GauntletRating::of(&games);
        let anchors =
            players[1..]
                .iter()
                .zip(anchors)
                .zip(implied)
                .map(|((player, anchor), implied)| {
                    let GauntletAnchor { elo, source } = *anchor;
                    AnchorReply {
                        player: player.clone(),
                        ccrl_blitz: elo,
                        source,
                        implied: implied.ok(),
                    }
                });
        Self {
            uci_elo,
            anchors: anchors.collect(),
            missing_anchor: missing,
            player: players[0].clone(),
            ccrl_blitz,
        }
    }

    /// Returns the rating on the CCRL Blitz scale.
    pub(super) fn rating(&self) -> Result<Rating, Unrated> {
        self.ccrl_blitz
    }

    /// Returns the rating on both scales.
    pub(super) fn summary(&self) -> String {
        let Self {
            player,
            anchors,
            uci_elo,
            ..
        } = self;
        let anchors = match anchors.len() {
            1 => "1 anchor".to_owned(),
            count => format!("{count} anchors"),
        };
        match (&self.ccrl_blitz, uci_elo) {
            (Ok(rating), Some(uci_elo)) => format!(
                "{player}: {rating} on CCRL Blitz, {uci_elo} on UCI_Elo of Stockfish 11 to 15.1, \
                 from {anchors}"
            ),
            (Ok(rating), None) => {
                format!("{player}: {rating} on CCRL Blitz, off the UCI_Elo scale, from {anchors}")
            }
            (Err(unrated), _) => format!("{player}: {unrated}"),
        }
    }
}

impl fmt::Display for GauntletReply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            player,
            anchors,
            missing_anchor,
            ..
        } = self;
        writeln!(
            f,
            "Anchors on CCRL Blitz, and the rating of {player} that the games against each imply:"
        )?;
        for anchor in anchors {
            let implied = anchor
                .implied
                .map_or_else(|| Unrated::NoGames.to_string(), |rating| rating.to_string());
            writeln!(
                f,
                "  {}: {:.0}, implies {implied}",
                anchor.player, anchor.ccrl_blitz
            )?;
        }
        let side = match missing_anchor {
            Some(MissingAnchor::Weaker) => "weaker",
            Some(MissingAnchor::Stronger) => "stronger",
            None => return Ok(()),
        };
        writeln!(
            f,
            "No anchor is {side} than {player}; add one for a better rating"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_ratings_of_players_with_options() {
        let parsed: GivenRating = "/usr/games/toga2,hash=16=2700.5".parse().unwrap();
        assert_eq!(
            parsed,
            GivenRating {
                player: "/usr/games/toga2,hash=16".into(),
                elo: 2700.5
            }
        );
        for wrong in [
            "toga2",
            "toga2=",
            "=2700",
            "toga2=x",
            "toga2=NaN",
            "toga2=inf",
            "toga2=-1",
            "toga2=5001",
        ] {
            assert_eq!(
                wrong.parse::<GivenRating>(),
                Err(ParseRatingError),
                "{wrong}"
            );
        }
    }

    #[test]
    fn opponents_are_chosen_by_name_rating_or_step() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let given = ["b=2000".parse().unwrap(), "c=2100".parse().unwrap()];
        let of = |named: &str, given: &[GivenRating], steps: &[u32]| {
            players(&words(named), given, Path::new("/sf"), steps).map(|players| players.join(" "))
        };
        assert_eq!(of("a b", &given, &[]).unwrap(), "a b c");
        assert_eq!(
            of("a", &given, &[1400]).unwrap(),
            "a b c /sf,uci_limit_strength=true,uci_elo=1400"
        );
        assert_eq!(
            of("a", &[], &[]).unwrap().split(' ').count(),
            1 + STEPS.len()
        );
        assert!(
            matches!(of("b c", &given, &[]), Err(Failure::Usage(text)) if text.contains("--anchor \
                rates 'b'"))
        );
    }
}
