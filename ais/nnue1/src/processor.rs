//! Code for processors with instructions beyond the architecture's minimum.

use std::sync::LazyLock;

/// Proof that the processor can count and find bits in one instruction each, and has AVX2.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Modern(());

impl Modern {
    /// Detects the processor's features, once.
    #[inline]
    pub(crate) fn detect() -> Option<Self> {
        static IS_MODERN: LazyLock<bool> = LazyLock::new(|| {
            #[cfg(target_arch = "x86_64")]
            return is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("lzcnt")
                && is_x86_feature_detected!("popcnt");
            #[cfg(not(target_arch = "x86_64"))]
            return false;
        });
        IS_MODERN.then_some(Self(()))
    }

    /// Calls a function, compiled for these processors as far as the compiler inlines it.
    #[cfg(target_arch = "x86_64")]
    #[inline]
    #[expect(clippy::unused_self, reason = "`self` is the proof")]
    pub(crate) fn run<T>(self, work: impl FnOnce() -> T) -> T {
        #[target_feature(enable = "avx2,bmi1,lzcnt,popcnt")]
        fn variant<T>(work: impl FnOnce() -> T) -> T {
            work()
        }
        // SAFETY: a `Modern` exists only where the processor has these features.
        unsafe { variant(work) }
    }

    #[cfg(not(target_arch = "x86_64"))]
    #[expect(clippy::unused_self, reason = "`self` is the proof")]
    pub(crate) fn run<T>(self, work: impl FnOnce() -> T) -> T {
        work()
    }
}
