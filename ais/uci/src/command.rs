//! The command that starts an engine.

use std::path::{Path, PathBuf};

use ai_api::AiError;

/// A program and its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Command {
    pub(crate) program: PathBuf,
    pub(crate) arguments: Vec<String>,
}

impl Command {
    /// Parses a path, or a path and arguments: `/usr/games/gnuchess --uci`.
    pub(crate) fn parse(text: &str) -> Result<Self, AiError> {
        let text = text.trim();
        let whole = Path::new(text);
        // A path may contain spaces.
        let (program, arguments) = if whole.is_file() {
            (whole, Vec::new())
        } else {
            let mut words = text.split_whitespace();
            (Path::new(words.next().unwrap_or_default()), words.map(str::to_owned).collect())
        };
        if !program.is_absolute() {
            return Err(AiError::new(format!(
                "command = {text:?} names no program: write its absolute path, such as \"/usr/games/stockfish\", in \
                 [ai.ID.options], and grant it with allow_exec in [ai.ID]"
            )));
        }
        Ok(Self { program: program.to_owned(), arguments })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_after_the_program_are_arguments() {
        let command = Command::parse(" /usr/games/gnuchess  --uci ").unwrap();
        assert_eq!(
            (command.program.to_str(), command.arguments),
            (Some("/usr/games/gnuchess"), vec!["--uci".into()])
        );
    }

    #[test]
    fn a_path_with_spaces_is_one_program() {
        let file = std::env::temp_dir().join(format!("an engine {}", std::process::id()));
        std::fs::write(&file, "").unwrap();
        let command = Command::parse(file.to_str().unwrap()).unwrap();
        std::fs::remove_file(&file).unwrap();
        assert_eq!((command.program, command.arguments), (file, Vec::new()));
    }

    #[test]
    fn rejects_relative_and_missing_programs() {
        for text in ["", " ", "stockfish", "./stockfish --fast"] {
            let error = Command::parse(text).unwrap_err().to_string();
            assert!(error.contains("write its absolute path"), "{error}");
        }
    }
}
