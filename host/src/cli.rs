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
mod serve;
mod signals;
mod start;
mod target;
#[cfg(feature = "extras")]
mod uci;
mod worker;

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser, Subcommand};

use self::failure::{ErrorForm, Failure};
use crate::log;

#[derive(Debug, Parser)]
#[command(
    name = "rookery",
    version,
    about = "Runs any chess AI, yours or Stockfish, behind one API and one board, safely",
    after_help = "Examples:\n  rookery serve                              run the server on \
        127.0.0.1:8080\n  rookery node --nats nats://127.0.0.1:4222  offer the AIs of this machine \
        to servers\n  rookery reload                             apply a changed configuration to \
        running servers\n  rookery best-move --depth 6                search the start position, \
        without a server\n  rookery best-move --moves e2e4 e7e5 --json the same after two moves, \
        as JSON\n  rookery replay request.json                ask a served request again\n  \
        rookery ais                                list the AIs of the configuration\n  rookery \
        uci --ai basic1                    run an AI as a UCI engine\n  rookery mcp                                \
        tools for an assistant that starts this command\n  rookery match basic1 quick --games 100     \
        measure the difference in Elo between two AIs or libraries\n  rookery book make games.pgn \
        --out book.bin make an opening book\n  rookery new-ai mine                        create a \
        new AI\n  rookery check-ai target/release/libmine.so examine an AI\n  rookery add \
        ./engine.py                    serve an AI, a UCI engine or a script\n  rookery config \
        check --config my.toml      report all errors of a configuration\n  rookery client add bob                     \
        create a client's key and its configuration\n  rookery convert games.pgn --to fen         \
        convert games to another format\n  rookery perft --depth 5 --divide           count move \
        paths\n  rookery bench --ai basic1                  count the nodes of an AI in fixed \
        positions\n\nExit status: 0 success, 1 failure, 2 wrong usage or configuration."
)]
struct CommandLine {
    #[command(subcommand)]
    command: RookeryCommand,
}

