//! Reads text of any length in chunks of complete games.

use std::{
    collections::VecDeque,
    io::{self, BufRead, BufReader, Cursor, Read},
    ops::ControlFlow,
    sync::{Mutex, mpsc},
    thread,
};

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};
use encoding_rs_io::{DecodeReaderBytes, DecodeReaderBytesBuilder};
use rules::PgnBoundaries;

/// The maximum size of a chunk in bytes.
const MAX_BYTES: usize = 256 << 20;
/// A chunk of at least this size ends at the next boundary.
const CHUNK_BYTES: usize = 64 << 10;
/// The number of bytes to read at a time.
const BUFFER_BYTES: usize = 64 << 10;
/// The number of bytes at the start of the text from which its format is detected.
const HEAD_BYTES: u64 = 1 << 20;
/// The maximum number of workers. A single thread reads for all of them, so any more would have to
/// wait.
const MAX_WORKERS: usize = 16;

/// Where the text can be split.
#[derive(Clone, Debug)]
pub enum Boundaries {
    /// Nowhere: a chunk is the entire text.
    None,
    /// Before every line.
    Lines,
    /// Before the tags of a game.
    Pgn(PgnBoundaries),
}

impl Boundaries {
    /// Takes the next line and returns whether the text can be split before it.
    fn precede(&mut self, line: &[u8]) -> bool {
        match self {
            Self::None => false,
            Self::Lines => true,
            Self::Pgn(boundaries) => boundaries.begins_game(line),
        }
    }
}

/// A part of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    pub text: String,
    /// The number of lines before the chunk.
    pub lines_before: usize,
    /// The number of words that are not UTF-8 and were read as Windows-1252.
    pub windows_1252_words: usize,
}

/// An error while reading text in chunks.
#[derive(Debug, thiserror::Error)]
pub enum ChunkError {
    #[error(transparent)]
    Read(#[from] io::Error),
    #[error("the text is larger than the limit of {max} bytes")]
    TextTooLarge { max: usize },
    #[error(
        "from line {line} on, no game ends within the limit of {max} bytes; check for an unclosed \
         comment"
    )]
    GameTooLarge {
        /// The line number, from 1.
        line: usize,
        max: usize,
    },
}

/// The chunks of text in UTF-8 or, with a byte order mark, UTF-16. Words that are not UTF-8 are
/// read as Windows-1252, which old PGN collections use.
///
/// # Examples
/// ```
/// use formats::{Chunks, FormatName};
///
/// let mut chunks = Chunks::new("e2e4\nd2d4\n".as_bytes(), FormatName::Uci.format().boundaries());
/// let short = chunks.next().expect("the text is not empty")?;
/// assert_eq!((short.text.as_str(), short.lines_before), ("e2e4\nd2d4\n", 0));
/// # Ok::<(), formats::ChunkError>(())
/// ```
#[derive(Debug)]
pub struct Chunks<R> {
    source: BufReader<DecodeReaderBytes<R, Vec<u8>>>,
    boundaries: Boundaries,
    chunk_bytes: usize,
    max_bytes: usize,
    /// The first line of the next chunk, if it has been read.
    ahead: Vec<u8>,
    lines: usize,
}

impl<R: Read> Chunks<R> {
    pub fn new(source: R, boundaries: Boundaries) -> Self {
        let utf_8 = DecodeReaderBytesBuilder::new()
            .utf8_passthru(true)
            .build(source);
        Self {
            source: BufReader::with_capacity(BUFFER_BYTES, utf_8),
            boundaries,
            chunk_bytes: CHUNK_BYTES,
            max_bytes: MAX_BYTES,
            ahead: Vec::new(),
            lines: 0,
        }
    }

    /// Ends each chunk at its first boundary, after one game or line.
    #[must_use]
    pub fn single(self) -> Self {
        Self {
            chunk_bytes: 0,
            ..self
        }
    }

    fn read(&mut self) -> Result<Option<Chunk>, ChunkError> {
        let mut bytes = std::mem::take(&mut self.ahead);
        let mut game_line = self.lines + 1;
        for line_number in self.lines + 1 + usize::from(!bytes.is_empty()).. {
            let start = bytes.len();
            let rest = (self.max_bytes + 1).saturating_sub(start);
            (&mut self.source)
                .take(rest as u64)
                .read_until(b'\n', &mut bytes)?;
            let line = &bytes[start..];
            if line.is_empty() {
                break;
            }
            let is_boundary = self.boundaries.precede(line);
            if is_boundary {
                game_line = line_number;
            }
            if bytes.len() > self.max_bytes {
                return Err(self.too_large(game_line));
            }
            if is_boundary && start > 0 && start >= self.chunk_bytes {
                self.ahead = bytes.split_off(start);
                break;
            }
        }
        if bytes.is_empty() {
            return Ok(None);
        }
        let (text, windows_1252_words) = decode(bytes);
        let chunk = Chunk {
            text,
            lines_before: self.lines,
            windows_1252_words,
        };
        self.lines += chunk.text.matches('\n').count();
        Ok(Some(chunk))
    }

