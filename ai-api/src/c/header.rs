//! Declares the types of the header.

/// Declares a type of the header, and lists its fields for the test that compares the two.
macro_rules! header_type {
    ($(#[$doc:meta])* $name:ident as $in_c:literal { $($field:ident: $type:ty,)* }) => {
        $(#[$doc])*
        #[repr(C)]
        #[derive(Clone, Copy, StableAbi)]
        #[expect(missing_docs, reason = "the header documents each field")]
        pub struct $name {
            $(pub $field: $type,)*
        }

        #[cfg(test)]
        impl $crate::c::header::HeaderType for $name {
            const IN_C: &'static str = $in_c;
            const SIZE: usize = size_of::<Self>();
            const FIELDS: &'static [(&'static str, usize, usize)] =
                &[$((stringify!($field), std::mem::offset_of!($name, $field), size_of::<$type>()),)*];
        }
    };
}
pub(super) use header_type;

/// A type of the header: its name there, and its fields with their offsets and sizes.
#[cfg(test)]
pub(super) trait HeaderType {
    const IN_C: &'static str;
    const SIZE: usize;
    const FIELDS: &'static [(&'static str, usize, usize)];
}
