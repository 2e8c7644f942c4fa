//! JSON as JSON Schema interprets it.

use std::fmt;

use serde::{
    Deserializer,
    de::{DeserializeSeed, IntoDeserializer, MapAccess, SeqAccess, Visitor},
};

/// A strict JSON reader. It wraps a deserializer and everything through which it reads values.
///
/// A struct is read only from an object: a derived `Deserialize` would also accept a list of its
/// fields. An enum is read only from a name, not from an object with the name as its key. `1.0` and
/// `1e2` are whole numbers. A number that doesn't equal any 64-bit integer stays a floating point
/// number.
#[derive(Debug)]
pub struct StrictJson<T>(pub T);

macro_rules! forward_to_deserializer {
    ($($method:ident($($argument:ident: $type:ty),*);)*) => {$(
        fn $method<V: Visitor<'de>>(
            self,
            $($argument: $type,)*
            visitor: V,
        ) -> Result<V::Value, D::Error> {
            self.0.$method($($argument,)* StrictJson(visitor))
        }
    )*};
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for StrictJson<D> {
    type Error = D::Error;

    forward_to_deserializer! {
        deserialize_any();
        deserialize_bool();
        deserialize_i8();
        deserialize_i16();
        deserialize_i32();
        deserialize_i64();
        deserialize_i128();
        deserialize_u8();
        deserialize_u16();
        deserialize_u32();
        deserialize_u64();
        deserialize_u128();
        deserialize_f32();
        deserialize_f64();
        deserialize_char();
        deserialize_str();
        deserialize_string();
        deserialize_bytes();
        deserialize_byte_buf();
        deserialize_option();
        deserialize_unit();
        deserialize_unit_struct(name: &'static str);
        deserialize_newtype_struct(name: &'static str);
        deserialize_seq();
        deserialize_tuple(len: usize);
        deserialize_tuple_struct(name: &'static str, len: usize);
        deserialize_map();
        deserialize_identifier();
        deserialize_ignored_any();
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.0.deserialize_map(StructVisitor(visitor))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.0.deserialize_str(EnumVisitor(visitor))
    }

    fn is_human_readable(&self) -> bool {
        self.0.is_human_readable()
    }
}

struct StructVisitor<V>(V);

impl<'de, V: Visitor<'de>> Visitor<'de> for StructVisitor<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V::Value, A::Error> {
        self.0.visit_map(StrictJson(map))
    }
}

struct EnumVisitor<V>(V);

impl<'de, V: Visitor<'de>> Visitor<'de> for EnumVisitor<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<V::Value, E> {
        self.0.visit_enum(name.into_deserializer())
    }
}

macro_rules! forward_to_visitor {
    ($($method:ident($type:ty);)*) => {$(
        fn $method<E: serde::de::Error>(self, value: $type) -> Result<V::Value, E> {
            self.0.$method(value)
        }
    )*};
}

