//! The games of a match as PGN, and what a later run reads back from them.

use std::{
    fs::{File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

use ai_api::Color;
use rules::{Notes, PgnError, PgnGame, PgnResult, parse_pgn};

use super::{Opening, PlayedGame, Points, Scheduled, Terms, TimeControl};

const EVENT: &str = "rookery match";
/// Tells the games of one match from those of another: who plays, how, and from where.
const MATCH_TAG: &str = "Match";

/// A PGN file to which each game is added once it is over.
#[derive(Debug)]
pub struct RecordFile {
    file: File,
}

/// A game that was played before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// Its number in the schedule.
    pub number: usize,
    /// How it went for White.
    pub white: Points,
}

/// Why there is no such record.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The file can't be read or written.
    #[error("{}: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why not.
        error: io::Error,
    },
    /// There are games in it, and nobody said that they are to be gone on with.
    #[error("{} has games already; --resume goes on with them, or name another file", .0.display())]
    Taken(PathBuf),
    /// It is not PGN.
    #[error("{}: {error}", path.display())]
    Pgn {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        error: PgnError,
    },
    /// A game is not one of this match.
    #[error(
        "{}: its games are of another match (other players, options, limits, openings or seed); name another file",
        .0.display()
    )]
    OtherMatch(PathBuf),
}

/// Whether games that are there are gone on with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// There must be none.
    Refuse,
    /// They count as played.
    Resume,
}

impl RecordFile {
    /// Opens the file for the match of this mark, and reads what was played. A last game that was not written to its end
    /// is taken out of it.
    ///
    /// # Errors
    /// As [`RecordError`] says.
    pub fn open(path: &Path, existing: Existing, mark: &str) -> Result<(Self, Vec<Recorded>), RecordError> {
        let failed = |error| RecordError::File { path: path.to_owned(), error };
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(failed(error)),
        };
        if existing == Existing::Refuse && !text.trim().is_empty() {
            return Err(RecordError::Taken(path.to_owned()));
        }
        let whole = &text[..end_of_last_game(&text)];
        let games = parse_pgn(whole).map_err(|error| RecordError::Pgn { path: path.to_owned(), error })?;
        let recorded: Option<Vec<_>> = games.iter().map(|game| Recorded::read(game, mark)).collect();
        let recorded = recorded.ok_or_else(|| RecordError::OtherMatch(path.to_owned()))?;
        let file = OpenOptions::new().create(true).append(true).open(path).map_err(failed)?;
        file.set_len(whole.len() as u64).map_err(failed)?;
        Ok((Self { file }, recorded))
    }

    /// Adds a game.
    ///
    /// # Errors
    /// It can't be written.
    pub fn add(&mut self, game: &PgnGame) -> io::Result<()> {
        self.file.write_all(game.to_string().as_bytes())
    }
}

impl Recorded {
    fn read(game: &PgnGame, mark: &str) -> Option<Self> {
        if game.tag(MATCH_TAG) != Some(mark) {
            return None;
        }
        let white = match game.result {
            PgnResult::Win(Color::White) => Points::Win,
            PgnResult::Win(Color::Black) => Points::Loss,
            PgnResult::Draw => Points::Draw,
            PgnResult::Unknown => return None,
        };
        Some(Self { number: game.tag("Round")?.parse().ok()?, white })
    }
}

/// A game is whole where the empty line after its moves is there; each begins with its tags.
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

