//! The kinds of values that keys have.

use std::{marker::PhantomData, net::SocketAddr, ops::RangeInclusive, str::FromStr};

use strum::VariantArray;
use toml::de::{DeInteger, DeValue};

/// A key whose values are of a kind.
pub(crate) struct Key<K> {
    pub(crate) name: &'static str,
    pub(crate) kind: K,
}

impl Key<Number> {
    pub(super) const fn number(name: &'static str, bounds: RangeInclusive<u64>) -> Self {
        Self { name, kind: Number { bounds } }
    }
}

impl Key<Whole> {
    pub(super) const fn whole(name: &'static str, bounds: RangeInclusive<u64>, default: u64) -> Self {
        Self { name, kind: Whole { number: Number { bounds }, default } }
    }
}

/// A kind of values.
pub(crate) trait Kind {
    type Value;

    /// What is allowed, for somebody who wrote something else.
    fn allowed(&self) -> String;

    /// Whether a wrong value may be repeated to whoever reads what is wrong.
    fn confidence(&self) -> Confidence {
        Confidence::Open
    }

    /// The value, if it is of this kind and within its bounds.
    fn read(&self, value: &DeValue<'_>) -> Option<Self::Value>;
}

/// Who may see a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Confidence {
    /// Whoever sees the configuration or its errors.
    Open,
    /// Nobody: a secret may stand there by mistake.
    Secret,
}

/// A kind whose values may be left out, or written without quotes on a command line.
pub(crate) trait Setting: Kind {
    fn default(&self) -> Self::Value;

    fn parse(&self, text: &str) -> Option<Self::Value>;
}

/// A whole number within bounds.
pub(crate) struct Number {
    bounds: RangeInclusive<u64>,
}

impl Number {
    fn bounded(&self, number: u64) -> Option<u64> {
        self.bounds.contains(&number).then_some(number)
    }

    pub(crate) fn parse(&self, text: &str) -> Option<u64> {
        text.parse().ok().and_then(|number| self.bounded(number))
    }
}

impl Kind for Number {
    type Value = u64;

    fn allowed(&self) -> String {
        format!("a whole number from {} to {}", self.bounds.start(), self.bounds.end())
    }

    fn read(&self, value: &DeValue<'_>) -> Option<u64> {
        let number = value.as_integer().and_then(whole)?;
        self.bounded(u64::try_from(number).ok()?)
    }
}

/// A whole number within bounds, or its default.
pub(crate) struct Whole {
    number: Number,
    default: u64,
}

impl Kind for Whole {
    type Value = u64;

    fn allowed(&self) -> String {
        format!("{}; {} where it is left out", self.number.allowed(), self.default)
    }

    fn read(&self, value: &DeValue<'_>) -> Option<u64> {
        self.number.read(value)
    }
}

impl Setting for Whole {
    fn default(&self) -> u64 {
        self.default
    }

    fn parse(&self, text: &str) -> Option<u64> {
        self.number.parse(text)
    }
}

/// The number that `integer` writes, if it is of a size that anything here could want.
pub(crate) fn whole(integer: &DeInteger<'_>) -> Option<i64> {
    i64::from_str_radix(integer.as_str(), integer.radix()).ok()
}

/// An address and port to listen on.
pub(crate) struct Address {
    pub(super) default: SocketAddr,
}

impl Kind for Address {
    type Value = SocketAddr;

    fn allowed(&self) -> String {
        let default = self.default;
        format!("an IP address and a port, such as \"{default}\" or \"[::1]:8080\"; port 0 picks a free one")
    }

    fn read(&self, value: &DeValue<'_>) -> Option<SocketAddr> {
        value.as_str().and_then(|text| self.parse(text))
    }
}

impl Setting for Address {
    fn default(&self) -> SocketAddr {
        self.default
    }

    fn parse(&self, text: &str) -> Option<SocketAddr> {
        text.parse().ok()
    }
}

/// A vocabulary: each variant is one word.
pub(crate) trait Word: Copy + Default + FromStr + Into<&'static str> + VariantArray {}

impl<T: Copy + Default + FromStr + Into<&'static str> + VariantArray> Word for T {}

/// One of a few words, or its default.
pub(crate) struct OneOf<T>(pub(super) PhantomData<T>);

impl<T: Word> Kind for OneOf<T> {
    type Value = T;

    fn allowed(&self) -> String {
        let words: Vec<_> = T::VARIANTS.iter().map(|&word| format!("\"{}\"", word.into())).collect();
        let (last, others) = words.split_last().expect("there is something to choose from");
        format!("{} or {last}; \"{}\" where it is left out", others.join(", "), T::default().into())
    }

    fn read(&self, value: &DeValue<'_>) -> Option<T> {
        value.as_str().and_then(|text| self.parse(text))
    }
}

impl<T: Word> Setting for OneOf<T> {
    fn default(&self) -> T {
        T::default()
    }

    fn parse(&self, text: &str) -> Option<T> {
        text.parse().ok()
    }
}

/// Yes or no, and no where it is left out.
pub(crate) struct Flag;

impl Kind for Flag {
    type Value = bool;

    fn allowed(&self) -> String {
        "true or false; false where it is left out".to_owned()
    }

    fn read(&self, value: &DeValue<'_>) -> Option<bool> {
        value.as_bool()
    }
}

impl Setting for Flag {
    fn default(&self) -> bool {
        false
    }

    fn parse(&self, text: &str) -> Option<bool> {
        text.parse().ok()
    }
}

/// A text that is not empty.
pub(crate) struct Text {
    pub(crate) allowed: &'static str,
}

impl Kind for Text {
    type Value = String;

    fn allowed(&self) -> String {
        self.allowed.to_owned()
    }

    fn read(&self, value: &DeValue<'_>) -> Option<String> {
        value.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
    }
}

/// A text that means something.
pub(crate) struct Parsed<T> {
    pub(super) allowed: &'static str,
    pub(super) confidence: Confidence,
    pub(super) value: PhantomData<T>,
}

impl<T: FromStr> Kind for Parsed<T> {
    type Value = T;

    fn allowed(&self) -> String {
        self.allowed.to_owned()
    }

    fn confidence(&self) -> Confidence {
        self.confidence
    }

    fn read(&self, value: &DeValue<'_>) -> Option<T> {
        value.as_str().and_then(|text| text.parse().ok())
    }
}

/// A list of texts, each with its own place.
pub(crate) struct Texts {
    pub(crate) allowed: &'static str,
    /// Whether a text may stand in the list.
    pub(crate) fits: fn(&str) -> bool,
}

impl Kind for Texts {
    type Value = Vec<String>;

    fn allowed(&self) -> String {
        self.allowed.to_owned()
    }

    fn read(&self, value: &DeValue<'_>) -> Option<Vec<String>> {
        let texts = value.as_array()?.iter().map(|text| text.get_ref().as_str());
        texts.map(|text| text.filter(|text| (self.fits)(text)).map(str::to_owned)).collect()
    }
}

impl Setting for Texts {
    fn default(&self) -> Vec<String> {
        Vec::new()
    }

    /// On a command line they stand between commas.
    fn parse(&self, text: &str) -> Option<Vec<String>> {
        let texts = text.split(',').map(str::trim);
        texts.map(|text| Some(text).filter(|text| (self.fits)(text)).map(str::to_owned)).collect()
    }
}
