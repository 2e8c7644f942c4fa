//! Formats the times and fields of text log lines like the default of `tracing_subscriber`, with a
//! third of the instructions: the access log writes a line per request.

use std::{
    cell::RefCell,
    fmt::{self, Debug},
};

use time::{OffsetDateTime, format_description::well_known::Rfc3339};
use tracing::field::{Field, Visit};
use tracing_subscriber::{
    field::{RecordFields, VisitOutput as _},
    fmt::{
        FormatFields,
        format::{DefaultFields, DefaultVisitor, Writer},
        time::FormatTime,
    },
};

/// Formats the fields of events and spans.
#[derive(Debug)]
pub struct TextFields;

impl<'writer> FormatFields<'writer> for TextFields {
    fn format_fields<R: RecordFields>(&self, writer: Writer<'writer>, fields: R) -> fmt::Result {
        if writer.has_ansi_escapes() {
            return DefaultFields::new().format_fields(writer, fields);
        }
        let buffer = String::with_capacity(512);
        let mut visitor = PlainVisitor {
            writer,
            buffer,
            is_empty: true,
            result: Ok(()),
        };
        fields.record(&mut visitor);
        visitor.flush();
        visitor.result
    }
}

/// Formats times like the default formatter. Caches the text of the last second.
#[derive(Clone, Copy, Debug)]
pub struct TextTime;

impl FormatTime for TextTime {
    fn format_time(&self, writer: &mut Writer<'_>) -> fmt::Result {
        thread_local! {
            static SECOND: RefCell<(i64, String)> = const { RefCell::new((0, String::new())) };
        }
        let now = OffsetDateTime::now_utc();
        SECOND.with_borrow_mut(|(second, text)| {
            if *second != now.unix_timestamp() || text.is_empty() {
                *second = now.unix_timestamp();
                let whole = now.replace_nanosecond(0).unwrap_or(now);
                *text = whole.format(&Rfc3339).map_err(|_| fmt::Error)?;
            }
            let mut rest = now.microsecond();
            let mut fraction = *b".000000Z";
            for digit in fraction[1..7].iter_mut().rev() {
                *digit += (rest % 10) as u8;
                rest /= 10;
            }
            writer.write_str(text.trim_end_matches('Z'))?;
            writer.write_str(std::str::from_utf8(&fraction).map_err(|_| fmt::Error)?)
        })
    }
}

/// Whether text with this byte must be left to the default formatter.
static IS_ESCAPED: [bool; 256] = {
    let mut escaped = [true; 256];
    let mut byte = b' ';
    while byte <= b'~' {
        escaped[byte as usize] = matches!(byte, b'"' | b'\\');
        byte += 1;
    }
    escaped
};

/// Writes fields without colours.
struct PlainVisitor<'a> {
    writer: Writer<'a>,
    /// The text that has not been written yet.
    buffer: String,
    is_empty: bool,
    result: fmt::Result,
}

impl PlainVisitor<'_> {
    fn push_separator(&mut self) {
        if !self.is_empty {
            self.buffer.push(' ');
        }
        self.is_empty = false;
    }

    fn push_name(&mut self, field: &Field) {
        self.push_separator();
        let name = field.name();
        self.buffer
            .push_str(name.strip_prefix("r#").unwrap_or(name));
        self.buffer.push('=');
    }

    fn push_number(&mut self, number: u64) {
        if number >= 10 {
            self.push_number(number / 10);
        }
        self.buffer.push(char::from(b'0' + (number % 10) as u8));
    }

    fn flush(&mut self) {
        if self.result.is_ok() {
            self.result = self.writer.write_str(&self.buffer);
        }
        self.buffer.clear();
    }

    fn write_as_default(&mut self, record: impl FnOnce(&mut DefaultVisitor<'_>)) {
        self.flush();
        if self.result.is_ok() {
            let mut visitor = DefaultVisitor::new(self.writer.by_ref(), self.is_empty);
            record(&mut visitor);
            self.result = visitor.finish();
            self.is_empty = false;
        }
    }
}