    fn too_large(&self, line: usize) -> ChunkError {
        let max = self.max_bytes;
        match self.boundaries {
            Boundaries::None => ChunkError::TextTooLarge { max },
            _ => ChunkError::GameTooLarge { line, max },
        }
    }
}

impl<R: Read> Iterator for Chunks<R> {
    type Item = Result<Chunk, ChunkError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read().transpose()
    }
}

/// Decodes text and counts its words that are not UTF-8.
fn decode(bytes: Vec<u8>) -> (String, usize) {
    let bytes = match String::from_utf8(bytes) {
        Ok(text) => return (text, 0),
        Err(error) => error.into_bytes(),
    };
    let mut text = String::with_capacity(bytes.len());
    let mut other_words = 0;
    for word in bytes.split_inclusive(u8::is_ascii_whitespace) {
        if let Ok(word) = str::from_utf8(word) {
            text.push_str(word);
        } else {
            other_words += 1;
            let word = word.strip_prefix("\u{feff}".as_bytes()).unwrap_or(word);
            text.push_str(&WINDOWS_1252.decode_without_bom_handling(word).0);
        }
    }
    (text, other_words)
}

/// Reads the first lines of the text, from which its format can be guessed. Returns them and a
/// reader for the complete text.
///
/// # Errors
/// The source cannot be read.
pub fn read_head<R: BufRead>(mut source: R) -> io::Result<(String, impl BufRead)> {
    let mut head = Vec::new();
    source.by_ref().take(HEAD_BYTES).read_to_end(&mut head)?;
    let is_whole = (head.len() as u64) < HEAD_BYTES;
    let last_line = head
        .iter()
        .rposition(|&byte| byte == b'\n')
        .filter(|_| !is_whole);
    let lines = &head[..last_line.unwrap_or(head.len())];
    let lines = match Encoding::for_bom(lines) {
        Some((utf_16, _)) if utf_16 != UTF_8 => utf_16.decode(lines).0.into_owned(),
        _ => decode(lines.to_vec()).0,
    };
    Ok((lines, Cursor::new(head).chain(source)))
}

