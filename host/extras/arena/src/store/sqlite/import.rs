//! Imports the games of `rookery match` or another arena from PGN.

use std::{
    collections::{BTreeMap, VecDeque},
    io::BufRead,
    time::{SystemTime, UNIX_EPOCH},
};

use ai_api::Color;
use formats::{Boundaries, Chunks};
use rules::{PgnBoundaries, PgnGame, PgnReader, PgnResult};
use rusqlite::{Connection, params};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};
use tournament::{Effort, GameResult};

use super::{Store, StoreError, StoreFault, pairs};
use crate::{
    finished::{FinishedGame, FinishedPair, GameFault, GameSummary},
    play::{END_TIME, NOT_RATED, OPENING, RATED},
    player::{PlayerId, StoredPlayer},
    store::report::{ImportRefusal, ImportReport, MAX_DEPTH, RefusalReason},
};

/// An imported move must have taken less than this.
const DAY_SECONDS: f64 = 86_400.0;
/// The maximum number of characters of refused text to show.
const MAX_SHOWN: usize = 40;

/// Identifies a pair by its opening and by the players of one of its games.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct PairKey {
    white: PlayerId,
    black: PlayerId,
    /// The first position and the moves before the players' first move.
    opening: String,
}

/// A running import.
#[derive(Default)]
struct ImportRun {
    report: ImportReport,
    /// Games whose counterpart in the pair has not been found yet, with their lines in the PGN.
    waiting: BTreeMap<PairKey, VecDeque<(usize, FinishedGame)>>,
}

impl Store {
    /// Imports the pairs of games in a PGN as rated games. Players have the same names as in an
    /// export. An entry's name without a version means the latest version. If there is an error, no
    /// games are imported.
    ///
    /// # Errors
    /// `source` cannot be read, the file has reached its limit, the disk is full, or the file
    /// cannot be written.
    pub fn import(&self, source: impl BufRead) -> Result<ImportReport, StoreError> {
        let players = self.reader.players()?;
        self.write(|transaction| {
            let mut import = ImportRun::default();
            for chunk in Chunks::new(source, Boundaries::Pgn(PgnBoundaries::default())).single() {
                let chunk = chunk?;
                for game in PgnReader::new(&chunk.text) {
                    let refused = |line, reason| ImportRefusal {
                        line: chunk.lines_before + line,
                        reason,
                    };
                    let rated = match game {
                        Ok(pgn) => rate(&pgn, &self.time_control, &players)
                            .map_err(|reason| refused(1, reason)),
                        Err(errors) => Err(refused(
                            errors[0].line,
                            RefusalReason::Pgn(errors[0].fault.clone()),
                        )),
                    };
                    if let Some(pair) = import.pair_up(chunk.lines_before + 1, rated) {
                        self.ensure_space(transaction)?;
                        import.add(transaction, &pair)?;
                    }
                }
            }
            Ok::<_, StoreFault>(import.finish())
        })
    }
}

impl ImportRun {
    /// Returns the pair that a game completes, if any.
    fn pair_up(
        &mut self,
        line: usize,
        rated: Result<(PairKey, FinishedGame), ImportRefusal>,
    ) -> Option<FinishedPair> {
        let (key, game) = rated
            .map_err(|refusal| self.report.refused.push(refusal))
            .ok()?;
        let exchanged = PairKey {
            white: key.black,
            black: key.white,
            opening: key.opening.clone(),
        };
        if let Some((_, first)) = self
            .waiting
            .get_mut(&exchanged)
            .and_then(VecDeque::pop_front)
        {
            return Some(FinishedPair {
                first,
                second: Some(game),
                is_rated: true,
                match_progress: None,
            });
        }
        self.waiting.entry(key).or_default().push_back((line, game));
        None
    }

    fn add(&mut self, connection: &Connection, pair: &FinishedPair) -> rusqlite::Result<()> {
        for game in pair.games() {
            let find = "SELECT EXISTS (SELECT 1 FROM games WHERE hash = ?1)";
            if connection.query_one(find, params![pairs::hash(&game.pgn)], |row| row.get(0))? {
                self.report.known += 2;
                return Ok(());
            }
        }
        pairs::insert(connection, pair)?;
        self.report.games += 2;
        Ok(())
    }

    fn finish(self) -> ImportReport {
        let mut report = self.report;
        let singles = self.waiting.into_values().flatten();
        report
            .refused
            .extend(singles.map(|(line, _)| ImportRefusal {
                line,
                reason: RefusalReason::Single,
            }));
        report.refused.sort_by_key(|refusal| refusal.line);
        report
    }
}

