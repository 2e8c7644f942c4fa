//! A whole match: several games at a time, until all are played or a test has decided.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    io,
    rc::Rc,
    sync::Arc,
};

use rules::PgnGame;
use sha2::{Digest, Sha256};
use tokio::task::{JoinSet, LocalSet, spawn_blocking};

use super::{
    Contestant, Format, Openings, PlayedGame, Points, Recorded, Scheduled, Sprt, SprtState, Tally, Terms,
    encounters, play, record::record, schedule,
};
use pool::{Ais, StartErrors, WorkerProgram};

/// What is to be played.
#[derive(Clone, Debug)]
pub struct Contest {
    /// The players, at least two.
    pub contestants: Vec<Contestant>,
    /// Who meets whom.
    pub format: Format,
    /// Games of each encounter.
    pub games: usize,
    /// What holds for every game.
    pub terms: Terms,
    /// Where the games begin, in their order.
    pub openings: Openings,
    /// What ends the match early, between two players.
    pub sprt: Option<Sprt>,
    /// Games at a time.
    pub concurrency: usize,
    /// Which binary the workers are.
    pub program: WorkerProgram,
}

/// How the players stand.
#[derive(Clone, Debug)]
pub struct Standings {
    /// Each encounter, by the places of its players, as the first of them sees it.
    pub encounters: BTreeMap<(usize, usize), Tally>,
    /// First games of pairs whose second one is not over.
    unpaired: BTreeMap<((usize, usize), usize), Points>,
}

/// Why a match broke off.
#[derive(Debug, thiserror::Error)]
pub enum ContestError {
    /// A player could be started before and can't be now.
    #[error("{0}")]
    Start(#[from] StartErrors),
    /// A game can't be kept.
    #[error("the game can't be written")]
    Record(#[from] io::Error),
}

/// A game that was just finished.
#[derive(Debug)]
pub struct Finished<'a> {
    /// Which one.
    pub scheduled: &'a Scheduled,
    /// How it is recorded.
    pub game: &'a PgnGame,
    /// How the players stand after it.
    pub standings: &'a Standings,
}

/// Why a match is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finish {
    /// Every game was played.
    Played,
    /// The test has decided.
    Decided,
    /// Somebody wanted it to end.
    Interrupted,
}

impl Standings {
    fn new(format: Format, players: usize) -> Self {
        let encounters = encounters(format, players).into_iter().map(|pair| (pair, Tally::default()));
        Self { encounters: encounters.collect(), unpaired: BTreeMap::new() }
    }

    fn add(&mut self, scheduled: &Scheduled, white: Points) {
        let encounter = scheduled.encounter;
        let points = if scheduled.white == encounter.0 { white } else { white.of_the_other() };
        let tally = self.encounters.entry(encounter).or_default();
        tally.add(points);
        match self.unpaired.remove(&(encounter, scheduled.round)) {
            Some(other) => tally.add_pair(points, other),
            None => _ = self.unpaired.insert((encounter, scheduled.round), points),
        }
    }

    /// How many games were played.
    pub fn games(&self) -> u32 {
        self.encounters.values().map(Tally::games).sum()
    }

    /// The games of a player, with the place of each opponent.
    pub fn of_player(&self, player: usize) -> Vec<(usize, Tally)> {
        let seen = self.encounters.iter().filter_map(|(&(first, second), tally)| {
            if first == player {
                Some((second, *tally))
            } else if second == player {
                Some((first, tally.of_the_other()))
            } else {
                None
            }
        });
        seen.collect()
    }
}

impl Contest {
    /// What tells this match from others: everything that its games depend on, in 16 digits.
    pub fn mark(&self) -> String {
        let mut hash = Sha256::new();
        let mut add = |text: &str| {
            hash.update((text.len() as u64).to_le_bytes());
            hash.update(text.as_bytes());
        };
        self.contestants.iter().for_each(|contestant| add(&contestant.name));
        add(&format!("{:?} {:?}", self.format, self.terms));
        for opening in self.openings.iter() {
            add(&rules::format_fen(opening.game.start()));
            add(&opening.game.uci_moves().join(" "));
        }
        hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat()
    }

    /// Every game that belongs to it.
    pub fn schedule(&self) -> Vec<Scheduled> {
        schedule(self.format, self.contestants.len(), self.games)
    }

    /// How the test stands, if there is one.
    pub fn sprt_state(&self, standings: &Standings) -> Option<SprtState> {
        Some(self.sprt?.state(standings.encounters.values().next()?))
    }

