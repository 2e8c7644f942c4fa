//! The kinds of values that settings have.

use std::{
    fmt::{Display, Write as _},
    marker::PhantomData,
    ops::RangeInclusive,
    path::{Path, PathBuf},
    str::FromStr,
};

use strum::VariantArray;
use toml::{Spanned, de::DeValue};

use crate::{
    issue::Issues,
    library_path::absolute,
    source::{SHOWN_VALUE, shortened},
};

/// A kind of value: its type, its bounds and its form in TOML.
pub trait Kind {
    type Value: Clone;

    /// Describes the allowed values.
    fn values(&self) -> String;

    /// Reads a value from the file and reports what is wrong with it.
    fn read(&self, found: &GivenValue<'_>, issues: &mut Issues<'_>) -> Option<Self::Value>;

    /// Parses the value of a flag or an environment variable; `None` if it is not allowed.
    fn parse(&self, text: &str, folder: &Path) -> Option<Self::Value>;

    /// Writes the value as TOML.
    fn show(&self, value: &Self::Value) -> String;
}

/// A value in the file.
pub struct GivenValue<'t> {
    /// The full name of its key.
    pub path: &'t str,
    pub value: &'t Spanned<DeValue<'t>>,
    /// The folder that paths are relative to.
    pub folder: &'t Path,
    pub allowed: &'t str,
}

impl GivenValue<'_> {
    /// Returns the converted value, or reports that the value is wrong.
    pub fn checked<T>(&self, converted: Option<T>, issues: &mut Issues<'_>) -> Option<T> {
        if converted.is_none() {
            let message = format!("`{}` is {}", self.path, description(self.value.get_ref()));
            issues.at(&self.value.span(), &message).allow(self.allowed);
        }
        converted
    }

    /// Returns the converted secret, or reports that it is wrong without showing it.
    pub fn checked_secret<T>(&self, converted: Option<T>, issues: &mut Issues<'_>) -> Option<T> {
        if converted.is_none() {
            let message = format!(
                "`{}` has an invalid value, which is not shown because it may be a secret",
                self.path
            );
            issues
                .at(&self.value.span(), &message)
                .conceal()
                .allow(self.allowed);
        }
        converted
    }
}

/// A whole number within bounds.
pub struct Number<T> {
    bounds: RangeInclusive<u64>,
    value: PhantomData<T>,
}

pub const fn number<T>(bounds: RangeInclusive<u64>) -> Number<T> {
    Number {
        bounds,
        value: PhantomData,
    }
}

impl<T: TryFrom<u64> + Clone + Display> Number<T> {
    fn bounded(&self, number: u64) -> Option<T> {
        self.bounds
            .contains(&number)
            .then(|| T::try_from(number).ok())?
    }
}

impl<T: TryFrom<u64> + Clone + Display> Kind for Number<T> {
    type Value = T;

    fn values(&self) -> String {
        format!(
            "a whole number from {} to {}",
            self.bounds.start(),
            self.bounds.end()
        )
    }

    fn read(&self, found: &GivenValue<'_>, issues: &mut Issues<'_>) -> Option<T> {
        let number = integer(found.value.get_ref()).and_then(|number| u64::try_from(number).ok());
        found.checked(number.and_then(|number| self.bounded(number)), issues)
    }

    fn parse(&self, text: &str, _: &Path) -> Option<T> {
        text.parse().ok().and_then(|number| self.bounded(number))
    }

    fn show(&self, value: &T) -> String {
        value.to_string()
    }
}

/// Returns the integer `value` if it has at most 64 bits.
pub fn integer(value: &DeValue<'_>) -> Option<i64> {
    value
        .as_integer()
        .and_then(|number| i64::from_str_radix(number.as_str(), number.radix()).ok())
}

/// `true` or `false`.
pub struct Flag;

impl Kind for Flag {
    type Value = bool;

    fn values(&self) -> String {
        "true or false".to_owned()
    }

