//! Structs that may grow, and lists.

use std::ptr::from_ref;

/// A struct of the contract that may grow: its first field is the size that its maker knows, a `usize`.
///
/// # Safety
/// All zeros, the size aside, are a value of it.
pub unsafe trait SizedStruct: Copy {
    /// All zeros, but for the size.
    fn empty() -> Self {
        // SAFETY: the implementer's promise.
        let mut value: Self = unsafe { std::mem::zeroed() };
        // SAFETY: the size is the first field.
        unsafe { (&raw mut value).cast::<usize>().write(size_of::<Self>()) };
        value
    }
}

/// Reads the fields that both sides know; the others are zero.
///
/// # Safety
/// As many bytes as its size are valid at `from`.
pub unsafe fn read_sized<T: SizedStruct>(from: *const T) -> T {
    let mut value = T::empty();
    // SAFETY: the size comes first, and so many bytes are valid.
    unsafe {
        let size = (*from.cast::<usize>()).min(size_of::<T>());
        std::ptr::copy_nonoverlapping(from.cast::<u8>(), (&raw mut value).cast(), size);
    }
    value
}

/// Writes the fields that both sides know, and leaves the size as it is.
///
/// # Safety
/// As many bytes as its size are valid at `to`.
pub unsafe fn write_sized<T: SizedStruct>(to: *mut T, value: &T) {
    const HEAD: usize = size_of::<usize>();
    // SAFETY: the size comes first, and so many bytes are valid.
    unsafe {
        let size = (*to.cast::<usize>()).clamp(HEAD, size_of::<T>());
        std::ptr::copy_nonoverlapping(
            from_ref(value).cast::<u8>().add(HEAD),
            to.cast::<u8>().add(HEAD),
            size - HEAD,
        );
    }
}

/// A list; none where it is null or empty.
///
/// # Safety
/// There are `length` values, which stay valid as long as the result is used.
pub unsafe fn list<'a, T>(begin: *const T, length: usize) -> &'a [T] {
    if begin.is_null() || length == 0 {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts(begin, length) }
}
