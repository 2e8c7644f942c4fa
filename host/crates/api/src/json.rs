//! Reads clients' JSON.

use std::{collections::BTreeMap, fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer,
    de::{self, DeserializeOwned, DeserializeSeed, IntoDeserializer, MapAccess, Visitor},
};
use serde_path_to_error::{Segment, Track};

use crate::{
    error::{Malformed, pointer_part},
    explained::{Explained, explained},
};
use config::shortened;
use formats::StrictJson;

/// Reads one object from JSON without a byte order mark.
///
/// # Errors
/// The text is not JSON, or does not match `T`.
pub fn read<'de, T: Deserialize<'de>>(bytes: &'de [u8]) -> serde_json::Result<T> {
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let value = T::deserialize(StrictJson(&mut reader))?;
    reader.end()?;
    Ok(value)
}

/// The maximum number of characters of a key in a message.
const MAX_KEY_CHARS: usize = 64;

/// Reads an object with any keys, and rejects a key that occurs twice.
pub(crate) fn unique_keys<'de, D: Deserializer<'de>, V: Deserialize<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, V>, D::Error> {
    deserializer.deserialize_map(UniqueKeysVisitor(PhantomData))
}

struct UniqueKeysVisitor<V>(PhantomData<V>);

impl<'de, V: Deserialize<'de>> Visitor<'de> for UniqueKeysVisitor<V> {
    type Value = BTreeMap<String, V>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut values = BTreeMap::new();
        while let Some((key, value)) = map.next_entry::<String, V>()? {
            if values.contains_key(&key) {
                let key = shortened(&key, MAX_KEY_CHARS);
                return Err(de::Error::custom(format!(
                    "'{key}' is set twice; set it once"
                )));
            }
            values.insert(key, value);
        }
        Ok(values)
    }
}

/// Reads a value that is present and not `null`.
pub(crate) fn some<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// Reads a name in an untagged enum, which would otherwise also accept an object with the name as
/// its key.
pub(crate) fn name<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    deserializer.deserialize_str(NameVisitor(PhantomData))
}

struct NameVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for NameVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        T::deserialize(text.into_deserializer())
    }
}

/// An object whose keys are case-insensitive.
#[derive(Clone, Debug)]
pub struct Caseless<T>(pub T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Caseless<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::deserialize(CaselessDeserializer(deserializer)).map(Self)
    }
}

struct CaselessDeserializer<D>(D);

impl<'de, D: Deserializer<'de>> Deserializer<'de> for CaselessDeserializer<D> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_any(visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.0.deserialize_struct(
            name,
            fields,
            CaselessFields {
                inner: visitor,
                fields,
            },
        )
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

/// Wraps a struct's visitor or its map access, and spells the keys as the struct does.
struct CaselessFields<I> {
    inner: I,
    fields: &'static [&'static str],
}

impl<'de, V: Visitor<'de>> Visitor<'de> for CaselessFields<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(f)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V::Value, A::Error> {
        self.inner.visit_map(CaselessFields {
            inner: map,
            fields: self.fields,
        })
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for CaselessFields<A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        let Some(key) = self.inner.next_key::<String>()? else {
            return Ok(None);
        };
        let known = self
            .fields
            .iter()
            .find(|field| field.eq_ignore_ascii_case(&key));
        seed.deserialize(
            known
                .map_or(key.as_str(), |field| field)
                .into_deserializer(),
        )
        .map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.inner.next_value_seed(seed)
    }
}

/// Parses a JSON body.
///
/// # Errors
/// The body is not JSON, or does not match `T`.
pub fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Malformed> {
    // Tracking the location costs more than parsing, so the body is parsed again with tracking only
    // after an error.
    if let Ok(value) = read(bytes) {
        return Ok(value);
    }
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        return Err(Malformed::new(
            "",
            "the body begins with a UTF-16 byte order mark; send JSON in UTF-8",
        ));
    }
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let mut track = Track::new();
    let tracked = serde_path_to_error::Deserializer::new(StrictJson(&mut reader), &mut track);
    let value = T::deserialize(tracked).map_err(|error| {
        let error = serde_path_to_error::Error::new(track.path(), error);
        let pointer: String = error.path().iter().filter_map(step).collect();
        malformed(pointer, error.inner())
    })?;
    reader
        .end()
        .map_err(|error| malformed(String::new(), &error))?;
    Ok(value)
}

/// Converts a serde error to a request error that refers to `pointer`.
fn malformed(mut pointer: String, error: &serde_json::Error) -> Malformed {
    let (line, column) = (error.line(), error.column());
    let text = error.to_string();
    let text = text
        .strip_suffix(&format!(" at line {line} column {column}"))
        .unwrap_or(&text);
    if !error.is_data() {
        let detail = format!(
            "the body is not JSON: {text} at line {line}, column {column}; send one JSON object"
        );
        return Malformed {
            pointer,
            detail: text::printable(&detail),
        };
    }
    let Explained { field, detail } = explained(text);
    // For an unknown field, the pointer already includes it.
    if let Some(step) = field
        .map(|field| pointer_part(&field))
        .filter(|step| !pointer.ends_with(step))
    {
        pointer += &step;
    }
    Malformed {
        pointer,
        detail: text::printable(&detail),
    }
}

fn step(segment: &Segment) -> Option<String> {
    match segment {
        Segment::Seq { index } => Some(format!("/{index}")),
        Segment::Map { key } => Some(pointer_part(key)),
        Segment::Enum { .. } | Segment::Unknown => None,
    }
}
