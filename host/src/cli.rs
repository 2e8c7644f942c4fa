//! The command line.

mod ais;
mod allocator;
mod best_move;
mod capacity;
mod check_ai;
mod client;
mod config;
mod convert;
mod new_ai;
mod perft;
mod play_match;
mod reload;
mod serve;
mod serve_host;
mod uci;

use std::{
    io::{self, Write},
    path::PathBuf,
    process::ExitCode,
};

use clap::{Args, Parser, Subcommand};

use ::config::{Config, ConfigErrors, Overrides, UnknownAi, ensure_known};
use pool::StartErrors;

#[derive(Debug, Parser)]
#[command(
    name = "rookery",
    version,
    about = "Runs any chess AI, yours or Stockfish, behind one API and one board, safely",
    after_help = "Examples:\n  \
        rookery serve                              the server, on 127.0.0.1:8080\n  \
        rookery reload                             let the server take over a changed configuration\n  \
        rookery best-move --depth 6                a move in the start position, without a server\n  \
        rookery best-move --moves e2e4 e7e5 --json the same after two moves, for machines\n  \
        rookery ais                                the AIs of the configuration\n  \
        rookery uci --ai basic1                    an AI as a UCI engine, for chess programs\n  \
        rookery match basic1 quick --games 100     which of two AIs is stronger, and by how much\n  \
        rookery new-ai mine                        the folder of a new AI, which builds at once\n  \
        rookery check-ai target/release/libmine.so what an AI does wrong, and what to do about it\n  \
        rookery config check --config my.toml      everything that is wrong with a configuration\n  \
        rookery client add bob                     a key for a client, and the lines to paste\n  \
        rookery convert games.pgn --to fen         games in another format\n  \
        rookery perft --depth 5 --divide           counts of move paths\n\n\
        Exit status: 0 done, 1 failed, 2 wrong usage or configuration."
)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the server
    #[command(after_help = "Example:\n  rookery serve --config config/rookery.toml --listen 127.0.0.1:0")]
    Serve(serve::Serve),
    /// Let running servers take over what has changed in their configuration and libraries
    #[command(after_help = "Examples:\n  \
        rookery reload                     every server of this user that runs with config/rookery.toml\n  \
        rookery reload --config my.toml --json\n\n\
        The configuration and every library are read anew and checked whole; new and changed AIs are started and tried \
        beside those that run, then all takes over at once, and no request is lost. Where anything is wrong, it is told, \
        and the current configuration stays.\n\n\
        Exit status: 0 taken over, 1 no server answered, 2 something is wrong with the configuration or its AIs.")]
    Reload(reload::ReloadServers),
    /// Check or show a configuration
    #[command(subcommand)]
    Config(config::Command),
    /// List the AIs of a configuration, their versions, options and states
    #[command(after_help = "Examples:\n  \
        rookery ais --json\n  \
        rookery ais pin                            lines that pin each library to the bytes that are there")]
    Ais(ais::ListAis),
    /// Let an AI answer once, without a server
    #[command(after_help = "Examples:\n  \
        rookery best-move --ai basic1 --movetime-ms 500\n  \
        rookery best-move --fen '8/8/8/4k3/8/8/4P3/4K3 w - - 0 1' --moves e2e4 --nodes 100000 --json")]
    BestMove(best_move::AskBestMove),
    /// Let an AI play as a UCI engine, for chess programs
    #[command(after_help = "Examples:\n  \
        rookery uci --ai basic1                    as the command of an engine in a chess program\n  \
        printf 'go depth 4\\n' | rookery uci        by hand; `quit` or the end of the input ends it")]
    Uci(uci::PlayUci),
    /// Let AIs and UCI engines play against each other, and tell how strong they are
    #[command(after_help = "Examples:\n  \
        rookery match basic1 quick --games 200 --nodes 20000 --concurrency 2 --pgn games.pgn\n  \
        rookery match basic1 basic1,quiescence=false --games 2000 --tc 1+0.1 --sprt 0,10\n  \
        rookery match basic1 quick /usr/games/stockfish,skill_level=0 --games 20 --movetime-ms 50\n  \
        rookery match basic1 --gauntlet --games 40 --movetime-ms 100")]
    Match(play_match::PlayMatch),
    /// Write the folder of a new AI, which builds at once
    #[command(after_help = "Examples:\n  \
        rookery new-ai mine                an AI with its own search\n  \
        rookery new-ai mine --evaluator    one that judges positions, with which the host searches\n  \
        rookery new-ai mine --lang c       one in C, built by make")]
    NewAi(new_ai::MakeNewAi),
    /// Examine an AI: everything that one must do, each tried in a process of its own
    #[command(after_help = "Examples:\n  \
        rookery check-ai target/release/libmine.so\n  \
        rookery check-ai target/release/libmine.so --only moves --only fuzz.games --seed 7\n  \
        rookery check-ai target/release/libmine.so --sandbox best-effort --threads 100 --memory-mb 2048\n  \
        rookery check-ai target/release/libmine.so --request request.json\n  \
        rookery check-ai --list            every check, and what it tries\n\n\
        request.json has any of fen, moves, limits, clocks, root_moves, lines, trace_nodes and ponder_hit_ms, such as\n  \
        {\"moves\": [\"e2e4\"], \"limits\": {\"depth\": 4, \"hard_ms\": 500}, \"clocks\": {\"remaining_ms\": [60000, 60000]}}\n\n\
        The AI is confined as a server would confine it that sets none of the keys of its [ai.ID]: where the kernel can't do \
        that, each check fails and the reason names what is missing.\n\n\
        Exit status: 0 where none failed or crashed, else 1; warnings do not count.")]
    CheckAi(check_ai::CheckAi),
    /// Make keys for clients
    #[command(subcommand)]
    Client(client::Command),
    /// Write games in another format: FEN, EPD, PGN, moves, boards, web pages, diagrams, pictures
    #[command(after_help = "Examples:\n  \
        rookery convert games.pgn --to uci                 each game in a line\n  \
        rookery convert games.pgn --game 2 --to svg > 2.svg\n  \
        echo 'e2e4 e7e5 g1f3' | rookery convert --to text\n  \
        rookery convert page.html --turn white --to fen    who moves, a page of 2014 does not tell\n\n\
        Games that are wrong are told with game, line and column; the others are written all the same. What a format does \
        not hold is told too.\n\n\
        Exit status: 0 all written, 1 some were wrong, 2 wrong usage.")]
    Convert(convert::ConvertGames),
    /// Count the paths of legal moves
    #[command(after_help = "Example:\n  \
        rookery perft --depth 4 --divide --fen 'r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1'")]
    Perft(perft::CountPaths),
    /// Serve one AI to the server that started this process
    #[command(hide = true)]
    Worker(serve_host::ServeHost),
}