/// A game as it is recorded.
pub(super) fn record(
    scheduled: &Scheduled,
    names: [&str; 2],
    opening: &Opening,
    terms: &Terms,
    mark: &str,
    played: PlayedGame,
) -> PgnGame {
    let PlayedGame { game, mut comments, end } = played;
    let control = match terms.time_control {
        TimeControl::Clock(control) => control.to_string(),
        TimeControl::Fixed(_) => "-".to_owned(),
    };
    let plies = game.moves().len();
    let tags = [
        ("Event", EVENT.to_owned()),
        ("Round", scheduled.number.to_string()),
        ("White", names[0].to_owned()),
        ("Black", names[1].to_owned()),
        ("Opening", opening.name.clone().unwrap_or_default()),
        ("TimeControl", control),
        ("Limit", terms.time_control.to_string()),
        ("PlyCount", plies.to_string()),
        ("Termination", end.termination().to_owned()),
        (MATCH_TAG, mark.to_owned()),
    ];
    let tags = tags.into_iter().filter(|(_, value)| !value.is_empty());
    comments.resize(plies + 1, String::new());
    let last = &mut comments[plies];
    if !last.is_empty() {
        last.push(' ');
    }
    last.push_str(&end.to_string());
    let result = end.winner.map_or(PgnResult::Draw, PgnResult::Win);
    let tags = tags.map(|(name, value)| (name.to_owned(), value)).collect();
    let notes = Notes { comments, ..Notes::default() };
    PgnGame { tags, game, notes, result }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Adjudication, End, Openings, Reason};

    fn games(mark: &str) -> Vec<PgnGame> {
        let opening = Openings::built_in().of_round(0).clone();
        let time_control = TimeControl::Fixed(ai_api::Limits::nodes(1000));
        let terms = Terms { time_control, margin_ms: 0, adjudication: Adjudication::NONE };
        let one = |number, winner| {
            let scheduled = Scheduled { number, round: 0, encounter: (0, 1), white: 0, black: 1 };
            let end = End { winner, reason: Reason::Time };
            let played = PlayedGame { game: opening.game.clone(), comments: Vec::new(), end };
            record(&scheduled, ["a", "b"], &opening, &terms, mark, played)
        };
        vec![one(1, Some(Color::White)), one(2, Some(Color::Black)), one(3, None)]
    }

    fn write(path: &Path, mark: &str) {
        let (mut file, recorded) = RecordFile::open(path, Existing::Refuse, mark).unwrap();
        assert!(recorded.is_empty());
        for game in games(mark) {
            file.add(&game).unwrap();
        }
    }

    #[test]
    fn what_was_played_is_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.pgn");
        write(&path, "m");
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(
            text.contains("[Limit \"1000 nodes\"]\n") && text.contains("{Black loses on time} 1-0"),
            "{text}"
        );
        let (_, recorded) = RecordFile::open(&path, Existing::Resume, "m").unwrap();
        let points: Vec<_> = recorded.iter().map(|game| (game.number, game.white)).collect();
        assert_eq!(points, [(1, Points::Win), (2, Points::Loss), (3, Points::Draw)]);
    }

    #[test]
    fn a_game_that_was_cut_off_is_played_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.pgn");
        write(&path, "m");
        let whole = std::fs::read(&path).unwrap();
        let two = games("m")[..2].iter().map(|game| game.to_string().len()).sum::<usize>();
        for length in two..whole.len() {
            std::fs::write(&path, &whole[..length]).unwrap();
            let (mut file, recorded) = RecordFile::open(&path, Existing::Resume, "m").unwrap();
            assert_eq!(recorded.len(), 2, "{length} of {} bytes", whole.len());
            file.add(&games("m")[2]).unwrap();
            assert_eq!(std::fs::read(&path).unwrap(), whole);
        }
    }

    #[test]
    fn games_of_others_are_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.pgn");
        write(&path, "m");
        let before = std::fs::read(&path).unwrap();
        assert!(matches!(RecordFile::open(&path, Existing::Refuse, "m"), Err(RecordError::Taken(_))));
        assert!(matches!(RecordFile::open(&path, Existing::Resume, "n"), Err(RecordError::OtherMatch(_))));
        assert_eq!(std::fs::read(&path).unwrap(), before);
        std::fs::write(&path, "1. e4 e5 1-0\n\n").unwrap();
        assert!(matches!(RecordFile::open(&path, Existing::Resume, "m"), Err(RecordError::OtherMatch(_))));
        std::fs::write(&path, "1. e5 1-0\n\n").unwrap();
        assert!(matches!(RecordFile::open(&path, Existing::Resume, "m"), Err(RecordError::Pgn { .. })));
        assert!(matches!(
            RecordFile::open(folder.path(), Existing::Resume, "m"),
            Err(RecordError::File { .. })
        ));
    }
}
