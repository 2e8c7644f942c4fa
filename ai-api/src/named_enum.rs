//! Enumerations whose variants have a number and a name.

/// Declares an enumeration that counts from 0, with a list of its variants and their names.
macro_rules! named_enum {
    ($(#[$attribute:meta])* $type:ident { $($(#[$doc:meta])* $variant:ident = $name:literal,)* }) => {
        $(#[$attribute])*
        #[repr(u8)]
        pub enum $type {
            $($(#[$doc])* $variant,)*
        }

        impl $type {
            /// Every variant, in the order of its number.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$variant),*];

            /// The name in `snake_case`.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }
    };
}
pub(crate) use named_enum;
