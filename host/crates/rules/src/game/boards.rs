//! Games from lists of boards.

use ai_api::{CastlingRights, CastlingSide, Color, Position, Role, Square};

use super::{
    Game,
    issue::{GameIssue, MAX_ISSUES, Place},
};
use crate::{
    IssueCode, format_fen,
    illegal::refusal,
    names::title,
    placement::Placement,
    setup::{Checks, Setup, SetupIssue},
};

use join::{Join, find_move};

mod join;

/// The parts of a game that a list of boards doesn't show, as [`Game::from_boards`] assumes them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assumed {
    /// The castling field of the first position's FEN: every right whose king and rook are on their
    /// squares.
    pub castling: String,
    /// The en passant field of the first position's FEN: `-` unless the first move captures en
    /// passant.
    pub en_passant: String,
    /// The half-move clock of the first position.
    pub halfmove_clock: u8,
    /// The move number of the first position.
    pub fullmove_number: u16,
    /// The side to move after the last board, if it was not given.
    pub turn: Option<Color>,
}

impl Game {
    /// Reads a list of boards, oldest first, each with 8 rows as described for
    /// [`Board`](crate::Board). One legal move must lead from each board to the next. Moves may
    /// follow a draw, as [`play_on`](Self::play_on) allows. `turn` is the side to move after the
    /// last board. Only a single board requires it.
    ///
    /// # Errors
    /// At least one issue for each bad board and for each board that does not follow from the
    /// previous one. Checking continues from that board. Stops after 1000 issues.
    pub fn from_boards(
        boards: &[Vec<Vec<i64>>],
        turn: Option<Color>,
    ) -> Result<(Self, Assumed), Vec<GameIssue>> {
        if boards.is_empty() {
            return Err(vec![no_board()]);
        }
        let mut walk = Walk {
            issues: Vec::new(),
            at: At::Nowhere,
            boards: boards.len(),
            turn,
            expected: turn.map(|turn| if boards.len() % 2 == 1 { turn } else { !turn }),
            rights: None,
            reported: Vec::new(),
        };
        for (index, rows) in boards.iter().enumerate() {
            if walk.issues.len() >= MAX_ISSUES {
                break;
            }
            match read_board(index, rows) {
                Ok(placement) => walk.step(index, placement),
                Err(issues) => walk.skip(issues),
            }
        }
        walk.finish()
    }
}

impl Setup {
    /// Reads a list of boards as [`Game::from_boards`] does, and returns the last one. It may have
    /// any arrangement of pieces. Neither side has castling rights.
    ///
    /// # Errors
    /// Every fault in a board's shape and numbers, or the first board that does not follow from the
    /// previous one.
    pub fn from_boards(
        boards: &[Vec<Vec<i64>>],
        turn: Option<Color>,
    ) -> Result<Self, Vec<GameIssue>> {
        if boards.is_empty() {
            return Err(vec![no_board()]);
        }
        let (mut placements, mut issues) = (Vec::new(), Vec::new());
        for (index, rows) in boards.iter().enumerate() {
            match read_board(index, rows) {
                Ok(placement) => placements.push(placement),
                Err(found) => issues.extend(found),
            }
        }
        if !issues.is_empty() {
            return Err(issues);
        }
        let first_movers = match turn {
            Some(turn) if placements.len() % 2 == 1 => vec![turn],
            Some(turn) => vec![!turn],
            None if placements.len() == 1 => return Err(vec![missing_turn()]),
            None => Color::ALL.to_vec(),
        };
        let mut first_gap = 0;
        for mover in first_movers {
            match last_of(&placements, mover) {
                Ok(setup) => return Ok(setup),
                Err(gap) => first_gap = first_gap.max(gap),
            }
        }
        let message = "no legal move leads to this board from the one before".to_owned();
        Err(vec![GameIssue::at(
            IssueCode::NotOneMove,
            Place::Board(first_gap),
            message,
        )])
    }
}

/// Plays the moves between boards and returns the last board, or the index of a board to which no
/// move leads.
fn last_of(boards: &[Placement], mover: Color) -> Result<Setup, usize> {
    let mut setup = Setup::empty();
    setup.turn = mover;
    for (index, next) in boards.iter().enumerate() {
        if index == 0 {
            setup.placement = *next;
            continue;
        }
        if index == 1 {
            setup.en_passant = join::en_passant_target(&setup.placement, mover, next);
        }
        let chosen = join::plain_move(&setup.placement, setup.turn, next).ok_or(index)?;
        if refusal(&setup.unchecked(), chosen).is_some() {
            return Err(index);
        }
        setup.advance(chosen);
        if setup.placement != *next {
            return Err(index);
        }
    }
    Ok(setup)
}

