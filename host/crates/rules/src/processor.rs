//! Variants of functions for processors with additional instructions.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{__cpuid, _pext_u64};
#[cfg(target_arch = "x86_64")]
use std::sync::LazyLock;

/// Proof that the processor counts, finds and gathers bits with one fast instruction each, and has
/// AVX2.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
pub(crate) struct Modern(());

#[cfg(target_arch = "x86_64")]
impl Modern {
    /// Queries the processor once.
    #[inline]
    pub(crate) fn detect() -> Option<Self> {
        static IS_MODERN: LazyLock<bool> = LazyLock::new(|| {
            is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("lzcnt")
                && is_x86_feature_detected!("popcnt")
                && !gathers_slowly()
        });
        IS_MODERN.then_some(Self(()))
    }

    /// The bits of `value` under `mask`, packed together.
    #[inline]
    #[expect(clippy::unused_self, reason = "`self` is the proof")]
    pub(crate) fn gather(self, value: u64, mask: u64) -> u64 {
        // SAFETY: a `Modern` exists only where the processor has BMI2.
        unsafe { _pext_u64(value, mask) }
    }
}

/// Returns whether this is an AMD processor before Zen 3, whose `pext` takes over a hundred cycles.
#[cfg(target_arch = "x86_64")]
fn gathers_slowly() -> bool {
    const ZEN_3: u32 = 0x19;
    let vendor = __cpuid(0);
    let version = __cpuid(1).eax;
    let family = (version >> 8 & 0xf) + (version >> 20 & 0xff);
    let is_amd = [vendor.ebx, vendor.edx, vendor.ecx]
        .map(u32::to_le_bytes)
        .concat()
        == b"AuthenticAMD";
    is_amd && family < ZEN_3
}

/// Defines a function in terms of one that takes [`Sliders`](crate::slides::Sliders) first and is
/// compiled twice: for every processor, and for [`Modern`] ones.
macro_rules! variants {
    ($($(#[$attribute:meta])* $visibility:vis fn $name:ident(
        $($argument:ident: $type:ty),*
    ) $(-> $result:ty)? = $work:ident;)*) => {$(
        $(#[$attribute])*
        #[cfg_attr(target_arch = "x86_64", expect(unsafe_code, reason = "calls the variant for a \
            known processor"))]
        $visibility fn $name($($argument: $type),*) $(-> $result)? {
            #[cfg(target_arch = "x86_64")]
            if let Some(modern) = $crate::processor::Modern::detect() {
                #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
                fn variant(
                    modern: $crate::processor::Modern,
                    $($argument: $type),*
                ) $(-> $result)? {
                    $work(modern, $($argument),*)
                }
                // SAFETY: a `Modern` exists only where the processor has these features.
                return unsafe { variant(modern, $($argument),*) };
            }
            $work($crate::slides::Portable, $($argument),*)
        }
    )*};
}
pub(crate) use variants;

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    #[test]
    fn gathers_the_bits_under_a_mask() {
        if let Some(modern) = Modern::detect() {
            assert_eq!(modern.gather(0b1010_1100, 0b1111_0000), 0b1010);
            assert_eq!(modern.gather(!0, 0x8000_0000_0000_0001), 0b11);
        }
    }
}
