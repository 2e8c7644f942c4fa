//! Games from moves.

use ai_api::{Color, Position, Role};

use super::{
    Game,
    issue::{GameIssue, MAX_ISSUES, Place},
};
use crate::{
    ImportNote, IssueCode,
    fen::read_as,
    placement::Placement,
    san::{check_san, parse_san},
    setup::{Setup, SetupIssue, start_position},
    uci::{MoveError, parse_uci, read_uci},
};

impl Game {
    /// Starts a game from a set-up, which `convert` turns into the first position.
    fn at(
        setup: Setup,
        convert: impl FnOnce(Setup) -> Result<(Position, Vec<ImportNote>), Vec<SetupIssue>>,
    ) -> Result<(Self, Vec<ImportNote>), Vec<SetupIssue>> {
        let (start, notes) = convert(setup)?;
        Ok((
            Self {
                passed_before: setup.en_passant,
                ..Self::new(start)
            },
            notes,
        ))
    }

    /// Starts a game to look at from the FEN of its first position; see
    /// [`import_fen`](crate::import_fen). Returns notes on what it accepted.
    ///
    /// # Errors
    /// Every issue in the FEN.
    pub fn import(fen: &str) -> Result<(Self, Vec<ImportNote>), Vec<SetupIssue>> {
        read_as(fen, |setup| Self::at(setup, Setup::into_composed))
    }

    /// Reads a first position and moves in UCI. Without a FEN, the game begins at the standard
    /// start. It may continue after a draw without a claim, as [`play_on`](Self::play_on) allows.
    ///
    /// # Errors
    /// Every issue in the first position and one issue per bad ply. After an illegal move, later
    /// plies are checked from the position that it would lead to, if that position is legal.
    /// Otherwise, only strings that are not moves are reported. Stops after 1000 issues.
    pub fn from_moves(
        fen: Option<&str>,
        moves: &[impl AsRef<str>],
    ) -> Result<Self, Vec<GameIssue>> {
        Self::read_moves(begin(fen, moves.len(), to_play).1, moves)
    }

    /// Reads a game to look at like [`from_moves`](Self::from_moves), but its first position may be
    /// one that only [`Setup::into_composed`] accepts. Returns notes on what it accepted.
    ///
    /// # Errors
    /// The same as for [`from_moves`](Self::from_moves).
    pub fn import_moves(
        fen: Option<&str>,
        moves: &[impl AsRef<str>],
    ) -> Result<(Self, Vec<ImportNote>), Vec<GameIssue>> {
        let (notes, begun) = begin(fen, moves.len(), Setup::into_composed);
        Self::read_moves(begun, moves).map(|game| (game, notes))
    }

    fn read_moves(begun: Begun, moves: &[impl AsRef<str>]) -> Result<Self, Vec<GameIssue>> {
        let (mut game, mut issues) = begun;
        for (index, text) in moves.iter().map(AsRef::as_ref).enumerate() {
            if issues.len() >= MAX_ISSUES {
                break;
            }
            let place = Place::Move(index);
            if let Some(outcome) = game.as_ref().and_then(Game::end) {
                issues.push(GameIssue::after_end(outcome, place));
                game = None;
            }
            let error = match &mut game {
                Some(game) => match parse_uci(game.position(), text) {
                    Ok(chosen) => {
                        game.play_legal(chosen);
                        continue;
                    }
                    Err(error) => error,
                },
                None if read_uci(text).is_some() => continue,
                None => MoveError::malformed(text),
            };
            issues.push(GameIssue::at(
                IssueCode::IllegalMove,
                place,
                error.to_string(),
            ));
            game = game
                .and_then(|game| as_written(game.position(), text))
                .map(Game::new);
        }
        match game {
            Some(game) if issues.is_empty() => Ok(game),
            _ => Err(issues),
        }
    }

