//! Sets up the position of a `position` command.

use rules::{Game, MoveError, SetupIssue};

use crate::command::PositionForm;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PositionError {
    #[error("the FEN is not legal: {}", listed(.0))]
    Fen(Vec<SetupIssue>),
    #[error("move {ply}: {error}")]
    Move { ply: usize, error: MoveError },
}

fn listed(issues: &[SetupIssue]) -> String {
    let texts: Vec<_> = issues.iter().map(ToString::to_string).collect();
    texts.join("; ")
}

/// Plays the moves of a `position` command, and returns the game.
///
/// A chess program can play on after the rules end a game, such as after a fifth repetition. If the
/// rules end the game at the last position, that position starts a new game.
pub(crate) fn set_up(form: &PositionForm) -> Result<Game, PositionError> {
    let start = match &form.fen {
        Some(fen) => rules::parse_fen(fen).map_err(PositionError::Fen)?,
        None => rules::start_position(),
    };
    let mut game = Game::new(start);
    for (index, text) in form.moves.iter().enumerate() {
        let invalid = |error| PositionError::Move {
            ply: index + 1,
            error,
        };
        // Some chess programs write the promotion piece in upper case.
        let chosen =
            rules::parse_uci(game.position(), &text.to_ascii_lowercase()).map_err(invalid)?;
        game.play_on(chosen).map_err(invalid)?;
    }
    if game.status().outcome.is_some() {
        game = Game::new(*game.position());
    }
    Ok(game)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set_up_text(fen: Option<&str>, moves: &str) -> Result<Game, PositionError> {
        let moves = moves.split_whitespace().map(str::to_owned).collect();
        set_up(&PositionForm {
            fen: fen.map(str::to_owned),
            moves,
        })
    }

    #[test]
    fn plays_the_moves_from_the_start() {
        let game = set_up_text(None, "e2e4 e7e5 g1f3").unwrap();
        assert_eq!(game.uci_moves().join(" "), "e2e4 e7e5 g1f3");
        let game = set_up_text(Some("4k3/P7/8/8/8/8/8/4K3 w - - 0 1"), "a7a8Q").unwrap();
        assert_eq!(game.uci_moves().join(" "), "a7a8q");
    }

    #[test]
    fn rejects_illegal_moves_and_positions() {
        let illegal = set_up_text(None, "e2e4 e7e4").unwrap_err().to_string();
        assert!(illegal.starts_with("move 2: e7e4 is illegal"), "{illegal}");
        let fen = set_up_text(Some("8/8/8/8/8/8/8/8 w - - 0 1"), "")
            .unwrap_err()
            .to_string();
        assert!(fen.contains("White has no king"), "{fen}");
    }

    #[test]
    fn continues_games_that_the_rules_ended() {
        let there_and_back = "g1f3 g8f6 f3g1 f6g8 ".repeat(5);
        let game = set_up_text(None, &there_and_back).unwrap();
        assert!(game.status().outcome.is_none());
        let game = set_up_text(None, &(there_and_back + "e2e4")).unwrap();
        assert_eq!(game.position().turn(), ai_api::Color::Black);
        let bare = set_up_text(Some("4k3/8/8/8/8/8/8/4K3 w - - 0 1"), "e1e2 e8e7").unwrap();
        assert!(bare.status().outcome.is_some(), "neither side can mate");
    }
}
