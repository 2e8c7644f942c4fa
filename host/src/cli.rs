//! The command line.

mod add;
mod ais;
mod allocator;
#[cfg(feature = "extras")]
mod arena;
#[cfg(feature = "extras")]
mod bench;
mod best_move;
#[cfg(feature = "extras")]
mod book;
mod capacity;
mod check_ai;
mod client;
mod completions;
mod config;
mod config_file;
mod convert;
mod extras;
mod failure;
mod file_change;
#[cfg(feature = "extras")]
mod fleet;
#[cfg(feature = "extras")]
mod fleet_name;
mod grants;
mod import_notes;
mod input;
mod local_search;
mod manual;
mod mcp;
mod new_ai;
#[cfg(feature = "extras")]
mod node;
mod output;
mod perft;
#[cfg(feature = "extras")]
mod play_match;
#[cfg(feature = "extras")]
mod player;
mod reload;
mod remove;
mod replay;
mod report;
#[cfg(feature = "extras")]
mod rollout;
mod serve;
mod signals;
mod start;
mod target;
#[cfg(feature = "extras")]
mod uci;
mod worker;

use std::{
    fmt::Write as _,
    process::{ExitCode, Termination},
};

use clap::{CommandFactory as _, Parser, Subcommand};

use self::failure::{ErrorForm, Failure};
use crate::log;

/// The examples of `rookery --help`: arguments, and what they do.
const EXAMPLES: &[(&str, &str)] = &[
    ("serve", "run the server on 127.0.0.1:8080"),
    #[cfg(feature = "extras")]
    (
        "node --nats nats://127.0.0.1:4222",
        "offer the AIs of this machine to servers",
    ),
    ("reload", "apply a changed configuration to running servers"),
    (
        "best-move --depth 6",
        "search the start position, without a server",
    ),
    (
        "best-move --moves e2e4 e7e5 --json",
        "the same after two moves, as JSON",
    ),
    (
        "report game.pgn --pgn",
        "judge every move of a game, and say why",
    ),
    ("replay request.json", "ask a served request again"),
    ("ais", "list the AIs of the configuration"),
    #[cfg(feature = "extras")]
    ("uci --ai basic1", "run an AI as a UCI engine"),
    #[cfg(feature = "mcp")]
    ("mcp", "tools for an assistant that starts this command"),
    #[cfg(feature = "extras")]
    (
        "match basic1 quick --games 100",
        "measure the difference in Elo between two AIs or libraries",
    ),
    #[cfg(feature = "extras")]
    ("book make games.pgn --out book.bin", "make an opening book"),
    ("new-ai mine", "create a new AI"),
    ("check-ai target/release/libmine.so", "examine an AI"),
    ("add ./engine.py", "serve an AI, a UCI engine or a script"),
    (
        "config check --config my.toml",
        "report all errors of a configuration",
    ),
    (
        "client add bob",
        "create a client's key and its configuration",
    ),
    (
        "convert games.pgn --to fen",
        "convert games to another format",
    ),
    ("perft --depth 5 --divide", "count move paths"),
    #[cfg(feature = "extras")]
    (
        "bench --ai basic1",
        "count the nodes of an AI in fixed positions",
    ),
];

fn examples() -> String {
    let mut text = "Examples:\n".to_owned();
    for (arguments, meaning) in EXAMPLES {
        let _ = writeln!(text, "  rookery {arguments:<34} {meaning}");
    }
    text + "\nExit status: 0 success, 1 failure, 2 wrong usage or configuration."
}

#[derive(Debug, Parser)]
#[command(
    name = "rookery",
    version,
    about = "Runs any chess AI, yours or Stockfish, behind one API and one board, safely",
    after_help = examples()
)]
struct CommandLine {
    #[command(subcommand)]
    command: RookeryCommand,
}

