//! The PGN file of a tournament, from which a later run can continue.

use std::{
    fmt::Write as _,
    fs::{File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

use rules::{Notes, PgnError, PgnGame, PgnResult, parse_pgn};

use crate::{
    game_settings::GameSettings, lost_by_fault::LostByFault, lost_from_won::LostFromWon,
    openings::GameOpening, play::PlayedGame, tally::GameResult, time_control::TimeControl,
};
use library::file_access::metadata;

pub(crate) const EVENT: &str = "rookery match";
/// The tag with the fingerprint of the tournament.
const MATCH_TAG: &str = "Match";

/// A PGN file to which each finished game is appended.
#[derive(Debug)]
pub struct PgnFile {
    path: PathBuf,
    file: File,
    lines: usize,
}

/// A game from an earlier run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedGame {
    /// The game's number in the schedule.
    pub number: usize,
    /// The result for White.
    pub white: GameResult,
    pub lost_from_won: Option<LostFromWon>,
    pub lost_by_fault: Option<LostByFault>,
}

#[derive(Debug, thiserror::Error)]
pub enum PgnFileError {
    #[error("{}: {error}", path.display())]
    File { path: PathBuf, error: io::Error },
    #[error("{} already has games; continue with --resume, or choose another file", .0.display())]
    NotEmpty(PathBuf),
    #[error("{}: {error}", path.display())]
    Pgn { path: PathBuf, error: PgnError },
    #[error(
        "{}: its games are from a different match (other players, versions, options, limits, \
         openings or seed); choose another file",
        .0.display()
    )]
    OtherMatch(PathBuf),
}

/// How to handle the games of an existing file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExistingGames {
    /// They are an error.
    Reject,
    /// They count as played.
    Resume,
}

impl PgnFile {
    /// Opens or creates the file of a tournament, and reads its games. Removes an incomplete last
    /// game.
    ///
    /// # Errors
    /// The file cannot be read or written, is not PGN, has games from a different tournament, or
    /// has games that `existing` rejects.
    pub fn open(
        path: &Path,
        existing: ExistingGames,
        fingerprint: &str,
    ) -> Result<(Self, Vec<RecordedGame>), PgnFileError> {
        let failed = |error| PgnFileError::File {
            path: path.to_owned(),
            error,
        };
        // Reading a device might never end.
        if metadata(path).is_ok_and(|found| !(found.is_file() || found.is_dir())) {
            return Err(failed(io::Error::other(
                "not a regular file; expected a path to a file on disk",
            )));
        }
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(failed(error)),
        };
        if existing == ExistingGames::Reject && !text.trim().is_empty() {
            return Err(PgnFileError::NotEmpty(path.to_owned()));
        }
        let complete = &text[..end_of_last_game(&text)];
        let games = parse_pgn(complete).map_err(|error| PgnFileError::Pgn {
            path: path.to_owned(),
            error,
        })?;
        let lines = first_lines(complete, games.len());
        let recorded: Option<Vec<_>> = games
            .iter()
            .zip(lines)
            .map(|(game, line)| RecordedGame::read(game, fingerprint, line))
            .collect();
        let recorded = recorded.ok_or_else(|| PgnFileError::OtherMatch(path.to_owned()))?;
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(path)
            .map_err(failed)?;
        file.set_len(complete.len() as u64).map_err(failed)?;
        Ok((
            Self {
                path: path.to_owned(),
                file,
                lines: complete.lines().count(),
            },
            recorded,
        ))
    }

    /// Appends a game. Returns its first line, from 1.
    ///
    /// # Errors
    /// The file cannot be written. The error names it.
    pub fn add(&mut self, game: &PgnGame) -> io::Result<usize> {
        let text = game.to_string();
        self.file.write_all(text.as_bytes()).map_err(|error| {
            io::Error::new(error.kind(), format!("{}: {error}", self.path.display()))
        })?;
        let first = self.lines + 1;
        self.lines += text.lines().count();
        Ok(first)
    }
}

impl RecordedGame {
    fn read(game: &PgnGame, fingerprint: &str, line: Option<usize>) -> Option<Self> {
        if game.tag(MATCH_TAG) != Some(fingerprint) {
            return None;
        }
        let white = GameResult::of_pgn(game.result)?;
        let lost_from_won = LostFromWon::find(game, line);
        Some(Self {
            number: game.tag("Round")?.parse().ok()?,
            white,
            lost_from_won,
            lost_by_fault: LostByFault::find(game),
        })
    }
}

/// Returns the first line of each game written here, from 1, or `None` if a comment looks like a
/// game.
fn first_lines(text: &str, games: usize) -> Vec<Option<usize>> {
    let first = format!("[Event \"{EVENT}\"]");
    let found: Vec<_> = (1..)
        .zip(text.lines())
        .filter(|(_, line)| *line == first)
        .collect();
    if found.len() == games {
        found.iter().map(|&(line, _)| Some(line)).collect()
    } else {
        vec![None; games]
    }
}

