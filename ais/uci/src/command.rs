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
    /// Parses a path, or words as a shell quotes them: `/usr/bin/python3 -u '/home/a b/engine.py'`.
    /// Nothing is expanded.
    pub(crate) fn parse(text: &str) -> Result<Self, AiError> {
        let text = text.trim();
        let whole = Path::new(text);
        // A path may contain spaces and quotes.
        let mut words = if whole.is_file() {
            vec![text.to_owned()]
        } else {
            split(text)?
        }
        .into_iter();
        let program = PathBuf::from(words.next().unwrap_or_default());
        if !program.is_absolute() {
            return Err(AiError::new(format!(
                "command = {text:?} names no program: write its absolute path, such as \
                 \"/usr/games/stockfish\", in [ai.ID.options], and grant it with allow_exec in \
                 [ai.ID]"
            )));
        }
        Ok(Self {
            program,
            arguments: words.collect(),
        })
    }
}

fn split(text: &str) -> Result<Vec<String>, AiError> {
    shlex::split(text).ok_or_else(|| {
        AiError::new(format!(
            "command = {text:?} has an unclosed quote, or ends with a backslash: quote \
             words that contain spaces, such as \"/usr/bin/python3 '/home/a b/engine.py'\""
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_after_the_program_are_arguments() {
        for (text, program, arguments) in [
            (
                " /usr/games/gnuchess  --uci ",
                "/usr/games/gnuchess",
                &["--uci"][..],
            ),
            (
                "/usr/bin/python3 -u '/home/a b/engine.py'",
                "/usr/bin/python3",
                &["-u", "/home/a b/engine.py"],
            ),
            (
                r#"/bin/e "a \"b\"" c\ d '' $HOME *"#,
                "/bin/e",
                &[r#"a "b""#, "c d", "", "$HOME", "*"],
            ),
            (
                "'/opt/my engines/e' --fast",
                "/opt/my engines/e",
                &["--fast"],
            ),
        ] {
            let command = Command::parse(text).unwrap();
            assert_eq!(command.program.to_str(), Some(program), "{text}");
            assert_eq!(command.arguments, arguments, "{text}");
        }
    }

    #[test]
    fn rejects_unclosed_quotes() {
        for text in ["/bin/e 'a b", "/bin/e \"a", "/bin/e a\\"] {
            let error = Command::parse(text).unwrap_err().to_string();
            assert!(error.contains("an unclosed quote"), "{error}");
        }
    }

    #[test]
    fn a_path_with_spaces_is_one_program() {
        let file = std::env::temp_dir().join(format!("an engine's {}", std::process::id()));
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