#[derive(Debug, Subcommand)]
enum RookeryCommand {
    /// Run the server
    #[command(after_help = "\
Example:
  rookery serve --config config/rookery.toml --listen 127.0.0.1:0")]
    Serve(serve::Serve),
    #[cfg(feature = "extras")]
    /// Offer the AIs of this machine to servers, over NATS
    #[command(after_help = "\
Examples:
  rookery node --nats nats://127.0.0.1:4222
  rookery node --config node.toml            with `nats`, `name` and `credentials_file` in its \
[fleet]

A server with the same `nats` in its [fleet] serves each AI as ID if its `nodes` lists this node, \
or as NAME-ID if its `guests` does. At SIGTERM or SIGINT the node takes no more jobs, finishes \
those that run, and exits; at a second signal it exits at once.")]
    Node(node::RunNode),
    #[cfg(feature = "extras")]
    /// Look at a fleet, and set it up
    #[command(subcommand)]
    Fleet(fleet::FleetCommand),
    /// Apply changed configuration and libraries to running servers
    #[command(after_help = "\
Examples:
  rookery reload                     every server of this user with the configuration that is found
  rookery reload --config my.toml --json

Each server reads the configuration and every library again, starts new and changed AIs beside the \
running ones, runs a smoke test of each, and then switches at once without losing a request. If \
anything fails, it reports the errors and keeps the current configuration. A file with no AI or no \
client any more, or that ends within a section that was there before, is applied only with \
--allow-empty: it may be half-written.

Exit status: 0 applied, 1 no server answered, 2 errors in the configuration or its AIs.")]
    Reload(reload::ReloadServers),
    /// Check or show a configuration
    #[command(subcommand)]
    Config(config::ConfigCommand),
    /// Serve an AI: a library, a UCI engine or a script
    #[command(after_help = "\
Examples:
  rookery add /usr/games/stockfish
  rookery add ./sunfish.py --id sunfish      Python of its virtual environment, or of the system
  rookery add ./libmine.so
  rookery add -- python3 -u engine.py --fast
  rookery add ./engine --allow-read ~/nets   what is not in its own folder needs a flag
  rookery add ./lc0 --limit nodes=1 --bind   one node a move, whatever a program asks for

The AI plays a few moves in its sandbox, which shows what it needs. Then its [ai.ID] is written, \
the file's comments kept, and running servers of this user apply it. For an id that exists, its \
section is updated; other keys stay.

Exit status: 0 added, 1 the AI cannot play, 2 wrong usage or configuration.")]
    Add(add::AddAi),
    /// Serve an AI no more: remove its section from the configuration
    #[command(after_help = "\
Example:
  rookery remove sunfish")]
    Remove(remove::RemoveAi),
    #[cfg(feature = "extras")]
    /// Look at the candidates of AIs, and promote or abort one
    #[command(after_help = "\
Examples:
  rookery rollout                            what running servers know of every candidate
  rookery rollout bob --json > bob.json      with the requests that made it fail
  rookery replay bob.json                    asks them again
  rookery rollout promote bob                the candidate of [ai.bob] takes its place
  rookery rollout promote bob --despite strength
  rookery rollout abort bob                  [ai.bob] has no candidate any more

A candidate is promoted if it has answered enough requests, has no fault that the AI does not \
have, is not slower and not weaker. Each --despite overrides one of these reasons, which the \
server logs. Both commands write the configuration, keep a copy of it beside it and let running \
servers reload.

Exit status: 0 done, 1 not promoted or no server answered, 2 wrong usage or configuration.")]
    Rollout(rollout::RolloutCommand),
    /// List the AIs of a configuration, their versions, options and states
    #[command(after_help = "\
Examples:
  rookery ais --json
  rookery ais pin                            print lines that pin each library to its current \
bytes")]
    Ais(ais::ListAis),
    /// Search for a move, without a server
    #[command(after_help = "\
Examples:
  rookery best-move --ai basic1 --movetime-ms 500
  rookery best-move --fen '8/8/8/4k3/8/8/4P3/4K3 w - - 0 1' --moves e2e4 --nodes 100000 --json")]
    BestMove(best_move::BestMove),
    /// Judge every move of games and say why it is good or bad
    #[command(after_help = "\
Examples:
  rookery report game.pgn --ai nnue1 --depth 12
  rookery report games.pgn --pgn > judged.pgn        with glyphs, comments and evaluations
  rookery report - --json < game.pgn                 the reply of POST /v1/report for each game

Reads every format that `rookery convert` reads. The table lists the moves judged bad and the \
moves with a claim. With --pgn, each claim is written as a sentence and as a command, such as \
[%why hangs_piece piece=knight square=c6 …]. Other programs keep the command. The claims of an \
earlier report are replaced.

Exit status: 0 all judged, 1 an AI failed or a game is invalid, 2 wrong usage or configuration.")]
    Report(report::ReportGames),
    /// Ask a served request again and compare the answers
    #[command(after_help = "\
Examples:
  curl -s -H 'Authorization: Bearer KEY' localhost:8080/v1/requests/ID > request.json
  rookery replay request.json --config my.toml
  rookery replay request.json --trace --ai other

The server keeps requests if its configuration has `replay_kb` in [server]; an administrator's key \
reads them. The request is asked with the limits of then and this configuration's AI. The output \
shows the served answer, the new one, their differences, whether the AI's fingerprint or options \
have changed since, and why results may vary.

Exit status: 0 the same answer or none of then, 1 another answer, 2 wrong usage, file or \
configuration.")]
    Replay(replay::Replay),
    #[cfg(feature = "extras")]
    /// Run an AI as a UCI engine
    #[command(after_help = "\
Examples:
  rookery uci --ai basic1                    the command for a chess program
  printf 'go depth 4\\n' | rookery uci        by hand; ends at `quit` or end of input")]
    Uci(uci::RunUci),
    /// Offer chess tools to an assistant, over the Model Context Protocol
    #[command(after_help = "\
Example:
  rookery mcp --config my.toml               the command for an assistant, which starts it

Reads and writes messages on standard input and output until its end. A server offers the same \
tools at /mcp if its configuration has `enabled = true` in [mcp].")]
    Mcp(mcp::RunMcp),
    #[cfg(feature = "extras")]
    /// Play AIs and UCI engines against each other and rate them
    #[command(after_help = "\
Examples:
  rookery match basic1 quick --games 200 --nodes 20000 --concurrency 2 --pgn games.pgn
  rookery match basic1 basic1,quiescence=false --games 2000 --tc 1+0.1 --sprt 0,10
  rookery match new.so old.so --tc 1+0.1 --sprt 0,10   two versions of a library, without a \
configuration
  rookery match basic1 quick /usr/games/stockfish,skill_level=0 --games 20 --movetime-ms 50
  rookery match basic1 --gauntlet --games 40 --movetime-ms 100
  rookery match basic1 --gauntlet --steps 1900,2300 --anchor gnuchess=2661 --games 100 --tc 10+0.1
  rookery match basic1 quick --games 400 --nodes 20000 --openings book.bin --book-plies 10
  rookery match ./new.so ./old.so --tc 8+0.08 --sprt 0,5 --pgn match.pgn --fleet   on the nodes of \
          the [fleet]

Exit status: 0 done, 1 failure, 2 wrong usage or configuration. With --sprt the status is the \
verdict: 0 accepted (the first player is better by elo1), 3 rejected (only by elo0), 4 undecided. \
With --fail-on-fault a fault outweighs the verdict.")]
    Match(play_match::PlayMatch),
    #[cfg(feature = "extras")]
    /// Show, run and copy an arena: an endless tournament
    #[command(after_help = "\
Examples:
  rookery serve --arena arena.db             a server with an arena, which plays while no client \
asks an AI
  rookery arena --arena arena.db             its ladder
  rookery arena run --pairs 100              play 100 pairs of games on all cores, without a server
  rookery arena player 7                     a player's record
  rookery arena export > games.pgn
  rookery arena import match.pgn             games of `rookery match --pgn match.pgn`
  rookery arena backup copy.db               while the arena runs")]
    Arena(arena::ArenaCommand),
    #[cfg(feature = "extras")]
    /// Make, show and check opening books in Polyglot's format
    #[command(subcommand)]
    Book(book::BookCommand),
    /// Create the folder of a new AI, ready to build
    #[command(after_help = "\
Examples:
  rookery new-ai mine                an AI with its own search
  rookery new-ai mine --evaluator    an AI that only evaluates; the host searches
  rookery new-ai mine --lang python  an AI in Python, C (c), C++ (cpp) or Rust (rust)")]
    NewAi(new_ai::CreateNewAi),
    /// Examine an AI: run each check of the contract in its own process
    #[command(after_help = "\
Examples:
  rookery check-ai target/release/libmine.so
  rookery check-ai target/release/libmine.so --only moves --only fuzz.games --seed 7
  rookery check-ai target/release/libmine.so --sandbox best-effort --threads 100 --memory-mb 2048
  rookery check-ai target/release/libmine.so --request request.json
  rookery check-ai -- python3 -u engine.py   a UCI engine, by its command, within a minute
  rookery check-ai --full ./engine           a UCI engine with every check
  rookery check-ai --list            list the checks

request.json can have fen, moves, limits, clocks, root_moves, lines, trace_nodes, analysis and \
ponder_hit_ms, such as
  {\"moves\": [\"e2e4\"], \"limits\": {\"depth\": 4, \"hard_ms\": 500}, \"clocks\": \
{\"remaining_ms\": [60000, 60000]}}

The AI runs in the sandbox that a server uses without any keys in its [ai.ID]. If the kernel \
cannot enforce it, each check fails with what is missing.

A failure shows the end of what the AI has printed since its last request began. A server logs \
what an AI prints at the level debug only.

Exit status: 0 if no check failed or crashed, otherwise 1; warnings do not count.")]
    CheckAi(check_ai::CheckAi),
    /// Manage clients
    #[command(subcommand)]
    Client(client::ClientCommand),
    /// Convert games from one format to another
    #[command(after_help = "\
Examples:
  rookery convert games.pgn --to uci                 one game per line
  rookery convert games.pgn --game 2 --to svg > 2.svg
  echo 'e2e4 e7e5 g1f3' | rookery convert --to text
  zstdcat games.pgn.zst | rookery convert --from pgn --to uci --null-moves cut
  rookery convert page.html --turn white --to fen    a page of 2014 does not name the side to move
  rookery convert partien.pgn --language de --to pgn  Sf3 becomes Nf3
  rookery convert --report collection/*.pgn          what is read, noted and refused

Invalid games are reported with game, line and column; the others are converted. What the reader \
accepts although it should be different is noted by kind, and so are parts of a game that the \
format cannot hold. Files of FEN, EPD, PGN, UCI and SAN may have any size: games are read, \
converted on all processors and written in order. Texts are UTF-8, UTF-16 with a byte order mark, \
or Windows-1252. Moves of PGN may be in UCI notation.

Exit status: 0 all converted, 1 some games invalid, 2 wrong usage.")]
    Convert(convert::ConvertGames),
    /// Count legal move paths (perft)
    #[command(after_help = "\
Examples:
  rookery perft --depth 4 --divide --fen 'r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R \
w KQkq - 0 1'
  rookery perft --suite perftsuite.epd --depth 5

A line of a suite is a position with counts, such as '4k3/8/8/8/8/8/8/4K2R w K - 0 1 ;D1 15 ;D2 \
66'. Lines with `epd` and a position and then lines such as `perft 1 15` are another form. Lines \
that begin with # are comments.

Exit status: 0 done, 1 a count of the suite differs, 2 wrong usage or suite.")]
    Perft(perft::RunPerft),
    #[cfg(feature = "extras")]
    /// Search fixed positions with an AI: nodes, time and speed
    #[command(after_help = "\
Examples:
  rookery bench --ai basic1 --depth 8
  rookery bench --ai basic1,null_move=false --json
  rookery bench --ai /usr/games/stockfish --nodes 100000

Each of 50 positions is a game of its own. The number of nodes is a signature of AIs that are \
repeatable: it changes only with the search. Time and speed include the way to the worker and \
back.")]
    Bench(bench::Bench),
    /// Print a script that completes the command's arguments in a shell
    #[command(after_help = "\
Examples:
  rookery completions bash >~/.local/share/bash-completion/completions/rookery
  rookery completions fish >~/.config/fish/completions/rookery.fish
  rookery completions zsh >~/.zfunc/_rookery     with fpath+=~/.zfunc before compinit in ~/.zshrc

The Debian package installs those of these shells.")]
    Completions(completions::PrintCompletions),
    /// Write the manual pages, for packages
    #[command(hide = true)]
    Man(manual::WriteManual),
    /// Run one AI for the server that started this process
    #[command(hide = true)]
    Worker(worker::RunWorker),
}

/// Parses the command line, runs the command and returns its exit status.
pub(crate) fn run() -> ExitCode {
    if let Some(worker) = worker::RunWorker::from_arguments() {
        return exit_code(worker.run(), ErrorForm::Text);
    }
    let form = ErrorForm::of_arguments();
    let words = target::with_separator(&CommandLine::command(), std::env::args_os().collect());
    let command = match CommandLine::try_parse_from(words) {
        Ok(CommandLine { command }) => command,
        Err(error) if error.use_stderr() && form == ErrorForm::Json => {
            return Failure::of_arguments(&error).report(form);
        }
        Err(error) => error.exit(),
    };
    let status = exit_code(command.run(), form);
    log::finish();
    status
}

impl RookeryCommand {
    /// Runs the command and returns its exit status.
    fn run(self) -> Result<ExitCode, Failure> {
        match self {
            Self::Worker(command) => command.run(),
            Self::Serve(command) => command.run(),
            #[cfg(feature = "extras")]
            Self::Node(command) => command.run(),
            #[cfg(feature = "extras")]
            Self::Fleet(command) => command.run(),
            Self::Reload(command) => command.run(),
            Self::Config(command) => command.run(),
            Self::Add(command) => command.run(),
            #[cfg(feature = "extras")]
            Self::Rollout(command) => command.run(),
            Self::Remove(command) => command.run(),
            Self::Ais(command) => command.run(),
            Self::BestMove(command) => command.run(),
            Self::Report(command) => command.run(),
            Self::Replay(command) => command.run(),
            #[cfg(feature = "extras")]
            Self::Uci(command) => command.run(),
            Self::Mcp(command) => command.run(),
            // Its status may be a verdict.
            #[cfg(feature = "extras")]
            Self::Match(command) => return command.run(),
            #[cfg(feature = "extras")]
            Self::Arena(command) => command.run(),
            #[cfg(feature = "extras")]
            Self::Book(command) => command.run(),
            Self::NewAi(command) => command.run(),
            Self::CheckAi(command) => command.run(),
            Self::Client(command) => command.run(),
            Self::Convert(command) => command.run(),
            Self::Perft(command) => command.run(),
            #[cfg(feature = "extras")]
            Self::Bench(command) => command.run(),
            Self::Completions(command) => command.run(CommandLine::command()),
            Self::Man(command) => command.run(CommandLine::command()),
        }?;
        Ok(ExitCode::SUCCESS)
    }
}

fn exit_code(result: Result<impl Termination, Failure>, form: ErrorForm) -> ExitCode {
    result.map_or_else(|failure| failure.report(form), Termination::report)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_line_is_consistent() {
        CommandLine::command().debug_assert();
    }

    /// Returns the commands below this one that have no `--json`.
    fn without_json(command: &clap::Command, path: &str, names: &mut Vec<String>) {
        if command.get_subcommands().next().is_none()
            && command
                .get_arguments()
                .all(|argument| argument.get_id() != "json")
        {
            names.push(path.trim_start().to_owned());
        }
        let visible = command
            .get_subcommands()
            .filter(|command| !command.is_hide_set());
        for subcommand in visible.filter(|command| command.get_name() != "help") {
            without_json(
                subcommand,
                &format!("{path} {}", subcommand.get_name()),
                names,
            );
        }
    }

    #[test]
    fn every_command_has_json_but_those_that_readme_names() {
        let mut command = CommandLine::command();
        // With global arguments.
        command.build();
        let mut names = Vec::new();
        without_json(&command, "", &mut names);
        let expected = [
            "serve",
            "node",
            "fleet permissions",
            "uci",
            "mcp",
            "book make",
            "completions",
        ];
        assert_eq!(names, expected);
        let readme = include_str!("../../README.md");
        assert!(
            names
                .iter()
                .all(|name| readme.contains(&format!("`{name}`"))),
            "{names:?}"
        );
    }
}