    fn read(&self, found: &GivenValue<'_>, issues: &mut Issues<'_>) -> Option<bool> {
        found.checked(found.value.get_ref().as_bool(), issues)
    }

    fn parse(&self, text: &str, _: &Path) -> Option<bool> {
        text.parse().ok()
    }

    fn show(&self, value: &bool) -> String {
        value.to_string()
    }
}

/// A non-empty string that is parsed as a `T`.
pub struct ParsedText<T> {
    values: String,
    parse: fn(&str) -> Option<T>,
    show: fn(&T) -> String,
}

pub fn text<T: Display + FromStr>(values: &str) -> ParsedText<T> {
    parsed(values, |text| text.parse().ok(), T::to_string)
}

pub fn parsed<T>(
    values: &str,
    parse: fn(&str) -> Option<T>,
    show: fn(&T) -> String,
) -> ParsedText<T> {
    ParsedText {
        values: values.to_owned(),
        parse,
        show,
    }
}

pub fn path(values: &str) -> ParsedText<PathBuf> {
    parsed(values, |text| Some(text.into()), shown_path)
}

/// Creates the kind for the names of an enum's variants.
pub(crate) fn choice<T: Copy + FromStr + Into<&'static str> + VariantArray>() -> ParsedText<T> {
    let words: Vec<_> = T::VARIANTS
        .iter()
        .map(|&variant| quoted(variant.into()))
        .collect();
    let (last, others) = words.split_last().expect("the enum has variants");
    let values = format!("{} or {last}", others.join(", "));
    parsed(
        &values,
        |text| text.parse().ok(),
        |&variant| variant.into().to_owned(),
    )
}

impl<T: Clone> Kind for ParsedText<T> {
    type Value = T;

    fn values(&self) -> String {
        self.values.clone()
    }

    fn read(&self, found: &GivenValue<'_>, issues: &mut Issues<'_>) -> Option<T> {
        let converted = found
            .value
            .get_ref()
            .as_str()
            .and_then(|text| self.parse(text, found.folder));
        found.checked(converted, issues)
    }

    fn parse(&self, text: &str, _: &Path) -> Option<T> {
        Some(text)
            .filter(|text| !text.is_empty())
            .and_then(self.parse)
    }

    fn show(&self, value: &T) -> String {
        quoted(&(self.show)(value))
    }
}

/// A list of strings that are parsed as `T` and collected into `C`.
pub struct List<T, C> {
    values: &'static str,
    item: fn(&str, &Path) -> Result<T, ItemError>,
    show: fn(&T) -> String,
    collection: PhantomData<C>,
}

/// Why a string cannot be in a list.
pub enum ItemError {
    /// The string itself is not allowed.
    Value,
    /// The string names something missing or unusable. The message follows the name of the key.
    Target(String),
}

impl<T, C> List<T, C> {
    pub const fn new(
        values: &'static str,
        item: fn(&str, &Path) -> Result<T, ItemError>,
        show: fn(&T) -> String,
    ) -> Self {
        Self {
            values,
            item,
            show,
            collection: PhantomData,
        }
    }
}

/// A list of non-empty strings.
pub const fn texts(values: &'static str) -> List<String, Vec<String>> {
    List::new(
        values,
        |text, _| allowed_text(text, |text| !text.is_empty()),
        String::clone,
    )
}

/// Returns the text if it is allowed.
///
/// # Errors
/// The text is not allowed.
pub fn allowed_text(text: &str, is_allowed: fn(&str) -> bool) -> Result<String, ItemError> {
    if is_allowed(text) {
        Ok(text.to_owned())
    } else {
        Err(ItemError::Value)
    }
}

/// Returns the absolute path for a non-empty string.
pub(crate) fn absolute_path(text: &str, folder: &Path) -> Result<PathBuf, ItemError> {
    if text.is_empty() {
        Err(ItemError::Value)
    } else {
        Ok(absolute(folder, text))
    }
}