impl<'de, V: Visitor<'de>> Visitor<'de> for StrictJson<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.expecting(f)
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<V::Value, E> {
        match whole(value) {
            Some(Whole::Unsigned(value)) => self.0.visit_u64(value),
            Some(Whole::Negative(value)) => self.0.visit_i64(value),
            None => self.0.visit_f64(value),
        }
    }

    forward_to_visitor! {
        visit_bool(bool);
        visit_i64(i64);
        visit_i128(i128);
        visit_u64(u64);
        visit_u128(u128);
        visit_char(char);
        visit_str(&str);
        visit_borrowed_str(&'de str);
        visit_string(String);
        visit_bytes(&[u8]);
        visit_borrowed_bytes(&'de [u8]);
        visit_byte_buf(Vec<u8>);
    }

    fn visit_none<E: serde::de::Error>(self) -> Result<V::Value, E> {
        self.0.visit_none()
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<V::Value, E> {
        self.0.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<V::Value, D::Error> {
        self.0.visit_some(StrictJson(deserializer))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(
        self,
        deserializer: D,
    ) -> Result<V::Value, D::Error> {
        self.0.visit_newtype_struct(StrictJson(deserializer))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<V::Value, A::Error> {
        self.0.visit_seq(StrictJson(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V::Value, A::Error> {
        self.0.visit_map(StrictJson(map))
    }
}

enum Whole {
    Unsigned(u64),
    Negative(i64),
}

/// Returns the integer that a floating point number equals.
fn whole(value: f64) -> Option<Whole> {
    /// -2⁶³, the smallest 64-bit integer. `END` is 2⁶⁴.
    const LEAST: f64 = -9_223_372_036_854_775_808.0;
    const END: f64 = -2.0 * LEAST;
    if value.fract() != 0.0 {
        return None;
    }
    match value {
        0.0..END => Some(Whole::Unsigned(value as u64)),
        LEAST..0.0 => Some(Whole::Negative(value as i64)),
        _ => None,
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for StrictJson<S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<S::Value, D::Error> {
        self.0.deserialize(StrictJson(deserializer))
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for StrictJson<A> {
    type Error = A::Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, A::Error> {
        self.0.next_element_seed(StrictJson(seed))
    }

    fn size_hint(&self) -> Option<usize> {
        self.0.size_hint()
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for StrictJson<A> {
    type Error = A::Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, A::Error> {
        self.0.next_key_seed(seed)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        self.0.next_value_seed(StrictJson(seed))
    }

    fn size_hint(&self) -> Option<usize> {
        self.0.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::{Deserialize, de::DeserializeOwned};
    use serde_json::{Value, json};

    use super::*;

    fn read<T: DeserializeOwned>(text: &str) -> Result<T, String> {
        let mut json = serde_json::Deserializer::from_str(text);
        T::deserialize(StrictJson(&mut json)).map_err(|error| error.to_string())
    }

    #[test]
    fn reads_whole_numbers_in_any_notation() {
        for (text, expected) in [
            ("1.0", 1),
            ("1e2", 100),
            ("12.50e1", 125),
            ("-0.0", 0),
            ("-3.0", -3),
            ("-9.223372036854775808e18", i64::MIN),
            ("0e99", 0),
            ("7", 7),
        ] {
            assert_eq!(read::<i64>(text), Ok(expected), "{text}");
        }
        assert_eq!(read::<u64>("1e19"), Ok(10_000_000_000_000_000_000));
        assert_eq!(read::<u8>("255.0"), Ok(255));
    }

    #[test]
    fn rejects_numbers_that_equal_no_64_bit_integer() {
        for text in [
            "1.5",
            "1e-1",
            "1e300",
            "1.8446744073709552e19",
            "-9.3e18",
            "18446744073709551616",
        ] {
            assert!(read::<i64>(text).is_err(), "{text}");
            assert!(read::<u64>(text).is_err(), "{text}");
        }
        assert!(read::<u64>("-1.0").is_err_and(|error| error.contains("integer `-1`")));
        assert!(read::<u8>("256.0").is_err_and(|error| error.contains("integer `256`")));
    }

    #[test]
    fn reads_whole_numbers_at_every_depth() {
        #[derive(Debug, PartialEq, Deserialize)]
        struct Newtype(i64);

        #[derive(Debug, PartialEq, Deserialize)]
        #[serde(untagged)]
        enum Untagged {
            Number(u8),
            Name(String),
        }

        assert_eq!(read("[[1.0, 2], [3e0]]"), Ok(vec![vec![1, 2], vec![3_i64]]));
        assert_eq!(
            read(r#"{"a": 1.0}"#),
            Ok(BTreeMap::from([("a".to_owned(), Newtype(1))]))
        );
        assert_eq!(read("[1.0, null]"), Ok([Some(1_u32), None]));
        assert_eq!(
            read(r#"[4.0, "4.0"]"#),
            Ok([Untagged::Number(4), Untagged::Name("4.0".into())])
        );
        assert_eq!(
            read::<Value>(r#"{"a": [1.0, {"b": 1.5}]}"#),
            Ok(json!({"a": [1, {"b": 1.5}]}))
        );
        assert_eq!(
            read("[1.0, 0.5]"),
            Ok([1.0, 0.5]),
            "a decimal number may be whole"
        );
    }

    #[test]
    fn reads_structs_only_from_objects_and_enums_only_from_names() {
        #[derive(Debug, PartialEq, Deserialize)]
        #[serde(rename_all = "lowercase")]
        enum Color {
            White,
            Black,
        }

        #[derive(Debug, PartialEq, Deserialize)]
        struct Piece {
            color: Color,
            value: Option<u8>,
        }

        let piece = |value| Piece {
            color: Color::White,
            value,
        };
        assert_eq!(
            read(r#"[{"color": "white", "value": 3.0}, {"color": "white"}]"#),
            Ok([piece(Some(3)), piece(None)])
        );
        for (text, error) in [
            (
                r#"["white", 3]"#,
                "invalid type: sequence, expected an object",
            ),
            (
                r#""white""#,
                r#"invalid type: string "white", expected an object"#,
            ),
            (
                r#"{"color": {"white": null}}"#,
                "invalid type: map, expected a name",
            ),
            (
                r#"{"color": 1}"#,
                "invalid type: integer `1`, expected a name",
            ),
            (
                r#"{"color": "red"}"#,
                "unknown variant `red`, expected `white` or `black`",
            ),
        ] {
            let found = read::<Piece>(text).unwrap_err();
            assert!(found.starts_with(error), "{found}");
        }
        assert!(read::<Option<Piece>>("[]").is_err());
        assert!(read::<Vec<Piece>>(r#"[["white", 1]]"#).is_err());
    }
}