fn no_board() -> GameIssue {
    bad_board(
        Place::Boards,
        "an empty list of boards",
        "at least one board",
    )
}

fn missing_turn() -> GameIssue {
    let message = "found a single board without a turn; set turn to white or black".to_owned();
    GameIssue::at(IssueCode::WrongTurn, Place::Turn, message)
}

/// The state while reading a list of boards.
struct Walk {
    issues: Vec<GameIssue>,
    at: At,
    boards: usize,
    /// The side to move after the last board, if given.
    turn: Option<Color>,
    /// The side to move now, if known.
    expected: Option<Color>,
    /// The castling rights that may remain, if known.
    rights: Option<CastlingRights>,
    /// The issues that the previous board would have as a first board.
    reported: Vec<SetupIssue>,
}

enum At {
    /// The previous board could not be read.
    Nowhere,
    /// On a first board; the next board shows the side to move.
    Base(usize, Placement),
    /// In a game.
    Game(Box<Game>),
}

impl Walk {
    /// Skips a board that cannot be read.
    fn skip(&mut self, issues: Vec<GameIssue>) {
        if let At::Game(game) = std::mem::replace(&mut self.at, At::Nowhere) {
            self.rights = Some(game.position().castling());
        }
        self.issues.extend(issues);
        self.expected = self.expected.map(|color| !color);
    }

    /// Continues with the next board.
    fn step(&mut self, index: usize, next: Placement) {
        match std::mem::replace(&mut self.at, At::Nowhere) {
            At::Nowhere => self.at = At::Base(index, next),
            At::Base(base_index, base) => self.step_from_base(base_index, &base, index, next),
            At::Game(mut game) => {
                let is_over = self.report_end(&game, index);
                if let Some(Join { chosen, after }) = find_move(game.position(), &next) {
                    game.advance(chosen, after);
                    self.expected = Some(after.turn());
                    self.at = At::Game(game);
                    return;
                }
                if !is_over {
                    self.report_gap(game.position(), index, &next);
                }
                self.rights = Some(game.position().castling());
                self.rebase(index, next);
            }
        }
    }

    /// Reports a board after the end of the game. Returns whether the game is over.
    fn report_end(&mut self, game: &Game, index: usize) -> bool {
        let end = game.end();
        self.issues
            .extend(end.map(|outcome| GameIssue::after_end(outcome, Place::Board(index))));
        end.is_some()
    }

    fn report_gap(&mut self, position: &Position, index: usize, next: &Placement) {
        let message = join::refusal(position, next);
        self.issues.push(GameIssue::at(
            IssueCode::NotOneMove,
            Place::Board(index),
            message,
        ));
    }

    fn step_from_base(
        &mut self,
        base_index: usize,
        base: &Placement,
        index: usize,
        next: Placement,
    ) {
        let expected = self.expected.unwrap_or(Color::White);
        for mover in [expected, !expected] {
            let Some((start, join)) = self.open(base, mover, &next) else {
                continue;
            };
            if let (Some(turn), true, true) = (self.turn, base_index == 0, mover != expected) {
                let message = format!(
                    "turn is {}, but according to the boards it is {}'s turn",
                    title(turn),
                    title(!turn)
                );
                self.issues
                    .push(GameIssue::at(IssueCode::WrongTurn, Place::Turn, message));
            }
            let mut game = Game::new(start);
            game.reserve(self.boards - index);
            game.advance(join.chosen, join.after);
            self.expected = Some(!mover);
            self.at = At::Game(Box::new(game));
            self.reported.clear();
            return;
        }
        if let Some(position) = self.check_base(base_index, base) {
            self.report_gap(&position, index, &next);
        }
        self.rebase(index, next);
    }

    fn rebase(&mut self, index: usize, next: Placement) {
        self.expected = self.expected.map(|color| !color);
        self.at = At::Base(index, next);
    }

    /// The position of `base` with `mover` to move, if one legal move leads from there to `next`.
    fn open(&self, base: &Placement, mover: Color, next: &Placement) -> Option<(Position, Join)> {
        let mut setup = self.set_up(base, mover);
        let start = setup.into_position().ok()?;
        if let Some(join) = find_move(&start, next) {
            return Some((start, join));
        }
        setup.en_passant = Some(join::en_passant_target(base, mover, next)?);
        let with_en_passant = setup.into_position().ok()?;
        Some((with_en_passant, find_move(&with_en_passant, next)?))
    }

