//! The processor-time clock of another process.

use std::{io, time::Duration};

/// Returns the processor time of all threads of a process, exited ones included. It takes less than a microsecond, unlike
/// `/proc`, which matters because each job reads it twice.
pub(crate) fn process_cpu_time(process: u32) -> io::Result<Duration> {
    let (mut clock, mut time) = (0, libc::timespec { tv_sec: 0, tv_nsec: 0 });
    // SAFETY: the function writes to the number of the clock alone.
    let error = unsafe { libc::clock_getcpuclockid(process.cast_signed(), &raw mut clock) };
    if error != 0 {
        return Err(io::Error::from_raw_os_error(error));
    }
    // SAFETY: the function writes to the time alone.
    if unsafe { libc::clock_gettime(clock, &raw mut time) } != 0 {
        return Err(io::Error::last_os_error());
    }
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    Ok(Duration::new(seconds, u32::try_from(time.tv_nsec).unwrap_or_default()))
}