    /// Plays what was not played yet. `finished` hears of each game as it ends; `interrupted` comes when no more is wanted.
    ///
    /// # Errors
    /// A player does not start any more, or `finished` fails.
    ///
    /// # Panics
    /// Never: games neither panic nor are they cancelled while this runs.
    pub async fn run(
        self,
        recorded: &[Recorded],
        interrupted: impl Future<Output = ()>,
        mut finished: impl FnMut(Finished<'_>) -> io::Result<()>,
    ) -> Result<(Standings, Finish), ContestError> {
        let mut standings = Standings::new(self.format, self.contestants.len());
        let mut waiting = self.schedule();
        let known: BTreeMap<_, _> = recorded.iter().map(|game| (game.number, game.white)).collect();
        waiting.retain(|scheduled| match known.get(&scheduled.number) {
            Some(&white) => {
                standings.add(scheduled, white);
                false
            }
            None => true,
        });
        let mut waiting = waiting.into_iter();
        let is_decided = |contest: &Self, standings: &Standings| {
            contest.sprt_state(standings).is_some_and(|state| state.accepted.is_some())
        };
        if is_decided(&self, &standings) {
            return Ok((standings, Finish::Decided));
        }
        let mark = self.mark();
        let contest = Rc::new(self);
        let local = LocalSet::new();
        let playing = async {
            let mut running = JoinSet::new();
            for scheduled in waiting.by_ref().take(contest.concurrency) {
                running.spawn_local(Table::default().play(Rc::clone(&contest), scheduled));
            }
            tokio::pin!(interrupted);
            loop {
                let over = tokio::select! {
                    over = running.join_next() => over,
                    () = &mut interrupted => return Ok((standings, Finish::Interrupted)),
                };
                let Some(over) = over else { return Ok((standings, Finish::Played)) };
                let (table, scheduled, played) = over.expect("a game does not panic and is not cancelled")?;
                standings.add(&scheduled, played.end.points(ai_api::Color::White));
                let game = contest.recorded(&scheduled, played, &mark);
                finished(Finished { scheduled: &scheduled, game: &game, standings: &standings })?;
                if is_decided(&contest, &standings) {
                    return Ok((standings, Finish::Decided));
                }
                if let Some(next) = waiting.next() {
                    running.spawn_local(table.play(Rc::clone(&contest), next));
                }
            }
        };
        local.run_until(playing).await
    }

    fn recorded(&self, scheduled: &Scheduled, played: PlayedGame, mark: &str) -> PgnGame {
        let name = |place: usize| self.contestants[place].name.as_str();
        let names = [name(scheduled.white), name(scheduled.black)];
        record(scheduled, names, self.openings.of_round(scheduled.round), &self.terms, mark, played)
    }
}

/// A place where one game after the other is played, each player in a worker of this table alone: nothing that it remembers
/// comes from a game that is played at the same time.
#[derive(Default)]
struct Table(BTreeMap<usize, Ais>);

type Over = (Table, Scheduled, PlayedGame);

impl Table {
    async fn play(mut self, contest: Rc<Contest>, scheduled: Scheduled) -> Result<Over, StartErrors> {
        let places = [scheduled.white, scheduled.black];
        self.0.retain(|place, _| places.contains(place));
        let mut players = Vec::new();
        for place in places {
            let contestant = &contest.contestants[place];
            let ais = match self.0.entry(place) {
                Entry::Occupied(there) => there.into_mut(),
                Entry::Vacant(free) => {
                    let (starting, program) = (contestant.clone(), contest.program.clone());
                    let started = spawn_blocking(move || starting.start(&program)).await;
                    free.insert(started.expect("starting an AI does not panic")?)
                }
            };
            let ai = ais.get(contestant.id()).expect("it was started under this id");
            players.push(Arc::clone(ai));
        }
        let opening = contest.openings.of_round(scheduled.round);
        let played = play([&players[0], &players[1]], opening, &contest.terms).await;
        Ok((self, scheduled, played))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_counted_when_both_games_are_over_in_whatever_order() {
        let mut standings = Standings::new(Format::RoundRobin, 2);
        let games = schedule(Format::RoundRobin, 2, 4);
        // The first player wins with White, draws with Black, loses with White, wins with Black.
        for (index, white) in [(2, Points::Loss), (0, Points::Win), (1, Points::Draw), (3, Points::Loss)] {
            standings.add(&games[index], white);
        }
        let tally = standings.encounters[&(0, 1)];
        assert_eq!((tally.wins, tally.draws, tally.losses, tally.pairs), (2, 1, 1, [0, 0, 1, 1, 0]));
        assert_eq!(standings.of_player(1), [(0, tally.of_the_other())]);
        assert_eq!((standings.games(), standings.unpaired.len()), (4, 0));
    }
}