impl Visit for PlainVisitor<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        if value.bytes().any(|byte| IS_ESCAPED[usize::from(byte)]) {
            return self.write_as_default(|visitor| visitor.record_str(field, value));
        }
        if field.name() == "message" {
            self.push_separator();
            self.buffer.push_str(value);
        } else {
            self.push_name(field);
            self.buffer.push('"');
            self.buffer.push_str(value);
            self.buffer.push('"');
        }
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.push_name(field);
        self.push_number(value);
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        const MAX: f64 = 1e12;
        let thousandths = (value * 1000.0).round();
        // The code below writes only positive numbers with up to three decimals.
        #[expect(clippy::float_cmp, reason = "similar numbers have different digits")]
        if thousandths / 1000.0 != value || !(1.0..MAX).contains(&thousandths) {
            return self.record_debug(field, &value);
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a whole number below 1e12"
        )]
        let thousandths = thousandths as u64;
        self.push_name(field);
        self.push_number(thousandths / 1000);
        self.buffer.push('.');
        let mut rest = thousandths % 1000;
        while rest > 0 {
            self.push_number(rest / 100);
            rest = rest % 100 * 10;
        }
        if self.buffer.ends_with('.') {
            self.buffer.push('0');
        }
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

    use tracing_subscriber::fmt::{fmt as subscriber, time::SystemTime};

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

    const TEXTS: [&str; 7] = [
        "plain text",
        "",
        "quo\"ted",
        "back\\slash",
        "new\nline",
        "\u{1b}[2J",
        "é\u{202e}'",
    ];
    const NUMBERS: [f64; 14] = [
        0.0,
        -0.5,
        0.001,
        0.01,
        0.1,
        1.0,
        10.0,
        12.345,
        1e9,
        999_999.999,
        1e12,
        1e300,
        0.1 + 0.2,
        f64::NAN,
    ];

    fn log() {
        let error = io::Error::other("a \"quoted\" error");
        let span = tracing::info_span!("outer", id = "r-1", number = 7, none = None::<u64>);
        span.in_scope(|| {
            for text in TEXTS {
                tracing::info!(
                    text,
                    count = 3_u64,
                    signed = -4,
                    ratio = 0.25,
                    flag = true,
                    shown = %text,
                    "done: {text}"
                );
                tracing::info!(message = text, number = u64::MAX);
                tracing::info!(
                    r#type = text,
                    debug = ?Some(text),
                    error = &error as &(dyn std::error::Error + 'static)
                );
            }
            for number in NUMBERS {
                tracing::info!(number);
            }
        });
    }

    #[test]
    fn writes_what_the_default_would_write() {
        let [plain, default] = [(); 2].map(|()| Lines::default());
        for is_ansi in [false, true] {
            let (own, writer) = (plain.clone(), default.clone());
            let builder = || subscriber().without_time().with_ansi(is_ansi);
            let subscriber = builder()
                .with_writer(move || own.clone())
                .fmt_fields(TextFields)
                .finish();
            tracing::subscriber::with_default(subscriber, log);
            let subscriber = builder().with_writer(move || writer.clone()).finish();
            tracing::subscriber::with_default(subscriber, log);
        }
        let [plain, default] = [plain, default]
            .map(|lines| String::from_utf8(lines.0.lock().unwrap().clone()).unwrap());
        assert_eq!(plain, default);
        assert!(
            plain.contains("done: plain text text=\"plain text\" count=3"),
            "{plain}"
        );
    }

    #[test]
    fn writes_times_in_the_default_form() {
        let text = |timer: &dyn FormatTime| {
            let mut text = String::new();
            timer.format_time(&mut Writer::new(&mut text)).unwrap();
            text
        };
        // The clock may be set while the test runs.
        let is_between = || {
            let times = [
                text(&SystemTime),
                text(&TextTime),
                text(&TextTime),
                text(&SystemTime),
            ];
            times.is_sorted()
                && times
                    .iter()
                    .all(|time| time.len() == "2026-11-25T22:41:02.000001Z".len())
        };
        assert!(
            (0..3).any(|_| is_between()),
            "{} {}",
            text(&SystemTime),
            text(&TextTime)
        );
    }
}
