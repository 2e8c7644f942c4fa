//! Declares the header's types and numbers in Rust.

/// Declares numbers of the header in Rust, and lists them for the test that compares them with the
/// header.
macro_rules! header_numbers {
    ($($name:ident: $type:ty = $value:literal;)*) => {
        $(
            #[doc = concat!("`ROOKERY_", stringify!($name), "`.")]
            pub const $name: $type = $value;
        )*

        #[cfg(test)]
        pub(super) const NUMBERS: &[(&str, i64)] = &[
            $((concat!("ROOKERY_", stringify!($name)), $value),)*
        ];
    };
}
pub(super) use header_numbers;

/// Declares a type of the header in Rust, and lists its fields for the test that compares them
/// with the header.
macro_rules! header_type {
    ($(#[$doc:meta])* $name:ident as $in_c:literal { $($field:ident: $type:ty,)* }) => {
        $(#[$doc])*
        #[repr(C)]
        #[derive(Clone, Copy)]
        #[cfg_attr(feature = "layout", derive(abi_stable::StableAbi))]
        #[expect(missing_docs, reason = "the header documents each field")]
        pub struct $name {
            $(pub $field: $type,)*
        }

        impl $name {
            /// The name in the header.
            #[doc(hidden)]
            pub const IN_C: &'static str = $in_c;
            /// The offsets at which its fields end.
            #[doc(hidden)]
            pub const ENDS: &'static [usize] = &[
                $(std::mem::offset_of!($name, $field) + size_of::<$type>(),)*
            ];
        }

        #[cfg(test)]
        $crate::c::header::header_fields! { $name as $in_c { $($field: $type,)* } }
    };
}
pub(super) use header_type;

/// Lists the fields of a type in the header.
#[cfg(test)]
macro_rules! header_fields {
    ($name:ident as $in_c:literal { $($field:ident: $type:ty,)* }) => {
        impl $crate::c::header::HeaderType for $name {
            const IN_C: &'static str = $in_c;
            const SIZE: usize = size_of::<Self>();
            const FIELDS: &'static [(&'static str, usize, usize)] = &[
                $((
                    stringify!($field),
                    std::mem::offset_of!($name, $field),
                    size_of::<$type>(),
                ),)*
            ];
        }
    };
}
#[cfg(test)]
pub(super) use header_fields;

/// A type in the header: its name there, and its fields with their offsets and sizes.
#[cfg(test)]
pub(super) trait HeaderType {
    const IN_C: &'static str;
    const SIZE: usize;
    const FIELDS: &'static [(&'static str, usize, usize)];
}