/// Returns the end of the last complete game: the empty line after its moves.
fn end_of_last_game(text: &str) -> usize {
    let is_result = |line: &str| {
        let last = line.rsplit(' ').next().unwrap_or_default();
        PgnResult::of_text(last).is_some_and(|result| result != PgnResult::Unknown)
    };
    let (mut at, mut end) = (0, 0);
    let mut ends_here = false;
    for line in text.split_inclusive('\n') {
        at += line.len();
        if ends_here && line == "\n" {
            end = at;
        }
        ends_here = line.ends_with('\n') && !line.starts_with('[') && is_result(line.trim_end());
    }
    end
}

/// The tags that the moves do not determine.
#[derive(Clone, Copy, Debug)]
pub struct Heading<'a> {
    pub event: &'a str,
    pub round: &'a str,
    /// White's name, then Black's.
    pub names: [&'a str; 2],
    /// The fingerprint of its match, if the match can be resumed.
    pub fingerprint: Option<&'a str>,
    /// The node that played it, if another machine did.
    pub node: Option<&'a str>,
    pub details: FaultDetails,
}

/// Whether the last comment includes the details of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultDetails {
    Shown,
    /// Clients may read the game, and details are for operators only.
    Hidden,
}

/// Returns a played game with its tags, comments and result.
///
/// # Panics
/// Never: adding to a comment cannot fail.
pub fn pgn_game(
    heading: Heading<'_>,
    opening: &GameOpening,
    settings: &GameSettings,
    played: PlayedGame,
) -> PgnGame {
    let PlayedGame {
        game,
        mut comments,
        end,
        ..
    } = played;
    let control = match settings.time_control {
        TimeControl::Clock(control) => control.to_string(),
        TimeControl::Fixed(_) => "-".to_owned(),
    };
    let plies = game.moves().len();
    let tags = [
        ("Event", heading.event.to_owned()),
        ("Round", heading.round.to_owned()),
        ("White", heading.names[0].to_owned()),
        ("Black", heading.names[1].to_owned()),
        ("Opening", opening.name.clone().unwrap_or_default()),
        ("TimeControl", control),
        ("Limit", settings.time_control.to_string()),
        ("PlyCount", plies.to_string()),
        ("Termination", end.termination().to_owned()),
        (
            "Fault",
            end.fault()
                .map(|fault| fault.code().into_str().to_owned())
                .unwrap_or_default(),
        ),
        (
            MATCH_TAG,
            heading.fingerprint.unwrap_or_default().to_owned(),
        ),
        ("Node", heading.node.unwrap_or_default().to_owned()),
    ];
    let tags = tags.into_iter().filter(|(_, value)| !value.is_empty());
    comments.resize(plies + 1, String::new());
    let last = &mut comments[plies];
    if !last.is_empty() {
        last.push(' ');
    }
    let written = match heading.details {
        FaultDetails::Shown => write!(last, "{end:#}"),
        FaultDetails::Hidden => write!(last, "{end}"),
    };
    written.expect("writing to a String succeeds");
    let result = end.winner.map_or(PgnResult::Draw, PgnResult::Win);
    let tags = tags.map(|(name, value)| (name.to_owned(), value)).collect();
    let notes = Notes {
        comments,
        ..Notes::default()
    };
    let mut pgn = PgnGame {
        tags,
        notes,
        result,
        ..PgnGame::new(game)
    };
    formats::eco::add_tags(&mut pgn);
    pgn
}

#[cfg(test)]
mod tests {
    use ai_api::Color;

    use super::*;
    use crate::{
        adjudication::Adjudication,
        game_end::{EndReason, GameEnd},
        game_settings::Disturbances,
        openings::Openings,
        record::{PlayRecord, RecordedEnd},
    };

    fn games() -> [PgnGame; 3] {
        let opening = Openings::built_in().for_round(0);
        let time_control = TimeControl::Fixed(ai_api::Limits::nodes(1000));
        let settings = GameSettings {
            time_control,
            margin_ms: 0,
            adjudication: Adjudication::NONE,
            disturbances: Disturbances::Ignored,
        };
        [(1, Some(Color::White)), (2, Some(Color::Black)), (3, None)].map(|(number, winner)| {
            let round = format!("{number}");
            let heading = Heading {
                event: EVENT,
                round: &round,
                names: ["a", "b"],
                fingerprint: Some("m"),
                node: None,
                details: FaultDetails::Shown,
            };
            let end = GameEnd {
                winner,
                reason: EndReason::Time,
            };
            let (game, effort) = (opening.game.clone(), Default::default());
            pgn_game(
                heading,
                &opening,
                &settings,
                PlayedGame {
                    game,
                    comments: Vec::new(),
                    record: PlayRecord {
                        moves: Vec::new(),
                        end: RecordedEnd::Late { time_us: 0 },
                        result: end.result_for(Color::White),
                    },
                    end,
                    effort,
                },
            )
        })
    }

