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
mod runtime;
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

/// The examples in `rookery --help`: arguments, and what they do.
const EXAMPLES: &[(&str, &str)] = &[
    ("serve", "run the server on 127.0.0.1:8080"),
    #[cfg(feature = "extras")]
    (
        "node --nats nats://127.0.0.1:4222",
        "offer this machine's AIs to servers",
    ),
    ("reload", "apply a changed configuration"),
    ("best-move --depth 6", "search the start position"),
    (
        "best-move --moves e2e4 e7e5 --json",
        "search after two moves, print JSON",
    ),
    ("report game.pgn --pgn", "annotate a game"),
    ("replay request.json", "repeat a served request"),
    ("ais", "list AIs"),
    #[cfg(feature = "extras")]
    ("uci --ai basic1", "run an AI as a UCI engine"),
    #[cfg(feature = "mcp")]
    ("mcp", "offer chess tools to an assistant"),
    #[cfg(feature = "extras")]
    (
        "match basic1 quick --games 100",
        "measure the Elo difference of two AIs",
    ),
    #[cfg(feature = "extras")]
    ("book make games.pgn --out book.bin", "make an opening book"),
    ("new-ai mine", "create a new AI"),
    ("check-ai target/release/libmine.so", "check an AI"),
    ("add ./engine.py", "serve an AI, engine or script"),
    ("config check --config my.toml", "check a configuration"),
    ("client add bob", "create a client with a key"),
    ("convert games.pgn --to fen", "convert games"),
    ("perft --depth 5 --divide", "count legal move paths"),
    #[cfg(feature = "extras")]
    ("bench --ai basic1", "measure nodes and speed"),
];

fn examples() -> String {
    let mut text = "Examples:\n".to_owned();
    for (arguments, meaning) in EXAMPLES {
        let _ = writeln!(text, "  rookery {arguments:<34} {meaning}");
    }
    text + "\nExit status: 0 success, 1 failure, 2 wrong arguments or configuration."
}

#[derive(Debug, Parser)]
#[command(
    name = "rookery",
    version,
    about = "Serve chess AIs behind one API and one board",
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
    /// Offer AIs to servers over NATS
    #[command(after_help = "\
Examples:
  rookery node --nats nats://127.0.0.1:4222
  rookery node --config node.toml            use `nats` and `name` in [fleet] of node.toml

A server with the same `nats` serves each AI as ID if its `nodes` lists this node, or as NAME-ID \
if its `guests` does. On the first SIGTERM or SIGINT, the node stops taking jobs, finishes the \
running ones and exits. On the second, it exits at once.")]
    Node(node::RunNode),
    #[cfg(feature = "extras")]
    /// Inspect and set up a fleet
    #[command(subcommand)]
    Fleet(fleet::FleetCommand),
    /// Reload running servers
    #[command(after_help = "\
Examples:
  rookery reload
  rookery reload --config my.toml --json

Reloads every server of this user that runs this configuration. Each server reads the \
configuration and the libraries again, starts new and changed AIs, and tests each one. Then it \
switches to them without losing a request. If anything fails, it reports the errors and keeps the \
current configuration. A file without AIs or clients, or one that ends in the middle of a section, \
may be half-written. Servers apply it only with --allow-empty.

Exit status: 0 applied, 1 no server answered, 2 errors in the configuration or its AIs.")]
    Reload(reload::ReloadServers),
    /// Check or show a configuration
    #[command(subcommand)]
    Config(config::ConfigCommand),
    /// Serve an AI, engine or script
    #[command(after_help = "\
Examples:
  rookery add /usr/games/stockfish
  rookery add ./sunfish.py --id sunfish      use the Python of its virtual environment
  rookery add ./libmine.so
  rookery add -- python3 -u engine.py --fast
  rookery add ./engine --allow-read ~/nets   grant a folder outside the engine's folder
  rookery add ./lc0 --limit nodes=1 --bind   search one node per move

The AI plays a few moves in its sandbox, which shows what it needs. Then the command writes its \
[ai.ID] and reloads your running servers. It keeps the file's comments. If the ID exists, the \
command updates its section and keeps other keys.

Exit status: 0 added, 1 the AI cannot play, 2 wrong arguments or configuration.")]
    Add(add::AddAi),
    /// Stop serving an AI
    #[command(after_help = "\
Example:
  rookery remove sunfish

Removes its [ai.ID] from the configuration and reloads your running servers.")]
    Remove(remove::RemoveAi),
    #[cfg(feature = "extras")]
    /// Show, promote or abort candidates
    #[command(after_help = "\
Examples:
  rookery rollout                            show every candidate
  rookery rollout bob --json > bob.json      include the requests that failed
  rookery replay bob.json                    repeat them
  rookery rollout promote bob                replace bob with its candidate
  rookery rollout promote bob --despite strength
  rookery rollout abort bob                  remove the candidate of bob

