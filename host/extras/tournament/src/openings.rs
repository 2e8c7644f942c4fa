//! Openings: the built-in list, a file in PGN or EPD, or a Polyglot book.

mod opening;
mod text;

use std::io::{BufRead, Read, Seek};

use ai_book::Book;
use rules::{DrawnAt, Game, Setup};
use sha2::{Digest, Sha256};

pub use opening::GameOpening;
pub use opening::OpeningsError;

/// Well-known openings of eight plies, one per line, in UCI.
const NAMED: &str = include_str!("openings/named.txt");

/// Balanced openings of random moves, [packed](book::pack). `tools/workshop/README.md` shows the
/// command that made them.
const RANDOM: &[[u8; 8]] = include_bytes!("openings/random.packed").as_chunks().0;

/// At least one opening, in the order of play.
#[derive(Clone, Debug)]
pub struct Openings {
    source: OpeningSource,
    /// The index of each round's opening.
    order: Vec<usize>,
}

#[derive(Clone, Debug)]
enum OpeningSource {
    /// [`NAMED`], then [`RANDOM`]. An opening is parsed when its round is played.
    BuiltIn,
    Parsed(Vec<GameOpening>),
}

impl Openings {
    /// Returns the built-in openings.
    pub fn built_in() -> Self {
        Self {
            source: OpeningSource::BuiltIn,
            order: (0..NAMED.lines().count() + RANDOM.len()).collect(),
        }
    }

    /// Reads games in PGN, with all their moves, or positions in EPD or FEN, one per line.
    ///
    /// # Errors
    /// The source cannot be read, or contains an invalid opening. Only the first one is reported.
    pub fn read(source: impl BufRead) -> Result<Self, OpeningsError> {
        Self::checked(text::read(source)?)
    }

    /// Returns the lines of a Polyglot book, up to this many plies; see [`book::lines`].
    ///
    /// # Errors
    /// The book cannot be read, or is empty.
    pub fn of_book<S: Read + Seek>(
        book: &mut Book<S>,
        plies: usize,
    ) -> Result<Self, OpeningsError> {
        let lines = book::lines(book, plies)?;
        if lines.is_empty() {
            return Err(OpeningsError::EmptyBook);
        }
        Ok(Self::of(
            lines
                .into_iter()
                .map(|game| GameOpening { name: None, game })
                .collect(),
        ))
    }

    /// Uses the positions of these games, in this order.
    ///
    /// # Errors
    /// The list is empty, or a game is over or cannot be played.
    pub fn of_games(games: Vec<Game>) -> Result<Self, OpeningsError> {
        Self::checked(
            games
                .into_iter()
                .map(|game| GameOpening { name: None, game })
                .collect(),
        )
    }

    fn checked(openings: Vec<GameOpening>) -> Result<Self, OpeningsError> {
        if openings.is_empty() {
            return Err(OpeningsError::Empty);
        }
        for (opening, number) in openings.iter().zip(1..) {
            if opening.game.outcome().is_some() {
                return Err(OpeningsError::GameOver { number });
            }
            // Game readers also accept positions that cannot be played.
            if let Err(issues) = Setup::from(opening.game.start()).into_position() {
                return Err(OpeningsError::Unplayable { number, issues });
            }
        }
        Ok(Self::of(openings))
    }

    fn of(openings: Vec<GameOpening>) -> Self {
        Self {
            order: (0..openings.len()).collect(),
            source: OpeningSource::Parsed(openings),
        }
    }

    /// Returns the openings that continued after a draw by the current rules, each with its number
    /// from 1.
    pub fn drawn(&self) -> impl Iterator<Item = (usize, DrawnAt)> {
        let parsed = match &self.source {
            OpeningSource::BuiltIn => &[],
            OpeningSource::Parsed(openings) => openings.as_slice(),
        };
        (1..)
            .zip(parsed)
            .filter_map(|(number, opening)| Some((number, opening.game.drawn_at()?)))
    }

