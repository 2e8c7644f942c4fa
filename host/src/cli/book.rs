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
    /// Make a book
    #[command(after_help = "\
Examples:
  rookery book make games.pgn --out book.bin
  rookery book make 2024.pgn 2025.pgn --out wins.bin --points 1,0,0 --min-games 20
  zstdcat games.pgn.zst | rookery book make - --out book.bin --plies 16
  rookery book make --ai basic1 --out basic1.bin --depth 8

Makes a Polyglot book from games or from the best moves of an AI. From games, the weight of a move \
is the sum of its points, and moves without points are left out.

With --ai, the AI searches the start position, then the positions after the moves that it found, \
and so on. Each centipawn above the margin adds 1 to the weight of a move. The same repeatable AI \
and limits make the same book.

Exit status: 0 done, 1 some games invalid (the book contains the others), 2 wrong arguments or \
configuration.")]
    Make(make::MakeBook),
    /// Show book moves
    #[command(after_help = "\
Examples:
  rookery book show book.bin
  rookery book show book.bin --moves e2e4 c7c5
  rookery book show book.bin --fen '8/8/8/4k3/8/8/4P3/4K3 w - - 0 1' --json")]
    Show(show::ShowBook),
    /// Check a book
    #[command(after_help = "\
Examples:
  rookery book check book.bin
  rookery book check book.bin --json

Finds unsorted entries, repeated moves, and illegal moves in positions that the book's moves reach \
from the start position.

Exit status: 0 correct, 1 errors in the book, 2 not a book.")]
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