A candidate can be promoted after it has answered enough requests, if it has no new faults and is \
neither slower nor weaker. Each --despite overrides one reason, and the servers log it. `promote` \
and `abort` change the configuration, keep a copy of the old file next to it and reload your \
running servers.

Exit status: 0 done, 1 not promoted or no server answered, 2 wrong arguments or configuration.")]
    Rollout(rollout::RolloutCommand),
    /// List AIs
    #[command(after_help = "\
Examples:
  rookery ais --json
  rookery ais pin                            print lines that pin each library

Shows the name, version, options and state of each AI in the configuration.")]
    Ais(ais::ListAis),
    /// Find the best move
    #[command(after_help = "\
Examples:
  rookery best-move --ai basic1 --movetime-ms 500
  rookery best-move --fen '8/8/8/4k3/8/8/4P3/4K3 w - - 0 1' --moves e2e4 --nodes 100000 --json")]
    BestMove(best_move::BestMove),
    /// Annotate games
    #[command(after_help = "\
Examples:
  rookery report game.pgn --ai nnue1 --depth 12
  rookery report games.pgn --pgn > judged.pgn
  rookery report - --json < game.pgn

Judges every move and explains it with claims. Reads every format that `rookery convert` reads. \
The table lists bad moves and moves with claims. With --pgn, each claim becomes a sentence and a \
command, such as [%why hangs_piece piece=knight square=c6 …], which other programs keep. A new \
report replaces the claims of an earlier one.

Exit status: 0 all judged, 1 an AI failed or a game is invalid, 2 wrong arguments or \
configuration.")]
    Report(report::ReportGames),
    /// Repeat a served request
    #[command(after_help = "\
Examples:
  curl -s -H 'Authorization: Bearer KEY' localhost:8080/v1/requests/ID > request.json
  rookery replay request.json --config my.toml
  rookery replay request.json --trace --ai other

A server keeps requests if `replay_kb` in [server] allows it. Reading them takes an \
administrator's key. The command uses the limits of the original request and the AI of this \
configuration. It compares both answers and shows whether the AI has changed, and why results may \
vary.

Exit status: 0 the same answer or no original answer, 1 a different answer, 2 wrong arguments, \
file or configuration.")]
    Replay(replay::Replay),
    #[cfg(feature = "extras")]
    /// Run an AI as a UCI engine
    #[command(after_help = "\
Examples:
  rookery uci --ai basic1
  printf 'go depth 4\\n' | rookery uci

Enter the first command in your chess program. It runs until `quit` or the end of its input.")]
    Uci(uci::RunUci),
    /// Offer tools to an assistant (MCP)
    #[command(after_help = "\
Example:
  rookery mcp --config my.toml

Enter this command in your assistant. It speaks the Model Context Protocol on standard input and \
output. A server offers the same tools at /mcp if [mcp] has `enabled = true`.")]
    Mcp(mcp::RunMcp),
    #[cfg(feature = "extras")]
    /// Play matches and measure Elo
    #[command(after_help = "\
Examples:
  rookery match basic1 quick --games 200 --nodes 20000 --concurrency 2 --pgn games.pgn
  rookery match basic1 basic1,quiescence=false --games 2000 --tc 1+0.1 --sprt 0,10
  rookery match new.so old.so --tc 1+0.1 --sprt 0,10
  rookery match basic1 quick /usr/games/stockfish,skill_level=0 --games 20 --movetime-ms 50
  rookery match basic1 --gauntlet --games 40 --movetime-ms 100
  rookery match basic1 --gauntlet --steps 1900,2300 --anchor gnuchess=2661 --games 100 --tc 10+0.1
  rookery match basic1 quick --games 400 --nodes 20000 --openings book.bin --book-plies 10
  rookery match new.so old.so --tc 8+0.08 --sprt 0,5 --pgn match.pgn --fleet

Exit status: 0 done, 1 failure, 2 wrong arguments or configuration. With --sprt, the status is the \
verdict: 0 accepted (the first player is better by elo1), 3 rejected (only by elo0), 4 undecided. \
With --fail-on-fault, any fault gives status 1.")]
    Match(play_match::PlayMatch),
    #[cfg(feature = "extras")]
    /// Show, run and copy an arena
    #[command(after_help = "\
Examples:
  rookery serve --arena arena.db             run a server with an arena
  rookery arena --arena arena.db             show its ladder
  rookery arena run --pairs 100              play 100 pairs of games without a server
  rookery arena player 7                     show a player's record
  rookery arena export > games.pgn
  rookery arena import match.pgn             add games of `rookery match --pgn match.pgn`
  rookery arena backup copy.db