    /// Returns the number of openings.
    pub fn count(&self) -> usize {
        self.order.len()
    }

    /// Shuffles the openings. The order depends only on the seed.
    #[must_use]
    pub fn shuffled(mut self, seed: u64) -> Self {
        self.order.sort_by_cached_key(|&index| {
            let mut hash = Sha256::new();
            hash.update(seed.to_le_bytes());
            hash.update((index as u64).to_le_bytes());
            <[u8; 32]>::from(hash.finalize())
        });
        self
    }

    /// Returns the number of a round's opening, from 0. It does not depend on the order.
    pub fn number(&self, round: usize) -> usize {
        self.order[round % self.order.len()]
    }

    /// Returns whether the game of a round is Chess960.
    pub(crate) fn is_chess960(&self, round: usize) -> bool {
        match &self.source {
            OpeningSource::BuiltIn => false,
            OpeningSource::Parsed(openings) => {
                openings[self.number(round)].game.position().is_chess960()
            }
        }
    }

    /// Returns the opening of a round. The openings repeat after the last one.
    ///
    /// # Panics
    /// Never: a test plays every built-in opening.
    pub fn for_round(&self, round: usize) -> GameOpening {
        self.by_number(self.number(round))
            .expect("the number belongs to an opening")
    }

    /// Returns the opening with a [`number`](Self::number), or `None` if there is no such opening.
    pub fn by_number(&self, number: usize) -> Option<GameOpening> {
        let game = match &self.source {
            OpeningSource::Parsed(openings) => return openings.get(number).cloned(),
            OpeningSource::BuiltIn => match NAMED.lines().nth(number) {
                Some(line) => Game::from_moves(None, &line.split(' ').collect::<Vec<_>>()).ok(),
                None => RANDOM
                    .get(number - NAMED.lines().count())
                    .and_then(|moves| book::unpack(moves)),
            },
        };
        Some(GameOpening {
            name: None,
            game: game?,
        })
    }

    /// Calls `add` with everything that the openings and their order depend on.
    pub(crate) fn for_each_part(&self, mut add: impl FnMut(&str)) {
        match &self.source {
            OpeningSource::BuiltIn => {
                add(NAMED);
                add(&format!("{RANDOM:?}"));
            }
            OpeningSource::Parsed(openings) => {
                for GameOpening { game, .. } in openings {
                    add(&rules::format_fen(game.start()));
                    add(&game.uci_moves().join(" "));
                }
            }
        }
        add(&format!("{:?}", self.order));
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, io::Cursor};

    use ai_book::{Entry, key};

    use super::*;
    use crate::schedule::{MatchFormat, ScheduledGame, schedule};

    fn openings(openings: &Openings) -> impl Iterator<Item = GameOpening> {
        (0..openings.count()).map(|round| openings.for_round(round))
    }

    fn fens(all: &Openings) -> Vec<String> {
        openings(all)
            .map(|opening| rules::format_fen(opening.game.position()))
            .collect()
    }

    #[test]
    fn built_in_openings_are_legal_balanced_and_unique() {
        let built_in = Openings::built_in();
        let mut positions = BTreeSet::new();
        for opening in openings(&built_in) {
            assert_eq!(
                (opening.game.moves().len(), opening.game.outcome()),
                (8, None)
            );
            assert!(
                formats::eco::Opening::of_game(&opening.game).is_some(),
                "{:?}",
                opening.game.uci_moves()
            );
            assert!(
                positions.insert(opening.game.position().hash()),
                "{:?}",
                opening.game.uci_moves()
            );
        }
        assert_eq!((built_in.count(), positions.len()), (6_000, 6_000));
        for (file, number) in [
            ("docs/matches-and-uci.md", "6,000"),
            ("tools/workshop/README.md", "5,948"),
        ] {
            let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("../../..")
                .join(file);
            let text = std::fs::read_to_string(path).unwrap();
            assert!(text.contains(&format!("{number} openings")), "{file}");
        }
    }