#[derive(Debug, Subcommand)]
#[cfg_attr(
    not(feature = "extras"),
    expect(clippy::large_enum_variant, reason = "there is one value of it")
)]
enum RookeryCommand {
    /// Run the server
    #[command(
        after_help = "Example:\n  rookery serve --config config/rookery.toml --listen 127.0.0.1:0"
    )]
    Serve(serve::Serve),
    #[cfg(feature = "extras")]
    /// Offer the AIs of this machine to servers, over NATS
    #[command(
        after_help = "Examples:\n  rookery node --nats nats://127.0.0.1:4222\n  rookery node \
        --config node.toml            with `nats`, `name` and `credentials_file` in its \
        [fleet]\n\nA server with the same `nats` in its [fleet] serves each AI as ID if its \
        `nodes` lists this node, or as NAME-ID if its `guests` does. At SIGTERM or SIGINT the node \
        takes no more jobs, finishes those that run, and exits; at a second signal it exits at \
        once."
    )]
    Node(node::RunNode),
    #[cfg(feature = "extras")]
    /// Look at a fleet, and set it up
    #[command(subcommand)]
    Fleet(fleet::FleetCommand),
    /// Apply changed configuration and libraries to running servers
    #[command(
        after_help = "Examples:\n  rookery reload                     every server of this \
        user with config/rookery.toml\n  rookery reload --config my.toml --json\n\nEach server \
        reads the configuration and every library again, starts new and changed AIs beside the \
        running ones, runs a smoke test of each, and then switches at once without losing a \
        request. If anything fails, it reports the errors and keeps the current configuration. A \
        file with no AI or no client any more, or that ends within a section that was there \
        before, is applied only with --allow-empty: it may be half-written.\n\nExit status: 0 \
        applied, 1 no server answered, 2 errors in the configuration or its AIs."
    )]
    Reload(reload::ReloadServers),
    /// Check or show a configuration
    #[command(subcommand)]
    Config(config::ConfigCommand),
    /// Serve an AI: a library, a UCI engine or a script
    #[command(
        after_help = "Examples:\n  rookery add /usr/games/stockfish\n  rookery add \
        ./sunfish.py --id sunfish      Python of its virtual environment, or of the system\n  \
        rookery add ./libmine.so\n  rookery add -- python3 -u engine.py --fast\n  rookery add \
        ./engine --allow-read ~/nets   what is not in its own folder needs a flag\n\nThe AI plays \
        a few moves in its sandbox, which shows what it needs. Then its [ai.ID] is written, the \
        file's comments kept, and running servers of this user apply it. For an id that exists, \
        its section is updated; other keys stay.\n\nExit status: 0 added, 1 the AI cannot play, 2 \
        wrong usage or configuration."
    )]
    Add(add::AddAi),
    /// Serve an AI no more: remove its section from the configuration
    #[command(after_help = "Example:\n  rookery remove sunfish")]
    Remove(remove::RemoveAi),
    /// List the AIs of a configuration, their versions, options and states
    #[command(
        after_help = "Examples:\n  rookery ais --json\n  rookery ais pin                            \
        print lines that pin each library to its current bytes"
    )]
    Ais(ais::ListAis),
    /// Search for a move, without a server
    #[command(
        after_help = "Examples:\n  rookery best-move --ai basic1 --movetime-ms 500\n  \
        rookery best-move --fen '8/8/8/4k3/8/8/4P3/4K3 w - - 0 1' --moves e2e4 --nodes 100000 \
        --json"
    )]
    BestMove(best_move::BestMove),
    /// Ask a served request again and compare the answers
    #[command(after_help = "Examples:\n  curl -s -H 'Authorization: Bearer KEY' \
        localhost:8080/v1/requests/ID > request.json\n  rookery replay request.json --config \
        my.toml\n  rookery replay request.json --trace --ai other\n\nThe server keeps requests if \
        its configuration has `replay_kb` in [server]; an administrator's key reads them. The \
        request is asked with the limits of then and this configuration's AI. The output shows the \
        served answer, the new one, their differences, whether the AI's fingerprint or options \
        have changed since, and why results may vary.\n\nExit status: 0 the same answer or none of \
        then, 1 another answer, 2 wrong usage, file or configuration.")]
    Replay(replay::Replay),
    #[cfg(feature = "extras")]
    /// Run an AI as a UCI engine
    #[command(after_help = "Examples:\n  \
        rookery uci --ai basic1                    the command for a chess program\n  \
        printf 'go depth 4\\n' | rookery uci        by hand; ends at `quit` or end of input")]
    Uci(uci::RunUci),
    /// Offer chess tools to an assistant, over the Model Context Protocol
    #[command(
        after_help = "Example:\n  rookery mcp --config my.toml               the command for \
        an assistant, which starts it\n\nReads and writes messages on standard input and output \
        until its end. A server offers the same tools at /mcp if its configuration has `enabled = \
        true` in [mcp]."
    )]
    Mcp(mcp::RunMcp),
    #[cfg(feature = "extras")]
    /// Play AIs and UCI engines against each other and rate them
    #[command(
        after_help = "Examples:\n  rookery match basic1 quick --games 200 --nodes 20000 \
        --concurrency 2 --pgn games.pgn\n  rookery match basic1 basic1,quiescence=false --games \
        2000 --tc 1+0.1 --sprt 0,10\n  rookery match new.so old.so --tc 1+0.1 --sprt 0,10   two \
        versions of a library, without a configuration\n  rookery match basic1 quick \
        /usr/games/stockfish,skill_level=0 --games 20 --movetime-ms 50\n  rookery match basic1 \
        --gauntlet --games 40 --movetime-ms 100\n  rookery match basic1 --gauntlet --steps \
        1900,2300 --anchor gnuchess=2661 --games 100 --tc 10+0.1\n  rookery match basic1 quick \
        --games 400 --nodes 20000 --openings book.bin --book-plies 10"
    )]
    Match(play_match::PlayMatch),
    #[cfg(feature = "extras")]
    /// Show, run and copy an arena: an endless tournament
    #[command(
        after_help = "Examples:\n  rookery serve --arena arena.db             a server with \
        an arena, which plays while no client asks an AI\n  rookery arena --arena arena.db             \
        its ladder\n  rookery arena run --pairs 100              play 100 pairs of games on all \
        cores, without a server\n  rookery arena player 7                     a player's record\n  \
        rookery arena export > games.pgn\n  rookery arena import match.pgn             games of \
        `rookery match --pgn match.pgn`\n  rookery arena backup copy.db               while the \
        arena runs"
    )]
    Arena(arena::ArenaCommand),
    #[cfg(feature = "extras")]
    /// Make, show and check opening books in Polyglot's format
    #[command(subcommand)]
    Book(book::BookCommand),
    /// Create the folder of a new AI, ready to build
    #[command(after_help = "Examples:\n  \
        rookery new-ai mine                an AI with its own search\n  \
        rookery new-ai mine --evaluator    an AI that only evaluates; the host searches\n  \
        rookery new-ai mine --lang python  an AI in Python, C (c), C++ (cpp) or Rust (rust)")]
    NewAi(new_ai::CreateNewAi),
    /// Examine an AI: run each check of the contract in its own process
    #[command(
        after_help = "Examples:\n  rookery check-ai target/release/libmine.so\n  rookery \
        check-ai target/release/libmine.so --only moves --only fuzz.games --seed 7\n  rookery \
        check-ai target/release/libmine.so --sandbox best-effort --threads 100 --memory-mb 2048\n  \
        rookery check-ai target/release/libmine.so --request request.json\n  rookery check-ai -- \
        python3 -u engine.py   a UCI engine, by its command, within a minute\n  rookery check-ai \
        --full ./engine           a UCI engine with every check\n  rookery check-ai --list            \
        list the checks\n\nrequest.json can have fen, moves, limits, clocks, root_moves, lines, \
        trace_nodes, analysis and ponder_hit_ms, such as\n  {\"moves\": [\"e2e4\"], \"limits\": \
        {\"depth\": 4, \"hard_ms\": 500}, \"clocks\": {\"remaining_ms\": [60000, 60000]}}\n\nThe \
        AI runs in the sandbox that a server uses without any keys in its [ai.ID]. If the kernel \
        cannot enforce it, each check fails with what is missing.\n\nA failure shows the end of \
        what the AI has printed since its last request began. A server logs what an AI prints at \
        the level debug only.\n\nExit status: 0 if no check failed or crashed, otherwise 1; \
        warnings do not count."
    )]
    CheckAi(check_ai::CheckAi),
    /// Manage clients
    #[command(subcommand)]
    Client(client::ClientCommand),
    /// Convert games from one format to another
    #[command(
        after_help = "Examples:\n  rookery convert games.pgn --to uci                 one \
        game per line\n  rookery convert games.pgn --game 2 --to svg > 2.svg\n  echo 'e2e4 e7e5 \
        g1f3' | rookery convert --to text\n  zstdcat games.pgn.zst | rookery convert --from pgn \
        --to uci --null-moves cut\n  rookery convert page.html --turn white --to fen    a page of \
        2014 does not name the side to move\n  rookery convert partien.pgn --language de --to pgn  \
        Sf3 becomes Nf3\n  rookery convert --report collection/*.pgn          what is read, noted \
        and refused\n\nInvalid games are reported with game, line and column; the others are \
        converted. What the reader accepts although it should be different is noted by kind, and \
        so are parts of a game that the format cannot hold. Files of FEN, EPD, PGN, UCI and SAN \
        may have any size: games are read, converted on all processors and written in order. Texts \
        are UTF-8, UTF-16 with a byte order mark, or Windows-1252. Moves of PGN may be in UCI \
        notation.\n\nExit status: 0 all converted, 1 some games invalid, 2 wrong usage."
    )]
    Convert(convert::ConvertGames),
    /// Count legal move paths (perft)
    #[command(after_help = "Examples:\n  rookery perft --depth 4 --divide --fen \
        'r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1'\n  rookery perft \
        --suite perftsuite.epd --depth 5\n\nA line of a suite is a position with counts, such as \
        '4k3/8/8/8/8/8/8/4K2R w K - 0 1 ;D1 15 ;D2 66'. Lines with `epd` and a position and then \
        lines such as `perft 1 15` are another form. Lines that begin with # are comments.\n\nExit \
        status: 0 done, 1 a count of the suite differs, 2 wrong usage or suite.")]
    Perft(perft::RunPerft),
    #[cfg(feature = "extras")]
    /// Search fixed positions with an AI: nodes, time and speed
    #[command(
        after_help = "Examples:\n  rookery bench --ai basic1 --depth 8\n  rookery bench --ai \
        basic1,null_move=false --json\n  rookery bench --ai /usr/games/stockfish --nodes \
        100000\n\nEach of 50 positions is a game of its own. The number of nodes is a signature of \
        AIs that are repeatable: it changes only with the search. Time and speed include the way \
        to the worker and back."
    )]
    Bench(bench::Bench),
    /// Print a script that completes the command's arguments in a shell
    #[command(after_help = "Examples:\n  rookery completions bash \
        >~/.local/share/bash-completion/completions/rookery\n  rookery completions fish \
        >~/.config/fish/completions/rookery.fish\n  rookery completions zsh >~/.zfunc/_rookery     \
        with fpath+=~/.zfunc before compinit in ~/.zshrc\n\nThe Debian package installs those of \
        these shells.")]
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
            return exit_code(Err(Failure::of_arguments(&error)), form);
        }
        Err(error) => error.exit(),
    };
    let status = exit_code(
        match command {
            RookeryCommand::Worker(command) => command.run(),
            RookeryCommand::Serve(command) => command.run(),
            #[cfg(feature = "extras")]
            RookeryCommand::Node(command) => command.run(),
            #[cfg(feature = "extras")]
            RookeryCommand::Fleet(command) => command.run(),
            RookeryCommand::Reload(command) => command.run(),
            RookeryCommand::Config(command) => command.run(),
            RookeryCommand::Add(command) => command.run(),
            RookeryCommand::Remove(command) => command.run(),
            RookeryCommand::Ais(command) => command.run(),
            RookeryCommand::BestMove(command) => command.run(),
            RookeryCommand::Replay(command) => command.run(),
            #[cfg(feature = "extras")]
            RookeryCommand::Uci(command) => command.run(),
            RookeryCommand::Mcp(command) => command.run(),
            #[cfg(feature = "extras")]
            RookeryCommand::Match(command) => command.run(),
            #[cfg(feature = "extras")]
            RookeryCommand::Arena(command) => command.run(),
            #[cfg(feature = "extras")]
            RookeryCommand::Book(command) => command.run(),
            RookeryCommand::NewAi(command) => command.run(),
            RookeryCommand::CheckAi(command) => command.run(),
            RookeryCommand::Client(command) => command.run(),
            RookeryCommand::Convert(command) => command.run(),
            RookeryCommand::Perft(command) => command.run(),
            #[cfg(feature = "extras")]
            RookeryCommand::Bench(command) => command.run(),
            RookeryCommand::Completions(command) => command.run(CommandLine::command()),
            RookeryCommand::Man(command) => command.run(CommandLine::command()),
        },
        form,
    );
    log::finish();
    status
}

fn exit_code(result: Result<(), Failure>, form: ErrorForm) -> ExitCode {
    result.map_or_else(|failure| failure.report(form), |()| ExitCode::SUCCESS)
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
