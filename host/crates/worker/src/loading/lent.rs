//! Memory that the host lends an AI for a call. It is checked after the call, so that an AI that
//! writes out of bounds is caught immediately rather than where the damage shows.

use std::{hint::black_box, mem::MaybeUninit, ptr::null};

use ai_api::AiError;

const GUARD: [u8; 256] = [0xa5; 256];

/// A struct that the AI writes, followed by bytes that it must not write.
#[repr(C)]
pub(crate) struct LentOutput<T> {
    pub(super) value: T,
    guard: [u8; GUARD.len()],
}

impl<T> LentOutput<T> {
    pub(crate) const fn new(value: T) -> Self {
        Self {
            value,
            guard: GUARD,
        }
    }

    /// Returns a pointer that may also access the guard.
    pub(super) const fn pointer(&mut self) -> *mut T {
        (&raw mut *self).cast()
    }

    /// Checks that `function` wrote nothing past the struct that the header calls `name`.
    pub(crate) fn check(&self, function: &str, name: &str) -> Result<(), AiError> {
        let Some(last) = self
            .guard
            .iter()
            .zip(GUARD)
            .rposition(|(&found, expected)| found != expected)
        else {
            return Ok(());
        };
        Err(wrong_write(format!(
            "{function} wrote {} bytes past its {name} of {} bytes; write only fields, and a \
             struct only up to its size",
            last + 1,
            size_of::<T>()
        )))
    }
}

/// Values that the AI may only read. It gets a copy.
pub(super) struct LentInput<'a, T> {
    values: &'a [T],
    copy: Vec<MaybeUninit<T>>,
}

impl<'a, T: Copy> LentInput<'a, T> {
    pub(super) fn new(values: &'a [T]) -> Self {
        Self {
            values,
            copy: values.iter().copied().map(MaybeUninit::new).collect(),
        }
    }

    /// Returns a pointer that may access all values; NULL if there are none.
    pub(super) const fn pointer(&mut self) -> *const T {
        if self.copy.is_empty() {
            null()
        } else {
            self.copy.as_mut_ptr().cast()
        }
    }

    pub(super) const fn len(&self) -> usize {
        self.values.len()
    }

    /// Checks that `function` did not change what the header calls `name`.
    pub(super) fn check(&self, function: &str, name: &str) -> Result<(), AiError> {
        // The compiler assumes that a function does not change what a shared reference points to.
        let copy = black_box(self.copy.as_ptr());
        // The copy may contain values that its type does not allow.
        // SAFETY: the contract's types have no padding, so all bytes are initialized.
        let [given, found] = [self.values.as_ptr().cast::<u8>(), copy.cast()]
            .map(|begin| unsafe { std::slice::from_raw_parts(begin, size_of_val(self.values)) });
        if given == found {
            return Ok(());
        }
        Err(wrong_write(format!(
            "{function} wrote to the {name}, which is const; change a copy"
        )))
    }
}

/// Returns the error for an invalid write, after which the instance's state is unknown.
fn wrong_write(message: String) -> AiError {
    AiError::new(message).panicked()
}