An arena is an endless tournament between a server's AIs. It plays while no client uses an AI.")]
    Arena(arena::ArenaCommand),
    #[cfg(feature = "extras")]
    /// Make and inspect opening books
    #[command(subcommand)]
    Book(book::BookCommand),
    /// Create an AI
    #[command(after_help = "\
Examples:
  rookery new-ai mine                an AI that searches
  rookery new-ai mine --evaluator    an AI that evaluates while Rookery searches
  rookery new-ai mine --lang python

Writes a folder that is ready to build.")]
    NewAi(new_ai::CreateNewAi),
    /// Check an AI
    #[command(after_help = "\
Examples:
  rookery check-ai target/release/libmine.so
  rookery check-ai target/release/libmine.so --only moves --only fuzz.games --seed 7
  rookery check-ai target/release/libmine.so --sandbox best-effort --threads 100 --memory-mb 2048
  rookery check-ai target/release/libmine.so --request request.json
  rookery check-ai -- python3 -u engine.py   check a UCI engine within a minute
  rookery check-ai --full ./engine           run every check of a UCI engine
  rookery check-ai --list                    list the checks

Runs each check of the contract in a separate process. request.json can contain fen, moves, \
limits, clocks, root_moves, lines, trace_nodes, analysis and ponder_hit_ms, such as
  {\"moves\": [\"e2e4\"], \"limits\": {\"depth\": 4, \"hard_ms\": 500}, \"clocks\": \
{\"remaining_ms\": [60000, 60000]}}

The AI runs in a server's default sandbox. If the kernel cannot enforce it, each check fails and \
names what is missing.

A failure shows the end of what the AI printed during its last request. Servers log what an AI \
prints at level debug.

Exit status: 0 if no check failed or crashed, otherwise 1. Warnings do not count.")]
    CheckAi(check_ai::CheckAi),
    /// Manage clients
    #[command(subcommand)]
    Client(client::ClientCommand),
    /// Convert games
    #[command(after_help = "\
Examples:
  rookery convert games.pgn --to uci                 one game per line
  rookery convert games.pgn --game 2 --to svg > 2.svg
  echo 'e2e4 e7e5 g1f3' | rookery convert --to text
  zstdcat games.pgn.zst | rookery convert --from pgn --to uci --null-moves cut
  rookery convert page.html --turn white --to fen    for a page without the side to move
  rookery convert partien.pgn --language de --to pgn Sf3 becomes Nf3
  rookery convert --report collection/*.pgn          count games, notes and errors

Converts the valid games and reports each invalid one with its game, line and column. Notes count \
deviations that the reader accepts, and parts of games that the format cannot hold. Files of FEN, \
EPD, PGN, UCI and SAN may have any size. Texts are UTF-8, UTF-16 with a byte order mark, or \
Windows-1252. PGN may contain moves in UCI notation.

Exit status: 0 all converted, 1 some games invalid, 2 wrong arguments.")]
    Convert(convert::ConvertGames),
    /// Count legal move paths (perft)
    #[command(after_help = "\
Examples:
  rookery perft --depth 4 --divide --fen 'r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R \
w KQkq - 0 1'
  rookery perft --suite perftsuite.epd --depth 5

Each line of a suite is a position with counts, such as '4k3/8/8/8/8/8/8/4K2R w K - 0 1 ;D1 15 \
;D2 66'. A suite may instead have a line `epd` with the position and lines such as `perft 1 15`. \
Lines that begin with # are comments.

Exit status: 0 done, 1 a count differs from the suite, 2 wrong arguments or suite.")]
    Perft(perft::RunPerft),
    #[cfg(feature = "extras")]
    /// Measure nodes and speed
    #[command(after_help = "\
Examples:
  rookery bench --ai basic1 --depth 8
  rookery bench --ai basic1,null_move=false --json
  rookery bench --ai /usr/games/stockfish --nodes 100000

Searches 50 fixed positions, each as a new game. The node count of a repeatable AI changes only \
when its search does. The time includes sending each request to the worker and back.")]
    Bench(bench::Bench),
    /// Print shell completions
    #[command(after_help = "\
Examples:
  rookery completions bash >~/.local/share/bash-completion/completions/rookery
  rookery completions fish >~/.config/fish/completions/rookery.fish
  rookery completions zsh >~/.zfunc/_rookery     put fpath+=~/.zfunc before compinit in ~/.zshrc

The Debian package installs the completions of these shells.")]
    Completions(completions::PrintCompletions),
    /// Write the manual pages
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
            // The exit status of a match can be its verdict.
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

    /// Adds the names of this command and the commands below it that lack `--json`.
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
    fn all_but_the_listed_commands_support_json() {
        let mut command = CommandLine::command();
        // Adds the global arguments.
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
    }
}
