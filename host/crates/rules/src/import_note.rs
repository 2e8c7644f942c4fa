//! Faults that readers accept.

use std::fmt;

use crate::texts::words;

words! {
    /// A fault in the input that a reader accepts so as not to lose a game. The reader notes it
    /// once for each place.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum ImportNote {
        /// The game continued after a draw without a claim: material, repetition or the 75-move
        /// rule.
        WentOnAfterDraw = "went_on_after_draw",
        /// A tag's value has a quotation mark without a backslash.
        BareQuote = "bare_quote",
        /// A tag occurs twice in one game.
        RepeatedTag = "repeated_tag",
        /// The `Result` tag, the result after the moves and the board disagree. The result after
        /// the moves takes precedence over the board.
        OtherResult = "other_result",
        /// A comment between games belongs to neither and is dropped.
        StrayComment = "stray_comment",
        /// Text between the operations of an EPD becomes a comment.
        OtherEpdText = "other_epd_text",
        /// A control character in a tag or comment becomes a space.
        ControlCharacter = "control_character",
        /// Move number 0 in a FEN is read as 1.
        MoveNumberZero = "move_number_zero",
        /// No last move explains the check in the first position.
        ImpossibleCheck = "impossible_check",
        /// The first position has the castling rights of double Fischer Random.
        DoubleFischerRandom = "double_fischer_random",
        /// A word that is not UTF-8 is read as Windows-1252.
        Windows1252 = "windows_1252",
    }
}

impl fmt::Display for ImportNote {
    /// Writes what was done, as a phrase without a subject.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::WentOnAfterDraw => "continued after a draw by today's rules",
            Self::BareQuote => "tag with an unescaped quotation mark, read to the last one",
            Self::RepeatedTag => "tag that occurs twice; the first one counts",
            Self::OtherResult => {
                "tag Result, result after the moves and board disagree; the result after the \
                 moves counts, or else the board"
            }
            Self::StrayComment => "comment between games, dropped",
            Self::OtherEpdText => "text between the operations of an EPD, kept as a comment",
            Self::ControlCharacter => "control character, replaced by a space",
            Self::MoveNumberZero => "move number 0 in a FEN, read as 1",
            Self::ImpossibleCheck => "first position with a check that no move can give",
            Self::DoubleFischerRandom => {
                "first position with the castling rights of double Fischer Random"
            }
            Self::Windows1252 => "word that is not UTF-8, read as Windows-1252",
        })
    }
}
