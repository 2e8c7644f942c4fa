//! Converts options and their values between C and Rust, for both sides.

use std::{
    ffi::{CStr, CString, c_char},
    ptr::null,
};

use super::{
    sized::{list, pointer},
    types::{
        COption, CSetting, CValue, OPTION_CHOICE, OPTION_DECIMAL, OPTION_FILE, OPTION_FILES,
        OPTION_FLAG, OPTION_FOLDER, OPTION_INTEGER, OPTION_TEXT, VALUE_DECIMAL, VALUE_FLAG,
        VALUE_INTEGER, VALUE_LIST, VALUE_TEXT,
    },
};
use crate::{OptionKind, OptionSetting, OptionSpec, OptionValue, further::Further};

/// The strings and lists that C structs point to.
#[derive(Default)]
pub struct Texts {
    texts: Vec<CString>,
    lists: Vec<Box<[*const c_char]>>,
}

impl Texts {
    /// Keeps a string and returns a pointer to it. Removes NUL characters.
    pub fn keep(&mut self, text: &str) -> *const c_char {
        let text = CString::new(text.replace('\0', "")).unwrap_or_default();
        let begin = text.as_ptr();
        self.texts.push(text);
        begin
    }

    fn keep_list(&mut self, texts: &[String]) -> (*const *const c_char, usize) {
        let list: Box<[_]> = texts.iter().map(|text| self.keep(text)).collect();
        let (begin, length) = (pointer(&list), list.len());
        self.lists.push(list);
        (begin, length)
    }
}

/// An option or value of a kind from a later version of the contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownKind {
    /// The name of the option.
    pub option: String,
    /// The number of the unknown kind.
    pub kind: u8,
    /// Whether this is the default value's kind rather than the option's.
    pub is_of_default: bool,
}

impl CValue {
    /// A flag that is not set.
    const NONE: Self = Self {
        kind: VALUE_FLAG,
        flag: 0,
        reserved: [0; 6],
        integer: 0,
        decimal: 0.0,
        text: null(),
        list: null(),
        list_length: 0,
    };

    fn of(value: &OptionValue, texts: &mut Texts) -> Self {
        match value {
            &OptionValue::Flag(flag) => Self {
                flag: flag.into(),
                ..Self::NONE
            },
            &OptionValue::Integer(integer) => Self {
                kind: VALUE_INTEGER,
                integer,
                ..Self::NONE
            },
            &OptionValue::Decimal(decimal) => Self {
                kind: VALUE_DECIMAL,
                decimal,
                ..Self::NONE
            },
            OptionValue::Text(text) => Self {
                kind: VALUE_TEXT,
                text: texts.keep(text),
                ..Self::NONE
            },
            OptionValue::List(list) => {
                let (list, list_length) = texts.keep_list(list);
                Self {
                    kind: VALUE_LIST,
                    list,
                    list_length,
                    ..Self::NONE
                }
            }
        }
    }

    /// Converts the value to Rust. Returns `None` for an unknown kind.
    ///
    /// # Safety
    /// Its pointers are valid.
    unsafe fn read(&self) -> Option<OptionValue> {
        Some(match self.kind {
            VALUE_FLAG => OptionValue::Flag(self.flag != 0),
            VALUE_INTEGER => OptionValue::Integer(self.integer),
            VALUE_DECIMAL => OptionValue::Decimal(self.decimal),
            // SAFETY: guaranteed by the caller.
            VALUE_TEXT => OptionValue::Text(unsafe { text(self.text) }),
            // SAFETY: guaranteed by the caller.
            VALUE_LIST => OptionValue::List(unsafe { texts(self.list, self.list_length) }),
            _ => return None,
        })
    }
}

impl CSetting {
    /// Converts the setting to C. The result is valid as long as `texts`.
    pub fn of(setting: &OptionSetting, texts: &mut Texts) -> Self {
        Self {
            name: texts.keep(&setting.name),
            value: CValue::of(&setting.value, texts),
        }
    }

    /// Converts the setting to Rust. Returns `None` for a kind that only a later host knows.
    ///
    /// # Safety
    /// Its pointers are valid.
    pub(crate) unsafe fn read(&self) -> Option<OptionSetting> {
        // SAFETY: guaranteed by the caller.
        unsafe {
            Some(OptionSetting {
                name: text(self.name),
                value: self.value.read()?,
            })
        }
    }
}

