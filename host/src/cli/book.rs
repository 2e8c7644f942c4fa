//! `rookery book`.

mod check;
mod explore;
pub(super) mod file;
mod make;
mod show;

use clap::Subcommand;

use crate::cli::failure::Failure;

#[derive(Debug, Subcommand)]
pub(super) enum BookCommand {
    /// Make a Polyglot book from games, or from the play of an AI
    #[command(after_help = "\
Examples:
  rookery book make games.pgn --out book.bin                     moves of three or more games
  rookery book make 2024.pgn 2025.pgn --out wins.bin --points 1,0,0 --min-games 20
  zstdcat games.pgn.zst | rookery book make - --out book.bin --plies 16
  rookery book make --ai basic1 --out basic1.bin --depth 8       the best moves of an AI

The weight of a move is the sum of its points. A move without a point is not in the book.

With --ai the AI searches the start position, then each position after the moves that it found, \
and so on. A move weighs 1 more for each centipawn that it is better than the margin. The same AI \
and limits make the same book.

Exit status: 0 done, 1 some games invalid (the book has the others), 2 wrong usage or \
configuration.")]
    Make(make::MakeBook),
    /// Show the moves of a Polyglot book in a position
    #[command(after_help = "\
Examples:
  rookery book show book.bin
  rookery book show book.bin --moves e2e4 c7c5
  rookery book show book.bin --fen '8/8/8/4k3/8/8/4P3/4K3 w - - 0 1' --json")]
    Show(show::ShowBook),
    /// Check a Polyglot book: the order of its entries, repeated moves, and illegal moves that play
    /// from the start reaches
    #[command(after_help = "\
Examples:
  rookery book check book.bin
  rookery book check book.bin --json

Exit status: 0 correct, 1 not, 2 not a book.")]
    Check(check::CheckBook),
}

impl BookCommand {
    pub(super) fn run(self) -> Result<(), Failure> {
        match self {
            Self::Make(command) => command.run(),
            Self::Show(command) => command.run(),
            Self::Check(command) => command.run(),
        }
    }
}