impl<T, C: Clone + FromIterator<T>> Kind for List<T, C>
where
    for<'a> &'a C: IntoIterator<Item = &'a T>,
{
    type Value = C;

    fn values(&self) -> String {
        self.values.to_owned()
    }

    /// Parses items separated by commas.
    fn parse(&self, text: &str, folder: &Path) -> Option<C> {
        text.split(',')
            .map(|item| (self.item)(item.trim(), folder).ok())
            .collect()
    }

    fn show(&self, value: &C) -> String {
        list(value.into_iter().map(self.show))
    }

    /// Reports each wrong item at its place and returns the other items.
    fn read(&self, found: &GivenValue<'_>, issues: &mut Issues<'_>) -> Option<C> {
        let GivenValue {
            path,
            value,
            folder,
            allowed,
        } = found;
        let items = found.checked(value.get_ref().as_array(), issues)?;
        let mut read = |given: &Spanned<DeValue<'_>>| {
            let text = given.get_ref().as_str().ok_or(ItemError::Value);
            let issue = match text.and_then(|text| (self.item)(text, folder)) {
                Ok(item) => return Some(item),
                Err(ItemError::Value) => {
                    let message = format!("`{path}` contains {}", description(given.get_ref()));
                    issues.at(&given.span(), &message)
                }
                Err(ItemError::Target(message)) => {
                    issues.missing(&given.span(), &format!("`{path}` {message}"))
                }
            };
            issue.allow(allowed);
            None
        };
        Some(items.iter().filter_map(&mut read).collect())
    }
}

/// One string, or a list of one or more strings.
pub struct OneOrMore<T>(pub List<T, Vec<T>>);

impl<T: Clone> Kind for OneOrMore<T> {
    type Value = Vec<T>;

    fn values(&self) -> String {
        self.0.values()
    }

    fn read(&self, found: &GivenValue<'_>, issues: &mut Issues<'_>) -> Option<Vec<T>> {
        match found.value.get_ref() {
            DeValue::Array(items) if !items.is_empty() => self.0.read(found, issues),
            other => {
                let item = other
                    .as_str()
                    .and_then(|text| (self.0.item)(text, found.folder).ok());
                found.checked(item.map(|item| vec![item]), issues)
            }
        }
    }

    fn parse(&self, text: &str, folder: &Path) -> Option<Vec<T>> {
        self.0.parse(text, folder)
    }

    fn show(&self, value: &Vec<T>) -> String {
        match &value[..] {
            [one] => quoted(&(self.0.show)(one)),
            more => self.0.show(&more.to_vec()),
        }
    }
}

/// Describes a value from the file for a message.
pub fn description(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => description_of_text(text),
        DeValue::Integer(number) => shortened(&number.to_string(), SHOWN_VALUE),
        DeValue::Float(number) => shortened(&number.to_string(), SHOWN_VALUE),
        DeValue::Boolean(flag) => flag.to_string(),
        DeValue::Datetime(date) => format!("the date {date}"),
        DeValue::Array(items) if items.is_empty() => "an empty list".to_owned(),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::Table(_) => "a table".to_owned(),
    }
}

/// Describes a string for a message.
pub fn description_of_text(text: &str) -> String {
    match text {
        "" => "an empty string".to_owned(),
        text => format!("\"{}\"", shortened(text, SHOWN_VALUE)),
    }
}

/// Writes a list of strings as TOML.
pub fn list(texts: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    let texts: Vec<_> = texts
        .into_iter()
        .map(|text| quoted(text.as_ref()))
        .collect();
    format!("[{}]", texts.join(", "))
}

#[expect(clippy::ptr_arg, reason = "`show` functions take a reference")]
pub fn shown_path(path: &PathBuf) -> String {
    path.to_string_lossy().into_owned()
}

/// Writes a string as TOML.
pub fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            _ if character.is_control() => _ = write!(quoted, "\\u{:04X}", u32::from(character)),
            _ => quoted.push(character),
        }
    }
    quoted.push('"');
    quoted
}