    #[test]
    fn write_errors_name_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.pgn");
        std::fs::write(&path, "").unwrap();
        let mut file = PgnFile {
            path: path.clone(),
            file: File::open(&path).unwrap(),
            lines: 0,
        };
        let error = file.add(&games()[0]).unwrap_err().to_string();
        assert!(
            error.starts_with(&format!("{}: ", path.display())),
            "{error}"
        );
        // Reading this device would never end.
        let endless = PgnFile::open(Path::new("/dev/zero"), ExistingGames::Reject, "m");
        assert!(
            endless
                .unwrap_err()
                .to_string()
                .starts_with("/dev/zero: not a regular file")
        );
    }

    /// Writes a file with the games of [`games`].
    fn written() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.pgn");
        let (mut file, recorded) = PgnFile::open(&path, ExistingGames::Reject, "m").unwrap();
        assert!(recorded.is_empty());
        for game in &games() {
            file.add(game).unwrap();
        }
        (folder, path)
    }

    #[test]
    fn reads_the_games_that_it_wrote() {
        let (_folder, path) = written();
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(
            text.contains("[Limit \"1000 nodes\"]\n") && text.contains("{Black loses on time} 1-0"),
            "{text}"
        );
        assert!(
            text.contains("[ECO \"C70\"]\n[Opening \"Ruy Lopez: Morphy Defense\"]\n"),
            "{text}"
        );
        let (_, recorded) = PgnFile::open(&path, ExistingGames::Resume, "m").unwrap();
        let points: Vec<_> = recorded
            .iter()
            .map(|game| (game.number, game.white))
            .collect();
        assert_eq!(
            points,
            [
                (1, GameResult::Win),
                (2, GameResult::Loss),
                (3, GameResult::Draw)
            ]
        );
    }

    #[test]
    fn finds_the_first_line_of_each_game() {
        let (_folder, path) = written();
        let text = std::fs::read_to_string(&path).unwrap();
        let lines = first_lines(&text, 3);
        let events = (1..)
            .zip(text.lines())
            .filter(|(_, line)| line.starts_with("[Event "));
        assert_eq!(
            lines,
            events.map(|(line, _)| Some(line)).collect::<Vec<_>>()
        );
        let (mut file, _) = PgnFile::open(&path, ExistingGames::Resume, "m").unwrap();
        assert_eq!(file.add(&games()[0]).unwrap(), text.lines().count() + 1);
        assert_eq!(
            file.add(&games()[0]).unwrap(),
            text.lines().count() + 1 + games()[0].to_string().lines().count()
        );
        assert_eq!(first_lines(&text, 4), [None; 4]);
    }

    #[test]
    fn removes_an_incomplete_last_game() {
        let (_folder, path) = written();
        let whole = std::fs::read(&path).unwrap();
        let two = games()[..2]
            .iter()
            .map(|game| game.to_string().len())
            .sum::<usize>();
        for length in two..whole.len() {
            std::fs::write(&path, &whole[..length]).unwrap();
            let (mut file, recorded) = PgnFile::open(&path, ExistingGames::Resume, "m").unwrap();
            assert_eq!(recorded.len(), 2, "{length} of {} bytes", whole.len());
            file.add(&games()[2]).unwrap();
            assert_eq!(std::fs::read(&path).unwrap(), whole);
        }
    }

    #[test]
    fn rejects_other_files_without_changing_them() {
        let (folder, path) = written();
        let before = std::fs::read(&path).unwrap();
        assert!(matches!(
            PgnFile::open(&path, ExistingGames::Reject, "m"),
            Err(PgnFileError::NotEmpty(_))
        ));
        assert!(matches!(
            PgnFile::open(&path, ExistingGames::Resume, "n"),
            Err(PgnFileError::OtherMatch(_))
        ));
        assert_eq!(std::fs::read(&path).unwrap(), before);
        std::fs::write(&path, "1. e4 e5 1-0\n\n").unwrap();
        assert!(matches!(
            PgnFile::open(&path, ExistingGames::Resume, "m"),
            Err(PgnFileError::OtherMatch(_))
        ));
        std::fs::write(&path, "1. e5 1-0\n\n").unwrap();
        assert!(matches!(
            PgnFile::open(&path, ExistingGames::Resume, "m"),
            Err(PgnFileError::Pgn { .. })
        ));
        assert!(matches!(
            PgnFile::open(folder.path(), ExistingGames::Resume, "m"),
            Err(PgnFileError::File { .. })
        ));
    }
}