/// Converts a game to a rated game and the key of its pair.
fn rate(
    pgn: &PgnGame,
    time_control: &str,
    players: &[StoredPlayer],
) -> Result<(PairKey, FinishedGame), RefusalReason> {
    let result = GameResult::of_pgn(pgn.result).ok_or(RefusalReason::NoResult)?;
    let found = pgn
        .tag("Limit")
        .or_else(|| pgn.tag("TimeControl"))
        .unwrap_or("unknown");
    if found != time_control {
        let (found, expected) = (found.to_owned(), time_control.to_owned());
        return Err(RefusalReason::TimeControl { found, expected });
    }
    if pgn.tag(RATED) == Some(NOT_RATED) {
        return Err(RefusalReason::NotRated);
    }
    let player = |tag| {
        let name = pgn.tag(tag).unwrap_or_default();
        let named = |player: &&StoredPlayer| player.name_in_games() == name || player.entry == name;
        let latest = players.iter().rev().find(named).map(|player| player.id);
        latest.ok_or_else(|| RefusalReason::Player(name.to_owned()))
    };
    let (white, black) = (player("White")?, player("Black")?);
    if white == black {
        return Err(RefusalReason::OnePlayer(
            pgn.tag("White").unwrap_or_default().to_owned(),
        ));
    }
    let comments = pgn.notes.comments.iter().skip(1);
    let first_own = comments
        .clone()
        .position(|comment| value(comment, "[%emt ").is_some());
    let moves = pgn.game.uci_moves();
    let opening = &moves[..first_own.unwrap_or(moves.len())];
    let opening = format!(
        "{} {}",
        rules::format_fen(pgn.game.start()),
        opening.join(" ")
    );
    let mut effort = [Effort::default(); 2];
    let mut turn = pgn.game.start().turn();
    for comment in comments.take(moves.len()) {
        effort[turn.index()].add(effort_of(comment)?);
        turn = !turn;
    }
    let plies = moves.len() as u32;
    let (termination, fault) = ending(pgn, plies);
    let number = pgn.tag(OPENING).and_then(|number| number.parse().ok());
    let ended = pgn
        .tag(END_TIME)
        .and_then(past_time)
        .unwrap_or_else(SystemTime::now);
    let record = GameSummary {
        white,
        black,
        result,
        termination,
        fault,
        opening: number,
        plies,
        ended,
    };
    Ok((
        PairKey {
            white,
            black,
            opening,
        },
        FinishedGame {
            record,
            pgn: pgn.to_string(),
            effort,
        },
    ))
}

/// Returns the value of a command in a comment, such as `[%emt 0:00:01.500]`.
fn value<'a>(comment: &'a str, command: &str) -> Option<&'a str> {
    comment
        .split_once(command)?
        .1
        .split_once(']')
        .map(|(value, _)| value.trim())
}

/// Returns the time and depth of a move from its comment, or zeros if the comment contains no time.
/// Both are bounded, since the file keeps their sums.
fn effort_of(comment: &str) -> Result<Effort, RefusalReason> {
    let shown = |text: &str| {
        text.chars()
            .filter(|one| !one.is_control())
            .take(MAX_SHOWN)
            .collect()
    };
    let Some(move_time) = value(comment, "[%emt ") else {
        return Ok(Effort::default());
    };
    let Some(seconds) = seconds(move_time) else {
        return Ok(Effort::default());
    };
    if !(0.0..DAY_SECONDS).contains(&seconds) {
        return Err(RefusalReason::MoveTime(shown(move_time)));
    }
    let depth_text = value(comment, "[%eval ")
        .and_then(|eval| eval.split_once(','))
        .map(|(_, depth)| depth.trim());
    let is_number =
        |text: &&str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let depth_sum = match depth_text.filter(is_number) {
        None => 0,
        Some(text) => {
            let depth = text.parse().ok().filter(|depth| *depth <= MAX_DEPTH);
            depth.ok_or_else(|| RefusalReason::Depth(shown(text)))?
        }
    };
    Ok(Effort {
        moves: 1,
        depth_sum,
        time_ms: (seconds * 1000.0).round() as u64,
    })
}

/// Parses hours, minutes and seconds, each of which may be any number.
fn seconds(text: &str) -> Option<f64> {
    text.split(':').try_fold(0.0, |sum, part| {
        Some(sum * 60.0 + part.trim().parse::<f64>().ok()?)
    })
}

fn past_time(text: &str) -> Option<SystemTime> {
    let time = SystemTime::from(OffsetDateTime::parse(text, &Rfc3339).ok()?);
    (UNIX_EPOCH..=SystemTime::now())
        .contains(&time)
        .then_some(time)
}

/// Returns how a game ended, in this program's words, and the fault that ended it. The last comment
/// of a game that was played here contains both, such as `Black loses: ai_crashed`. In a match, the
/// details of the fault follow after another colon.
fn ending(pgn: &PgnGame, plies: u32) -> (String, Option<GameFault>) {
    // Only games played here have this tag.
    let Some(reason) = pgn
        .tag("Limit")
        .map(|_| tournament::reason(pgn))
        .filter(|reason| !reason.is_empty())
    else {
        let outcome = pgn.game.outcome().map(|outcome| outcome.to_string());
        return (
            outcome.unwrap_or_else(|| pgn.tag("Termination").unwrap_or("normal").to_owned()),
            None,
        );
    };
    let color = Color::ALL
        .into_iter()
        .find(|color| pgn.result == PgnResult::Win(!*color));
    let (Some(color), Some((loser, fault))) = (color, reason.split_once(" loses: ")) else {
        return (reason, None);
    };
    let (code, details) = fault.split_once(": ").unwrap_or((fault, ""));
    let [code, details] = [code, details].map(str::to_owned);
    (
        format!("{loser} loses: {code}"),
        Some(GameFault {
            code,
            ply: plies + 1,
            color,
            details,
        }),
    )
}