    #[test]
    fn deterministic_players_repeat_no_game_until_all_built_in_openings_are_played() {
        let all = Openings::built_in().shuffled(1);
        let games = schedule(MatchFormat::RoundRobin, 2, 2 * all.count() + 1);
        let game = |scheduled: &ScheduledGame| {
            (
                scheduled.white,
                all.for_round(scheduled.round).game.position().hash(),
            )
        };
        let different: BTreeSet<_> = games.iter().map(game).collect();
        assert_eq!(different.len(), 12_000);
        assert_eq!(game(&games[12_000]), game(&games[0]));
    }

    #[test]
    fn built_in_openings_keep_material_within_a_pawn() {
        use ai_api::{Color, Role};
        let worth = |position: &ai_api::Position, color| -> u32 {
            [
                (Role::Pawn, 1),
                (Role::Knight, 3),
                (Role::Bishop, 3),
                (Role::Rook, 5),
                (Role::Queen, 9),
            ]
            .map(|(role, value)| value * position.pieces(color, role).count())
            .iter()
            .sum()
        };
        for opening in openings(&Openings::built_in()) {
            let position = opening.game.position();
            let [white, black] = Color::ALL.map(|color| worth(position, color));
            assert!(
                white.abs_diff(black) <= 1 && !position.in_check(),
                "{:?}",
                opening.game.uci_moves()
            );
        }
    }

    #[test]
    fn the_order_depends_on_the_seed() {
        let order = |seed| fens(&Openings::built_in().shuffled(seed));
        assert_eq!(order(1), order(1));
        assert_ne!(order(1), order(2));
        assert_eq!(
            order(1).into_iter().collect::<BTreeSet<_>>(),
            fens(&Openings::built_in()).into_iter().collect()
        );
    }

    #[test]
    fn no_opening_repeats_until_all_are_played() {
        for seed in [1, 2014] {
            let all = Openings::built_in().shuffled(seed);
            let moves = |round| all.for_round(round).game.moves().to_vec();
            let different: BTreeSet<_> = (0..all.count()).map(moves).collect();
            assert_eq!(different.len(), all.count());
            assert_eq!(moves(all.count()), moves(0));
        }
    }

    #[test]
    fn parts_depend_on_the_openings_and_their_order() {
        let parts = |openings: &Openings| {
            let mut parts = Vec::new();
            openings.for_each_part(|part| parts.push(part.to_owned()));
            parts
        };
        let built_in = Openings::built_in().shuffled(1);
        assert_eq!(parts(&built_in), parts(&Openings::built_in().shuffled(1)));
        assert_ne!(parts(&built_in), parts(&Openings::built_in().shuffled(2)));
        let read = |text: &str| parts(&Openings::read(text.as_bytes()).unwrap());
        assert_ne!(read("1. e4 *"), read("1. d4 *"));
    }

    #[test]
    fn reads_openings_from_a_book() {
        let start = rules::start_position();
        let entry = |uci, weight| {
            let chosen = rules::parse_uci(&start, uci).unwrap();
            Entry {
                key: key(&start),
                chosen,
                weight,
                learn: 0,
            }
        };
        let mut file = Vec::new();
        ai_book::write(&mut [entry("g1f3", 1), entry("e2e4", 2)], &mut file).unwrap();
        let all = Openings::of_book(&mut Book::new(Cursor::new(file)).unwrap(), 8).unwrap();
        let moves: Vec<_> = openings(&all)
            .map(|opening| opening.game.uci_moves())
            .collect();
        assert_eq!(moves, [["e2e4"], ["g1f3"]]);
        let empty = Openings::of_book(&mut Book::new(Cursor::new(Vec::new())).unwrap(), 8);
        assert!(matches!(empty, Err(OpeningsError::EmptyBook)));
    }
}