    /// Reads a first position and moves in SAN. Without a FEN, the game begins at the standard
    /// start. It may continue after a draw without a claim, as [`play_on`](Self::play_on) allows.
    ///
    /// # Errors
    /// Every issue in the first position and one issue per bad ply. After an illegal move, only
    /// strings that are not moves are reported. Stops after 1000 issues.
    pub fn from_san(fen: Option<&str>, moves: &[impl AsRef<str>]) -> Result<Self, Vec<GameIssue>> {
        Self::read_san(begin(fen, moves.len(), to_play).1, moves)
    }

    /// Reads a game to look at like [`from_san`](Self::from_san), but its first position may be one
    /// that only [`Setup::into_composed`] accepts. Returns notes on what it accepted.
    ///
    /// # Errors
    /// The same as for [`from_san`](Self::from_san).
    pub fn import_san(
        fen: Option<&str>,
        moves: &[impl AsRef<str>],
    ) -> Result<(Self, Vec<ImportNote>), Vec<GameIssue>> {
        let (notes, begun) = begin(fen, moves.len(), Setup::into_composed);
        Self::read_san(begun, moves).map(|game| (game, notes))
    }

    fn read_san(begun: Begun, moves: &[impl AsRef<str>]) -> Result<Self, Vec<GameIssue>> {
        let (mut game, mut issues) = begun;
        for (index, text) in moves.iter().map(AsRef::as_ref).enumerate() {
            if issues.len() >= MAX_ISSUES {
                break;
            }
            let place = Place::San(index);
            if let Some(outcome) = game.as_ref().and_then(Game::end) {
                issues.push(GameIssue::after_end(outcome, place));
                game = None;
            }
            let read = match &mut game {
                Some(game) => {
                    parse_san(game.position(), text).map(|chosen| game.play_legal(chosen))
                }
                None => check_san(text),
            };
            if let Err(error) = read {
                issues.push(GameIssue::at(
                    IssueCode::IllegalMove,
                    place,
                    error.to_string(),
                ));
                game = None;
            }
        }
        match game {
            Some(game) if issues.is_empty() => Ok(game),
            _ => Err(issues),
        }
    }
}

/// The game before its first move, or the issues of its first position.
type Begun = (Option<Game>, Vec<GameIssue>);

/// Begins a game whose first position `convert` makes from the FEN's set-up. Also returns notes on
/// what it accepted.
fn begin(
    fen: Option<&str>,
    plies: usize,
    convert: impl FnOnce(Setup) -> Result<(Position, Vec<ImportNote>), Vec<SetupIssue>>,
) -> (Vec<ImportNote>, Begun) {
    let begun = fen.map_or_else(
        || Ok((Game::new(start_position()), Vec::new())),
        |fen| read_as(fen, |setup| Game::at(setup, convert)),
    );
    match begun {
        Ok((mut game, notes)) => {
            game.reserve(plies);
            (notes, (Some(game), Vec::new()))
        }
        Err(found) => {
            let issues = found
                .iter()
                .map(|issue| GameIssue::set_up(issue, Place::Fen))
                .collect();
            (Vec::new(), (None, issues))
        }
    }
}

fn to_play(setup: Setup) -> Result<(Position, Vec<ImportNote>), Vec<SetupIssue>> {
    setup.into_position().map(|position| (position, Vec::new()))
}

/// The position that an illegal move would lead to, if it is legal.
fn as_written(position: &Position, text: &str) -> Option<Position> {
    let written = read_uci(text)?;
    let (from, to, mover) = (written.from(), written.to(), position.turn());
    let mut setup = Setup::empty();
    setup.placement = Placement::of(position);
    let (_, role) = setup.take(from).filter(|(color, _)| *color == mover)?;
    let captured = setup.take(to);
    if captured.is_some_and(|(color, _)| color == mover) {
        return None;
    }
    setup.put(to, mover, written.promotion().unwrap_or(role));
    setup.turn = !mover;
    setup.chess960 = position.is_chess960();
    setup.halfmove_clock = if captured.is_some() || role == Role::Pawn {
        0
    } else {
        position.halfmove_clock().saturating_add(1)
    };
    setup.fullmove_number = position
        .fullmove_number()
        .saturating_add(u16::from(mover == Color::Black));
    setup.keep_castling(position);
    setup.into_position().ok()
}
