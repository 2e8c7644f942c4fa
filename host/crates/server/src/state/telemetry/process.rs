//! The metrics of the process, with the names that Prometheus client libraries use.

use std::time::UNIX_EPOCH;

use pool::OwnProcess;
use prometheus_client::{
    metrics::{counter::ConstCounter, gauge::ConstGauge},
    registry::Registry,
};

/// Registers the metrics, if the kernel provides them.
pub(super) fn register(registry: &mut Registry) {
    let Ok(OwnProcess {
        cpu,
        resident_bytes,
        open_files,
        max_open_files,
        started,
    }) = OwnProcess::read()
    else {
        return;
    };
    let started = started
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_secs_f64();
    let cpu = ConstCounter::new(cpu.as_secs_f64());
    registry.register(
        "process_cpu_seconds",
        "Processor time of the server without its workers",
        cpu,
    );
    for (name, help, value) in [
        (
            "process_resident_memory_bytes",
            "Resident memory of the server without its workers",
            resident_bytes,
        ),
        (
            "process_open_fds",
            "Open file descriptors",
            open_files as u64,
        ),
        (
            "process_max_fds",
            "Maximum number of open file descriptors",
            max_open_files.unwrap_or(u64::MAX),
        ),
    ] {
        registry.register(name, help, ConstGauge::new(value));
    }
    registry.register(
        "process_start_time_seconds",
        "Unix time at which the server started",
        ConstGauge::new(started),
    );
}
