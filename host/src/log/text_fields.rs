//! The fields of text lines, as `tracing_subscriber` writes them by default. The usual ones of the access log take a quarter of its
//! instructions.

use std::{
    fmt::{self, Debug, Write as _},
    mem,
};

use tracing::field::{Field, Visit};
use tracing_subscriber::{
    field::{RecordFields, VisitOutput as _},
    fmt::{
        FormatFields,
        format::{DefaultFields, DefaultVisitor, Writer},
    },
};

#[derive(Debug)]
pub(crate) struct TextFields;

impl<'writer> FormatFields<'writer> for TextFields {
    fn format_fields<R: RecordFields>(&self, writer: Writer<'writer>, fields: R) -> fmt::Result {
        if writer.has_ansi_escapes() {
            return DefaultFields::new().format_fields(writer, fields);
        }
        let mut visitor = PlainVisitor { writer, is_empty: true, result: Ok(()) };
        fields.record(&mut visitor);
        visitor.result
    }
}

/// Writes fields without colours.
struct PlainVisitor<'a> {
    writer: Writer<'a>,
    is_empty: bool,
    result: fmt::Result,
}

impl PlainVisitor<'_> {
    fn write(&mut self, field: &Field, value: impl FnOnce(&mut Writer<'_>) -> fmt::Result) {
        if self.result.is_ok() {
            let separator = if mem::take(&mut self.is_empty) { "" } else { " " };
            let writer = &mut self.writer;
            let mut write = || {
                writer.write_str(separator)?;
                writer.write_str(field.name().trim_start_matches("r#"))?;
                writer.write_char('=')
            };
            self.result = write().and_then(|()| value(&mut self.writer));
        }
    }

    fn write_as_default(&mut self, record: impl FnOnce(&mut DefaultVisitor<'_>)) {
        if self.result.is_ok() {
            let mut visitor = DefaultVisitor::new(self.writer.by_ref(), mem::take(&mut self.is_empty));
            record(&mut visitor);
            self.result = visitor.finish();
        }
    }
}

impl Visit for PlainVisitor<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        let is_unescaped = |byte| matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\');
        if field.name() == "message" || !value.bytes().all(is_unescaped) {
            return self.write_as_default(|visitor| visitor.record_str(field, value));
        }
        self.write(field, |writer| {
            writer.write_char('"')?;
            writer.write_str(value)?;
            writer.write_char('"')
        });
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.write(field, |writer| write!(writer, "{value}"));
    }

    fn record_error(&mut self, field: &Field, value: &(dyn std::error::Error + 'static)) {
        self.write_as_default(|visitor| visitor.record_error(field, value));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.write_as_default(|visitor| visitor.record_debug(field, value));
    }
}

#[cfg(test)]
mod tests {
    use std::{
        io,
        sync::{Arc, Mutex},
    };

    use tracing_subscriber::fmt;

    use super::*;

    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn log() {
        let error = io::Error::other("a \"quoted\" error");
        let span = tracing::info_span!("outer", id = "r-1", number = 7, none = None::<u64>);
        span.in_scope(|| {
            for text in ["plain text", "", "quo\"ted", "back\\slash", "new\nline", "\u{1b}[2J", "é\u{202e}'"] {
                tracing::info!(text, count = 3_u64, signed = -4, ratio = 0.25, flag = true, shown = %text, "done: {text}");
                tracing::info!(r#type = text, debug = ?Some(text), error = &error as &(dyn std::error::Error + 'static));
            }
        });
    }

    #[test]
    fn writes_what_the_default_would_write() {
        let [plain, default] = [(); 2].map(|()| Lines::default());
        for is_ansi in [false, true] {
            let (own, writer) = (plain.clone(), default.clone());
            let builder = || fmt().without_time().with_ansi(is_ansi);
            let subscriber = builder().with_writer(move || own.clone()).fmt_fields(TextFields).finish();
            tracing::subscriber::with_default(subscriber, log);
            let subscriber = builder().with_writer(move || writer.clone()).finish();
            tracing::subscriber::with_default(subscriber, log);
        }
        let [plain, default] =
            [plain, default].map(|lines| String::from_utf8(lines.0.lock().unwrap().clone()).unwrap());
        assert_eq!(plain, default);
        assert!(plain.contains("done: plain text text=\"plain text\" count=3"), "{plain}");
    }
}
