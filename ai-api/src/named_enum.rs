//! Enumerations whose variants have a number and a name.

/// Declares an enumeration that counts from 0, with a list of its variants and their names. If it
/// `grows`, the list is a slice, and only the host may match the enumeration exhaustively, because
/// only the host knows every variant.
macro_rules! named_enum {
    ($(#[$attribute:meta])* grows $type:ident {
        $($(#[$doc:meta])* $variant:ident = $name:literal,)*
    }) => {
        named_enum! {
            @ $(#[$attribute])* #[cfg_attr(not(feature = "host"), non_exhaustive)]
            $type: &'static [Self], &[$(Self::$variant),*], {
                $($(#[$doc])* $variant = $name,)*
            }
        }
    };
    ($(#[$attribute:meta])* $type:ident {
        $($(#[$doc:meta])* $variant:ident = $name:literal,)*
    }) => {
        named_enum! {
            @ $(#[$attribute])*
            $type: [Self; [$($name),*].len()], [$(Self::$variant),*], {
                $($(#[$doc])* $variant = $name,)*
            }
        }
    };
    (@ $(#[$attribute:meta])* $type:ident: $list:ty, $all:expr, {
        $($(#[$doc:meta])* $variant:ident = $name:literal,)*
    }) => {
        $(#[$attribute])*
        #[repr(u8)]
        pub enum $type {
            $($(#[$doc])* $variant,)*
        }

        impl $type {
            /// Every variant, ordered by number.
            pub const ALL: $list = $all;

            /// Returns the name in `snake_case`.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }
    };
}
pub(crate) use named_enum;