/// Calls `work` with several chunks in parallel, and `each` with the chunks and results in order
/// until it breaks. Reads only a limited number of chunks ahead.
///
/// # Errors
/// The first error from `chunks` or `each`.
pub fn for_each_chunk<T: Send, E>(
    mut chunks: impl Iterator<Item = Result<Chunk, E>>,
    work: impl Fn(&Chunk) -> T + Sync,
    mut each: impl FnMut(Chunk, T) -> Result<ControlFlow<()>, E>,
) -> Result<(), E> {
    let workers = thread::available_parallelism().map_or(1, |count| count.get().min(MAX_WORKERS));
    let (jobs, queue) = mpsc::channel::<(Chunk, mpsc::Sender<(Chunk, T)>)>();
    let (queue, work) = (&Mutex::new(queue), &work);
    thread::scope(|scope| {
        // Dropping the sender at the end stops the workers.
        let jobs = jobs;
        for _ in 0..workers {
            scope.spawn(move || {
                let next = || queue.lock().ok()?.recv().ok();
                while let Some((chunk, result)) = next() {
                    let worked = work(&chunk);
                    // After a break, the receiver is gone.
                    let _ = result.send((chunk, worked));
                }
            });
        }
        let mut pending = VecDeque::new();
        let mut failed = None;
        loop {
            while pending.len() < 2 * workers && failed.is_none() {
                match chunks.next() {
                    None => break,
                    Some(Err(error)) => failed = Some(error),
                    Some(Ok(chunk)) => {
                        let (result, receiver) = mpsc::channel();
                        pending.push_back(receiver);
                        // The workers wait for jobs until the channel closes.
                        let _ = jobs.send((chunk, result));
                    }
                }
            }
            let Some(receiver) = pending.pop_front() else {
                break;
            };
            // If a worker panics, this function panics when the scope ends.
            let Ok((chunk, result)) = receiver.recv() else {
                break;
            };
            if each(chunk, result)?.is_break() {
                return Ok(());
            }
        }
        failed.map_or(Ok(()), Err)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FormatName, Import};

    /// Games that end in every possible way. Some contain text that looks like tags.
    const GAMES: &str = "\u{feff}{first}\n[Event \"1\"]\n[Site \"a { b ; c\"]\n\n1. e4 {\n[Event \
        \"no game\"]\n} e5 *\n\n[Event \"2\"]\r\n\r\n1. d4 ; { [\r\n% { \r\nd5 (1... c5\r\n[Event \
        \"3\"]\r\n\r\n1-0\r\n[Event \"4\"]\n1. e4 Ke5 2. zz *\n[Event \"5\"] [Site \
        \"?\"]\n*\n[Event \"6\"]\n[Event\n1. c4\n1. Nf3 * 1. Nc3 {[} 1... Nc6 *\n[FEN \
        \"8/8/8/8/8/8/8/8 w - - 0 1\"]\n1. e4 $300 *\n[Event \"7\"]\n1. e4 {unclosed\n[Event \
        \"8\"]\n";

    fn chunks(text: &[u8], boundaries: Boundaries, chunk_bytes: usize) -> Vec<Chunk> {
        Chunks {
            chunk_bytes,
            ..Chunks::new(text, boundaries)
        }
        .map(Result::unwrap)
        .collect()
    }

    /// Reads the games in the chunks. Returns each game's text or its errors.
    fn read(name: FormatName, chunks: &[Chunk]) -> Vec<String> {
        let options = Import {
            turn: None,
            variations: rules::ReadVariations::Keep,
            null_moves: rules::NullMoves::Reject,
            language: rules::Language::English,
            max_plies: 100,
        };
        let mut games = Vec::new();
        for chunk in chunks {
            let before = games.len();
            for game in name.format().import(&chunk.text, options) {
                games.push(game.map_or_else(
                    |mut issues| {
                        for issue in &mut issues {
                            issue.place.game = issue.place.game.map(|game| game + before);
                            issue.place.line =
                                issue.place.line.map(|line| line + chunk.lines_before);
                        }
                        format!("{issues:?}")
                    },
                    |record| record.game.to_string(),
                ));
            }
        }
        games
    }

    #[test]
    fn chunks_of_any_size_contain_the_same_games() {
        let lines = "\u{feff}e2e4\n\ne2e5\r\nd2d4 d7d5\n \nzz";
        for (name, text, most) in [(FormatName::Pgn, GAMES, 8), (FormatName::Uci, lines, 6)] {
            let boundaries = name.format().boundaries();
            let whole = chunks(text.as_bytes(), boundaries.clone(), usize::MAX);
            assert_eq!(
                whole,
                [Chunk {
                    text: text.to_owned(),
                    lines_before: 0,
                    windows_1252_words: 0
                }]
            );
            let expected = read(name, &whole);
            for chunk_bytes in 0..=text.len() {
                let chunks = chunks(text.as_bytes(), boundaries.clone(), chunk_bytes);
                assert_eq!(
                    chunks
                        .iter()
                        .map(|chunk| chunk.text.as_str())
                        .collect::<String>(),
                    text
                );
                assert_eq!(read(name, &chunks), expected, "{chunk_bytes}");
                assert!(chunk_bytes > 0 || chunks.len() == most, "{chunks:?}");
            }
        }
    }

    #[test]
    fn reads_single_document_formats_as_one_chunk() {
        let text = b"<html>\n\n[Event \"x\"]\n";
        for name in [
            FormatName::Boards,
            FormatName::Html,
            FormatName::Text,
            FormatName::Svg,
        ] {
            assert_eq!(
                chunks(text, name.format().boundaries(), 1).len(),
                1,
                "{name}"
            );
        }
    }

    #[test]
    fn reads_each_word_as_utf_8_or_windows_1252() {
        let mixed =
            b"\xef\xbb\xbf{\x93Ivani\x9aevi\xe6\x94 \x96 0.5 \x80} \xef\xbb\xbf\xe1 [White \
                \"R\xc3\xa9ti J\xe1n\"]\n\n*\n";
        let read = chunks(mixed, FormatName::Pgn.format().boundaries(), usize::MAX);
        let text = "{\u{201c}Ivani\u{161}evi\u{e6}\u{201d} \u{2013} 0.5 \u{20ac}} \u{e1} [White \
            \"R\u{e9}ti J\u{e1}n\"]\n\n*\n";
        assert_eq!(
            (read[0].text.as_str(), read[0].windows_1252_words),
            (text, 5)
        );
        let (head, _) = read_head(&mixed[..]).unwrap();
        assert_eq!(head, text);
    }

    #[test]
    fn recognizes_utf_16_by_its_byte_order_mark() {
        let text = "[White \"J\u{e1}n \u{1d11e}\"]\n\n1. e4 *\n";
        for (mark, encode) in [
            ([0xff, 0xfe], u16::to_le_bytes as fn(u16) -> [u8; 2]),
            ([0xfe, 0xff], u16::to_be_bytes),
        ] {
            let bytes: Vec<u8> = mark
                .into_iter()
                .chain(text.encode_utf16().flat_map(encode))
                .collect();
            let read = chunks(&bytes, FormatName::Pgn.format().boundaries(), 1);
            assert_eq!(
                read.iter()
                    .map(|chunk| chunk.text.as_str())
                    .collect::<Vec<_>>(),
                [text]
            );
            let (head, source) = read_head(&bytes[..]).unwrap();
            assert_eq!(head, text);
            assert_eq!(
                Chunks::new(source, Boundaries::None)
                    .map(|chunk| chunk.unwrap().text)
                    .collect::<String>(),
                text
            );
        }
    }

    #[test]
    fn rejects_endless_games() {
        let error = |text: &str, name: FormatName| {
            let whole = Chunks::new(text.as_bytes(), name.format().boundaries());
            let mut chunks = Chunks {
                chunk_bytes: 1,
                max_bytes: 100,
                ..whole
            };
            chunks.find_map(Result::err).map(|error| error.to_string())
        };
        let unclosed = "[White \"A\"]\n*\n".to_owned() + &"[White \"B\"]\n{".repeat(20);
        for (text, name, part) in [
            (
                &*unclosed,
                FormatName::Pgn,
                "from line 3 on, no game ends within the limit of 100 bytes",
            ),
            (&"x".repeat(101), FormatName::Pgn, "from line 1 on"),
            (
                &("e2e4\n".to_owned() + &"e2e4 ".repeat(30)),
                FormatName::Uci,
                "from line 2 on",
            ),
            (
                &"\n".repeat(101),
                FormatName::Html,
                "the text is larger than the limit of 100 bytes",
            ),
        ] {
            assert!(
                error(text, name).is_some_and(|error| error.contains(part)),
                "{part}"
            );
        }
        assert_eq!(error(&"x".repeat(100), FormatName::Pgn), None);
        assert_eq!(error(&"e2e4\n".repeat(100), FormatName::Uci), None);
    }

    #[test]
    fn keeps_results_in_chunk_order() {
        let chunk = |lines_before| {
            Ok::<_, ()>(Chunk {
                text: String::new(),
                lines_before,
                windows_1252_words: 0,
            })
        };
        let mut seen = Vec::new();
        // The first chunks take the longest.
        let work = |chunk: &Chunk| {
            (0..200_000 / (chunk.lines_before as u64 + 1))
                .map(std::hint::black_box)
                .sum::<u64>()
        };
        for_each_chunk((0..1000).map(chunk), work, |chunk, _| {
            seen.push(chunk.lines_before);
            Ok(ControlFlow::Continue(()))
        })
        .unwrap();
        assert_eq!(seen, (0..1000).collect::<Vec<_>>());
    }

    #[test]
    fn stops_reading_at_a_break_or_an_error() {
        let mut read = 0;
        let endless = std::iter::repeat_with(|| {
            read += 1;
            Ok::<_, &str>(Chunk {
                text: String::new(),
                lines_before: 0,
                windows_1252_words: 0,
            })
        });
        let mut left = 10;
        for_each_chunk(
            endless,
            |_| (),
            |_, ()| {
                left -= 1;
                Ok(if left == 0 {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                })
            },
        )
        .unwrap();
        assert!((10..=10 + 2 * MAX_WORKERS).contains(&read), "{read}");

        // The chunks before the error are processed.
        let mut seen = 0;
        let chunks = (0..10).map(|lines_before| {
            if lines_before == 5 {
                Err("bad")
            } else {
                Ok(Chunk {
                    text: String::new(),
                    lines_before,
                    windows_1252_words: 0,
                })
            }
        });
        let ended = for_each_chunk(
            chunks,
            |_| (),
            |_, ()| {
                seen += 1;
                Ok(ControlFlow::Continue(()))
            },
        );
        assert_eq!((ended, seen), (Err("bad"), 5));
    }
}
