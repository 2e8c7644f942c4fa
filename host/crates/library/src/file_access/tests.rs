use std::{os::unix::fs::symlink, sync::mpsc::channel};

use rustix::fs::{CWD, mkfifoat};

use super::*;

const WHOLE: fn(&[u8]) -> bool = |_| true;
const SHORT: AccessLimits = AccessLimits {
    without_progress: Duration::from_millis(50),
    total: Duration::from_millis(200),
};
const LONG: AccessLimits = AccessLimits {
    without_progress: Duration::from_mins(1),
    total: Duration::from_mins(1),
};

fn accesses() -> &'static Accesses {
    Box::leak(Box::new(Accesses {
        by_path: Mutex::default(),
        changed: Condvar::new(),
    }))
}

fn fifo(path: &Path) {
    mkfifoat(CWD, path, Mode::from_raw_mode(0o600)).unwrap();
}

fn error(path: &Path) -> String {
    read(path, 1 << 20, WHOLE).unwrap_err().to_string()
}

#[test]
fn times_out_on_a_hung_file_and_remembers_it() {
    let (accesses, path) = (accesses(), Path::new("/hung/lib.so"));
    let (resume, resumed) = channel::<()>();
    let hung = accesses.run(SHORT, path, move |_, _| resumed.recv().is_ok());
    assert!(matches!(hung, Err(StalledError::TimedOut(_))), "{hung:?}");
    // The limits are long, so a second thread would have to wait.
    let second = accesses.run(LONG, path, |_, _| true);
    assert_eq!(second, Err(StalledError::StillBlocked));
    let other = accesses.run(LONG, Path::new("/hung/other.so"), |_, _| true);
    assert_eq!(other, Ok(true));
    resume.send(()).unwrap();
    while accesses.lock().contains_key(path) {
        thread::yield_now();
    }
    assert_eq!(accesses.run(LONG, path, |_, _| true), Ok(true));
}

#[test]
fn starts_one_thread_per_path_at_a_time() {
    let (accesses, path) = (accesses(), Path::new("/busy/lib.so"));
    let (inside, entered) = channel();
    let (resume, resumed) = channel::<()>();
    let first = thread::spawn(move || {
        accesses.run(LONG, path, move |_, _| {
            inside.send(()).unwrap();
            resumed.recv().unwrap();
        })
    });
    entered.recv().unwrap();
    let second = thread::spawn(move || accesses.run(LONG, path, |_, _| accesses.lock().len()));
    resume.send(()).unwrap();
    assert_eq!(first.join().unwrap(), Ok(()));
    assert_eq!(second.join().unwrap(), Ok(1));
}

#[test]
fn reads_a_slow_file_that_makes_progress() {
    let (accesses, limits) = (
        accesses(),
        AccessLimits {
            total: Duration::from_mins(1),
            ..SHORT
        },
    );
    let started = Instant::now();
    let read = accesses.run(limits, Path::new("/slow/lib.so"), move |_, progress| {
        while started.elapsed() < 4 * SHORT.without_progress {
            progress.advance().unwrap();
            thread::yield_now();
        }
    });
    assert_eq!(read, Ok(()));
}

#[test]
fn stops_an_abandoned_read_at_its_next_step() {
    let (accesses, path) = (accesses(), Path::new("/endless/lib.so"));
    let endless = accesses.run(
        SHORT,
        path,
        |_, progress| while progress.advance().is_ok() {},
    );
    assert!(
        matches!(endless, Err(StalledError::TimedOut(_))),
        "{endless:?}"
    );
    while accesses.lock().contains_key(path) {
        thread::yield_now();
    }
}

#[test]
fn reads_a_complete_file_or_only_its_head() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lib.so");
    let bytes: Vec<u8> = (0..3 * CHUNK_BYTES + 7).map(|index| index as u8).collect();
    fs::write(&path, &bytes).unwrap();
    assert!(read(&path, bytes.len() as u64, WHOLE).unwrap() == bytes);
    assert_eq!(
        read(&path, 1 << 30, |_| false).unwrap().len() as u64,
        HEAD_BYTES
    );
    let large = read(&path, bytes.len() as u64 - 1, WHOLE);
    assert!(matches!(large, Err(ReadFileError::TooLarge(length)) if length == bytes.len() as u64));
    symlink(&path, folder.path().join("link")).unwrap();
    assert!(read(&folder.path().join("link"), 1 << 30, WHOLE).unwrap() == bytes);
}

#[test]
fn rejects_files_that_the_kernel_generates() {
    let folder = tempfile::tempdir().unwrap();
    for (target, name) in [
        ("/proc/kmsg", "proc"),
        ("/proc/self/stat", "proc"),
        ("/sys/kernel/uevent_seqnum", "sysfs"),
    ] {
        let link = folder.path().join("lib.so");
        symlink(target, &link).unwrap();
        let error = error(&link);
        assert!(
            error.starts_with(&format!("this is a file of {name}, ")),
            "{target}: {error}"
        );
        fs::remove_file(link).unwrap();
    }
}

#[test]
fn rejects_pipes_devices_and_folders_without_opening_them() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    fifo(&pipe);
    for (path, expected) in [
        (pipe.as_path(), "this is a named pipe, not a regular file"),
        (
            Path::new("/dev/kmsg"),
            "this is a device, not a regular file",
        ),
        (
            Path::new("/dev/zero"),
            "this is a device, not a regular file",
        ),
        (folder.path(), "this is a folder"),
    ] {
        // Some containers have no kernel log.
        if path.exists() {
            assert_eq!(error(path), expected);
        }
    }
}

#[test]
fn reads_the_checked_file_after_a_swap() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lib.so");
    fs::write(&path, "checked").unwrap();
    let located = locate(&path).unwrap();
    fs::remove_file(&path).unwrap();
    fifo(&path);
    let text = io::read_to_string(reopen(&located).unwrap()).unwrap();
    assert_eq!(text, "checked");
}

#[test]
fn rejects_a_pipe_without_waiting_for_a_writer() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lib.so");
    fifo(&path);
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    let located = File::from(openat(CWD, &path, flags, Mode::empty()).unwrap());
    let opened = reopen(&located);
    assert!(
        matches!(opened, Err(ReadFileError::NotRegular("a named pipe"))),
        "{opened:?}"
    );
}
