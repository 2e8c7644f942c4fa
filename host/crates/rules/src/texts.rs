//! Macros for enumerations whose variants have text: error messages or names. They replace another
//! crate's derives because the tests of every Rust AI compile this crate, possibly without a
//! registry.

/// Declares an error: a variant's `#[error("…", arguments)]` is its message. The arguments can use
/// the variant's fields as variables.
macro_rules! errors {
    ($(#[$attribute:meta])* pub enum $type:ident { $(
        $(#[doc = $doc:literal])*
        #[error($text:literal $(, $($argument:expr),+)?)]
        $variant:ident
            $(($inner:ident: $inner_type:ty))?
            $({ $($(#[doc = $field_doc:literal])* $field:ident: $field_type:ty,)* })?,
    )* }) => {
        $(#[$attribute])*
        pub enum $type { $(
            $(#[doc = $doc])*
            $variant $(($inner_type))? $({ $($(#[doc = $field_doc])* $field: $field_type,)* })?,
        )* }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                match self { $(
                    Self::$variant $(($inner))? $({ $($field),* })? => {
                        write!(f, $text $(, $($argument),+)?)
                    }
                )* }
            }
        }

        impl std::error::Error for $type {}
    };
}

/// Declares an enumeration whose variants have names.
macro_rules! words {
    ($(#[$attribute:meta])* pub enum $type:ident { $(
        $(#[doc = $doc:literal])*
        $variant:ident
            $(($inner:ty))?
            $({ $($(#[doc = $field_doc:literal])* $field:ident: $field_type:ty,)* })?
            = $name:literal,
    )* }) => {
        $(#[$attribute])*
        pub enum $type { $(
            $(#[doc = $doc])*
            $variant $(($inner))? $({ $($(#[doc = $field_doc])* $field: $field_type,)* })?,
        )* }

        impl $type {
            /// The name of each variant.
            pub const VARIANTS: &[&str] = &[$($name),*];

            /// Returns the name in `snake_case`.
            pub const fn into_str(&self) -> &'static str {
                match self { $(Self::$variant { .. } => $name,)* }
            }
        }

        impl From<$type> for &'static str {
            fn from(word: $type) -> Self {
                word.into_str()
            }
        }
    };
}

pub(crate) use {errors, words};