/// Which configuration a command uses.
#[derive(Debug, Args)]
struct ConfigFile {
    /// The configuration file
    #[arg(
        long,
        global = true,
        value_name = "FILE",
        env = "ROOKERY_CONFIG",
        default_value = "config/rookery.toml"
    )]
    config: PathBuf,
}

impl ConfigFile {
    /// Loads it under what the environment says.
    fn load(&self) -> Result<Config, Failure> {
        Ok(::config::load(&self.config, &overrides(None))?)
    }
}

/// What the environment says, and above that the flag `--listen`.
fn overrides(listen: Option<String>) -> Overrides {
    Overrides::from_environment(|name| std::env::var_os(name)).with_listen(listen)
}

/// The AI that a command names, or else the default client's; the configuration has it then, wherever it was found.
fn chosen_ai(config: &mut Config, named: Option<&str>) -> Result<String, Failure> {
    let Some(id) = named.or(config.client(None).map(|client| client.ai.as_str())) else {
        return Err(Failure::Usage("the configuration has no [client.default]; name an AI with --ai".into()));
    };
    let id = id.to_owned();
    ensure_known(config, &id)?;
    Ok(id)
}

/// How a command fails: with exit status 2 where usage or configuration is wrong, else with 1.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error("{0}")]
    Usage(String),
    #[error("{0}")]
    UnknownAi(#[from] UnknownAi),
    #[error("{0}")]
    Configuration(#[from] ConfigErrors),
    #[error("{0}")]
    Start(#[from] StartErrors),
    #[error(transparent)]
    Other(#[from] anyhow::Error),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Other(error.into())
    }
}

impl Failure {
    fn report(&self) -> ExitCode {
        match self {
            // Each of these begins with "error:" and has lines of its own.
            Self::Configuration(_) | Self::Start(_) => say(&self.to_string()),
            Self::Usage(_) | Self::UnknownAi(_) => say(&format!("error: {self}")),
            Self::Other(error) if is_broken_pipe(error) => return ExitCode::SUCCESS,
            Self::Other(error) => say(&format!("error: {error:#}")),
        }
        match self {
            Self::Other(_) => ExitCode::FAILURE,
            _ => ExitCode::from(2),
        }
    }
}

/// Whether whoever reads our output, such as `head`, has had enough.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

/// Writes a line beside the data. Where nobody reads it, as behind `2>&1 | head`, the rest goes on all the same.
fn say(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// Writes data for whoever called us.
fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.write_all(if text.ends_with('\n') { b"" } else { b"\n" })?;
    out.flush()
}

fn print_json<T: serde::Serialize>(value: &T) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(value).map_err(anyhow::Error::from)?;
    Ok(print(&text)?)
}

/// Parses the command line, runs the command and tells how it went.
pub fn run() -> ExitCode {
    if let Some(worker) = serve_host::ServeHost::from_arguments() {
        return ended(worker.run());
    }
    ended(match CommandLine::parse().command {
        Command::Worker(command) => command.run(),
        Command::Serve(command) => command.run(),
        Command::Reload(command) => command.run(),
        Command::Config(command) => command.run(),
        Command::Ais(command) => command.run(),
        Command::BestMove(command) => command.run(),
        Command::Uci(command) => command.run(),
        Command::Match(command) => command.run(),
        Command::NewAi(command) => command.run(),
        Command::CheckAi(command) => command.run(),
        Command::Client(command) => command.run(),
        Command::Convert(command) => command.run(),
        Command::Perft(command) => command.run(),
    })
}

fn ended(outcome: Result<(), Failure>) -> ExitCode {
    outcome.map_or_else(|failure| failure.report(), |()| ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        CommandLine::command().debug_assert();
    }
}