    fn set_up(&self, base: &Placement, mover: Color) -> Setup {
        let mut setup = Setup::empty();
        setup.placement = *base;
        setup.turn = mover;
        for color in Color::ALL {
            for side in CastlingSide::ALL {
                if self
                    .rights
                    .is_none_or(|rights| rights.rook_file(color, side).is_some())
                {
                    setup.allow_orthodox_castling(color, side);
                }
            }
        }
        setup
    }

    /// The position of `base`, a first board from which no move leads to the next board. Reports
    /// its issues unless the previous board had the same issues.
    fn check_base(&mut self, index: usize, base: &Placement) -> Option<Position> {
        let expected = self.expected.unwrap_or(Color::White);
        let is_turn_given = index == 0 && self.turn.is_some();
        let legal = [expected, !expected]
            .into_iter()
            .find_map(|mover| self.set_up(base, mover).into_position().ok())
            .filter(|position| position.turn() == expected || !is_turn_given);
        let found = match legal {
            Some(_) => Vec::new(),
            None => self.base_issues(base, expected, is_turn_given),
        };
        if found != self.reported {
            self.issues.extend(
                found
                    .iter()
                    .map(|issue| GameIssue::set_up(issue, Place::Board(index))),
            );
        }
        self.reported = found;
        legal
    }

    /// The issues of `base`, preferably the issues that do not depend on the side to move.
    fn base_issues(&self, base: &Placement, mover: Color, is_turn_given: bool) -> Vec<SetupIssue> {
        let setup = self.set_up(base, mover);
        let mut found = Vec::new();
        setup.check(
            Checks {
                turn: is_turn_given,
                castling: true,
                en_passant: true,
            },
            &mut found,
        );
        if found.is_empty() {
            setup.into_position().err().unwrap_or_default()
        } else {
            found
        }
    }

    fn finish(mut self) -> Result<(Game, Assumed), Vec<GameIssue>> {
        if let At::Base(index, base) = self.at {
            if self.boards == 1 && self.turn.is_none() {
                self.issues.push(missing_turn());
            }
            if let Some(position) = self.check_base(index, &base) {
                self.at = At::Game(Box::new(Game::new(position)));
            }
        }
        match self.at {
            At::Game(game) if self.issues.is_empty() => {
                let assumed = Assumed::of(&game, self.turn);
                Ok((*game, assumed))
            }
            _ => Err(self.issues),
        }
    }
}

impl Assumed {
    fn of(game: &Game, given_turn: Option<Color>) -> Self {
        let start = game.start();
        let fen = format_fen(start);
        let mut fields = fen.split(' ').skip(2).map(str::to_owned);
        Self {
            castling: fields.next().unwrap_or_default(),
            en_passant: fields.next().unwrap_or_default(),
            halfmove_clock: start.halfmove_clock(),
            fullmove_number: start.fullmove_number(),
            turn: given_turn.is_none().then(|| game.position().turn()),
        }
    }
}

/// Reads the pieces of a board.
///
/// # Errors
/// Every fault in its shape and numbers.
fn read_board(board: usize, rows: &[Vec<i64>]) -> Result<Placement, Vec<GameIssue>> {
    const CODES: &str =
        "0 or 1 (pawn), 2 (knight), 3 (bishop), 4 (rook), 5 (queen), 6 (king), negative for Black";
    let mut placement = Placement::default();
    let mut issues = Vec::new();
    if rows.len() != 8 {
        let found = format!("{} rows", rows.len());
        issues.push(bad_board(
            Place::Board(board),
            &found,
            "8 rows, rank 8 first",
        ));
    }
    for (row, codes) in rows.iter().enumerate().take(8) {
        if codes.len() != 8 {
            let found = format!("{} columns", codes.len());
            issues.push(bad_board(
                Place::Row { board, row },
                &found,
                "8 columns, the a-file first",
            ));
        }
        for (column, &code) in codes.iter().enumerate().take(8) {
            match code {
                0 => {}
                -6..=6 => {
                    let square = Square::new(column as u8, 7 - row as u8);
                    let color = if code > 0 { Color::White } else { Color::Black };
                    placement.put_on_empty(
                        square,
                        color,
                        Role::ALL[code.unsigned_abs() as usize - 1],
                    );
                }
                _ => issues.push(bad_board(
                    Place::Cell { board, row, column },
                    &code.to_string(),
                    CODES,
                )),
            }
        }
    }
    if issues.is_empty() {
        Ok(placement)
    } else {
        Err(issues)
    }
}

fn bad_board(place: Place, found: &str, expected: &str) -> GameIssue {
    GameIssue::at(
        IssueCode::BadBoard,
        place,
        format!("found {found}, expected {expected}"),
    )
}
