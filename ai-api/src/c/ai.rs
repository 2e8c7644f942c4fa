//! The functions of an AI, and the symbol that exports them.

use std::ffi::c_char;

use super::{
    header::header_type,
    sized::SizedStruct,
    types::{CError, CEvalTerms, CManifest, CSearchRequest, CSearchResult, CSetting},
};
use crate::{Extension, Host, Position, Score, note::ABI_VERSION};

/// The header's `ROOKERY_ABI`.
pub const ABI: u32 = ABI_VERSION;
/// The name of the symbol that an AI exports. Its type is [`CAi`].
pub const ENTRY: &str = "rookery_ai_entry";

header_type! {
    /// The functions of an AI, as its library exports them.
    CAi as "rookery_ai" {
        size: usize,
        abi: u32,
        reserved: u32,
        manifest: Option<
            unsafe extern "C" fn(
                &Host<'_>,
                *const CSetting,
                usize,
                *mut CManifest,
                *mut CError,
            ) -> i32
        >,
        create: Option<
            unsafe extern "C" fn(
                &Host<'_>,
                *const CSetting,
                usize,
                *mut *mut (),
                *mut CError,
            ) -> i32
        >,
        destroy: Option<unsafe extern "C" fn(*mut ())>,
        new_game: Option<unsafe extern "C" fn(*mut (), &Host<'_>, *mut CError) -> i32>,
        search: Option<
            unsafe extern "C" fn(
                *mut (),
                *const CSearchRequest,
                &Host<'_>,
                *mut CSearchResult,
                *mut CError,
            ) -> i32,
        >,
        evaluate: Option<unsafe extern "C" fn(*mut (), &Position, &Host<'_>, *mut CError) -> Score>,
        terms: Option<
            unsafe extern "C" fn(
                *mut (),
                &Position,
                &Host<'_>,
                *mut CEvalTerms,
                *mut CError,
            ) -> i32,
        >,
        extension: Option<unsafe extern "C" fn(*const c_char) -> Option<&'static Extension>>,
        set_option: Option<
            unsafe extern "C" fn(*mut (), *const CSetting, &Host<'_>, *mut CError) -> i32
        >,
    }
}

// SAFETY: its fields are numbers and pointers that may be null.
unsafe impl SizedStruct for CAi {
    const NAME: &'static str = Self::IN_C;
    const ENDS: &'static [usize] = Self::ENDS;
    const LEAST: usize = size_of::<Self>();
}
