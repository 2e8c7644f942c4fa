//! Structs that may grow, and lists.

use std::{
    fmt,
    ptr::{from_ref, null},
};

/// A struct in the contract that may grow. Its first field, a `usize`, is the size that its creator
/// knows.
///
/// # Safety
/// A value whose bytes are all 0, except for the size, is valid.
pub unsafe trait SizedStruct: Copy {
    /// Its name in the header.
    const NAME: &'static str;
    /// The offsets at which its fields end.
    const ENDS: &'static [usize];
    /// Its size in 1.0.
    const LEAST: usize;

    /// Checks the size that the creator of a struct has set. A struct from a later version is
    /// larger.
    ///
    /// # Errors
    /// It is smaller than in 1.0, or ends inside a field.
    fn check_size(size: usize) -> Result<(), InvalidSize> {
        let is_valid =
            size >= Self::LEAST && (size > size_of::<Self>() || Self::ENDS.contains(&size));
        if is_valid {
            Ok(())
        } else {
            Err(InvalidSize {
                name: Self::NAME,
                size,
                least: Self::LEAST,
            })
        }
    }

    /// Returns a value whose bytes are all 0, except for the size.
    fn empty() -> Self {
        // SAFETY: guaranteed by the implementer.
        let mut value: Self = unsafe { std::mem::zeroed() };
        // SAFETY: the size is the first field.
        unsafe { (&raw mut value).cast::<usize>().write(size_of::<Self>()) };
        value
    }
}

/// A size that is too small, or ends inside a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidSize {
    name: &'static str,
    size: usize,
    least: usize,
}

impl fmt::Display for InvalidSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let &Self { name, size, least } = self;
        let what = if size < least {
            "is too small"
        } else {
            "ends inside a field"
        };
        write!(
            f,
            "the size {size} of {name} {what}; expected {least} or more, at the end of a field: \
             set it to sizeof({name})"
        )
    }
}

impl std::error::Error for InvalidSize {}

/// Reads the fields that both sides know, and leaves the others zero.
///
/// # Safety
/// `from` is valid for as many bytes as its size says.
pub unsafe fn read_sized<T: SizedStruct>(from: *const T) -> T {
    let mut value = T::empty();
    // SAFETY: the size comes first, and that many bytes are valid.
    unsafe {
        let size = (*from.cast::<usize>()).min(size_of::<T>());
        std::ptr::copy_nonoverlapping(from.cast::<u8>(), (&raw mut value).cast(), size);
    }
    value
}

/// Writes the fields that both sides know, and leaves the size unchanged.
///
/// # Safety
/// `to` is valid for as many bytes as its size says.
pub unsafe fn write_sized<T: SizedStruct>(to: *mut T, value: &T) {
    const HEAD: usize = size_of::<usize>();
    // SAFETY: the size comes first, and that many bytes are valid.
    unsafe {
        let size = (*to.cast::<usize>()).clamp(HEAD, size_of::<T>());
        std::ptr::copy_nonoverlapping(
            from_ref(value).cast::<u8>().add(HEAD),
            to.cast::<u8>().add(HEAD),
            size - HEAD,
        );
    }
}

/// Returns the pointer to a list, or NULL if it is empty.
pub const fn pointer<T>(list: &[T]) -> *const T {
    if list.is_empty() {
        null()
    } else {
        list.as_ptr()
    }
}

/// Returns a list, or an empty one if it is null or empty.
///
/// # Safety
/// `begin` points to `length` values, which stay valid as long as the result is used.
pub unsafe fn list<'a, T>(begin: *const T, length: usize) -> &'a [T] {
    if begin.is_null() || length == 0 {
        return &[];
    }
    // SAFETY: guaranteed by the caller.
    unsafe { std::slice::from_raw_parts(begin, length) }
}