impl COption {
    /// Converts the option to C. The result is valid as long as `texts`.
    pub(crate) fn of(spec: &OptionSpec, texts: &mut Texts) -> Self {
        let option = Self {
            name: texts.keep(&spec.name),
            help: texts.keep(&spec.help),
            min: 0,
            max: 0,
            decimal_min: 0.0,
            decimal_max: 0.0,
            choices: null(),
            choice_count: 0,
            value: CValue::of(&spec.default, texts),
            kind: OPTION_FLAG,
            secret: spec.secret.into(),
            advanced: spec.advanced.into(),
            live: spec.live.into(),
            reserved: [0; 4],
        };
        match &spec.kind {
            OptionKind::Flag => option,
            &OptionKind::Integer { min, max } => Self {
                kind: OPTION_INTEGER,
                min,
                max,
                ..option
            },
            &OptionKind::Decimal { min, max } => Self {
                kind: OPTION_DECIMAL,
                decimal_min: min,
                decimal_max: max,
                ..option
            },
            OptionKind::Choice(choices) => {
                let (choices, choice_count) = texts.keep_list(choices);
                Self {
                    kind: OPTION_CHOICE,
                    choices,
                    choice_count,
                    ..option
                }
            }
            OptionKind::Text => Self {
                kind: OPTION_TEXT,
                ..option
            },
            OptionKind::File => Self {
                kind: OPTION_FILE,
                ..option
            },
            OptionKind::Folder => Self {
                kind: OPTION_FOLDER,
                ..option
            },
            OptionKind::Files => Self {
                kind: OPTION_FILES,
                ..option
            },
        }
    }

    /// Converts the option to Rust.
    ///
    /// # Errors
    /// Its kind or its default's kind is unknown.
    ///
    /// # Safety
    /// Its pointers are valid.
    pub unsafe fn read(&self) -> Result<OptionSpec, UnknownKind> {
        // SAFETY: guaranteed by the caller.
        let (name, help) = unsafe { (text(self.name), text(self.help)) };
        let kind = match self.kind {
            OPTION_FLAG => OptionKind::Flag,
            OPTION_INTEGER => OptionKind::Integer {
                min: self.min,
                max: self.max,
            },
            OPTION_DECIMAL => OptionKind::Decimal {
                min: self.decimal_min,
                max: self.decimal_max,
            },
            // SAFETY: guaranteed by the caller.
            OPTION_CHOICE => OptionKind::Choice(unsafe { texts(self.choices, self.choice_count) }),
            OPTION_TEXT => OptionKind::Text,
            OPTION_FILE => OptionKind::File,
            OPTION_FOLDER => OptionKind::Folder,
            OPTION_FILES => OptionKind::Files,
            kind => {
                return Err(UnknownKind {
                    option: name,
                    kind,
                    is_of_default: false,
                });
            }
        };
        // SAFETY: guaranteed by the caller.
        let Some(default) = (unsafe { self.value.read() }) else {
            return Err(UnknownKind {
                option: name,
                kind: self.value.kind,
                is_of_default: true,
            });
        };
        let [secret, advanced, live] =
            [self.secret, self.advanced, self.live].map(|flag| flag != 0);
        Ok(OptionSpec {
            name,
            help,
            kind,
            default,
            secret,
            advanced,
            live,
            further: Further::NONE,
        })
    }
}

/// # Safety
/// `begin` points to `length` NUL-terminated strings.
unsafe fn texts(begin: *const *const c_char, length: usize) -> Vec<String> {
    // SAFETY: guaranteed by the caller.
    let texts = unsafe { list(begin, length) };
    // SAFETY: guaranteed by the caller.
    texts.iter().map(|&first| unsafe { text(first) }).collect()
}

/// Returns the string at a pointer, or an empty string for NULL.
///
/// # Safety
/// The pointer is NULL or points to a NUL-terminated string.
pub unsafe fn text(begin: *const c_char) -> String {
    if begin.is_null() {
        return String::new();
    }
    // SAFETY: guaranteed by the caller.
    unsafe { CStr::from_ptr(begin) }
        .to_string_lossy()
        .into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_round_trip() {
        for spec in [
            OptionSpec::flag("quiescence", true, "search captures").live(),
            OptionSpec::integer("hash_mb", 16, 1..=64, "size of the table"),
            OptionSpec::decimal("contempt", 0.5, -1.0..=1.0, "what a draw costs")
                .live()
                .advanced(),
            OptionSpec::choice("style", "calm", &["calm", "wild"], "how to play"),
            OptionSpec::text("token", "", "the key of the service").secret(),
            OptionSpec::file("weights", "the net"),
            OptionSpec::folder("books", "where the books are"),
            OptionSpec::files("tablebases", "where the tables are"),
        ] {
            let mut texts = Texts::default();
            let option = COption::of(&spec, &mut texts);
            // SAFETY: `texts` is alive.
            assert_eq!(unsafe { option.read() }, Ok(spec));
        }
    }

    #[test]
    fn settings_round_trip() {
        for value in [
            OptionValue::Flag(true),
            OptionValue::Integer(i64::MIN),
            OptionValue::Decimal(0.1),
            OptionValue::Text("é".into()),
            OptionValue::List(vec!["a".into(), String::new()]),
            OptionValue::List(Vec::new()),
        ] {
            let (setting, mut texts) = (
                OptionSetting {
                    name: "n".into(),
                    value,
                },
                Texts::default(),
            );
            let c = CSetting::of(&setting, &mut texts);
            // SAFETY: `texts` is alive.
            assert_eq!(unsafe { c.read() }, Some(setting));
            let later = CSetting {
                value: CValue { kind: 9, ..c.value },
                ..c
            };
            // SAFETY: `texts` is alive.
            assert_eq!(unsafe { later.read() }, None);
        }
    }
}
