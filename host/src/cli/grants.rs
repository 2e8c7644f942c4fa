//! Finds the smallest grants with which an AI plays.

use std::{
    cell::Cell,
    collections::HashSet,
    ffi::OsStr,
    fmt::Write as _,
    io,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    pin::pin,
    sync::Arc,
    time::{Duration, Instant},
};

use ai_api::{OptionSetting, OptionValue};
use rustix::{
    fs::{Access, access},
    process::geteuid,
};
use tokio::time::timeout;

use crate::cli::failure::Failure;
use config::{AiSettings, MEMORY_SIZES_MB, THREAD_COUNTS, UNTIMED_SEARCH};
use conformance::{Subject, Trial, TrialError, TrialLength, trial};
use library::{
    executable::inspect,
    file_access::{canonicalize, metadata},
    sha256::Sha256Sum,
};
use pool::{Denied, Trace};
use protocol::Executable;
use text::visible;

/// The maximum number of rounds of trials. A program may look for a file only after it has found
/// another.
const MAX_ROUNDS: usize = 6;
/// The maximum number of files in the AI's own folder that are granted one by one. Beyond this
/// number, the entire folder is granted.
const MAX_FILES: usize = 8;
pub(super) const MAX_SHOWN: usize = 5;
/// The interval between progress messages about a long trial. A trial whose moves arrive in time is
/// shorter.
const PATIENCE: Duration = Duration::from_secs(3);
/// The minimum memory to grant. Longer searches than the trial's need more memory.
const LEAST_MEMORY_MB: u64 = 1024;
const LEAST_THREADS: u64 = 8;
/// The time limit for the unlimited searches of an engine that ignores stops: less than the stop
/// tests allow.
const UNTIMED_SEARCH_MS: i64 = 500;
/// Where shells look for programs.
const PATH: [&str; 6] = [
    "/usr/local/sbin",
    "/usr/local/bin",
    "/usr/sbin",
    "/usr/bin",
    "/sbin",
    "/bin",
];
/// Programs with which scripts find their folder.
const FIND_THE_FOLDER: [&str; 4] = ["basename", "dirname", "readlink", "realpath"];
/// Names that dynamic loaders, Python, Node and Java look for in many folders. AIs can do without
/// them.
const NOT_MISSED: [&str; 15] = [
    "glibc-hwcaps",
    "tls",
    "x86_64",
    "haswell",
    "xeon_phi",
    "avx512_1",
    "aarch64",
    "~",
    "pyvenv.cfg",
    "pybuilddir.txt",
    "__pycache__",
    "package.json",
    "node_modules",
    ".hotspotrc",
    ".hotspot_compiler",
];
/// Folders in which programs look for files that they do not need, or that no grant can make
/// visible.
const NOT_ASKED_FOR: [&str; 8] = [
    "/proc",
    "/sys",
    "/dev",
    "/etc",
    "/run",
    "/usr/lib/locale",
    "/usr/share/locale",
    "/usr/share/zoneinfo",
];

/// The result of tracing.
pub(super) struct GrantSearch {
    /// Whether the kernel allowed tracing the AI.
    is_traced: bool,
    /// What the AI looked for outside its folder.
    others: Vec<Denied>,
    /// What the AI looked for in vain, in its folder or by a relative path.
    not_found: Vec<PathBuf>,
    /// The result of the last trial.
    result: Result<Trial, TrialError>,
}

/// The settings with which an AI has played.
pub(super) struct Tried {
    pub(super) settings: AiSettings,
    /// The hash of its library.
    pub(super) sha256: Sha256Sum,
    pub(super) trial: Trial,
    /// Whether the kernel allowed tracing the AI.
    pub(super) is_traced: bool,
    /// What the AI looked for in vain, in its folder or by a relative path.
    pub(super) not_found: Vec<PathBuf>,
}

/// Lets the AI play, grants what it looks for in its own folder, and sets its memory and its
/// threads.
///
/// # Errors
/// The AI does not play. The error lists grants that could help.
pub(super) async fn find_settings(
    mut subject: Subject,
    folder: Option<&Path>,
    progress: &dyn Fn(&str),
) -> Result<Tried, Failure> {
    progress("trying it in its sandbox …");
    let search = find_files(&mut subject, folder, progress).await?;
    let result = match search.result {
        // Nothing else is left to try.
        Err(error @ TrialError { step: None, .. }) => Err(error),
        _ => try_out(&subject, TrialLength::Full, progress).await,
    };
    let GrantSearch {
        is_traced,
        others,
        not_found,
        ..
    } = search;
    let found = result.map_err(|error| failed(&error, &others, &not_found, is_traced))?;
    let sandbox = &mut subject.ai.sandbox;
    let needed_mb = (2 * (found.peak_bytes >> 20)).next_power_of_two();
    let declared = &found.manifest.capabilities;
    sandbox.memory_mb = needed_mb
        .max(declared.memory_mb)
        .clamp(LEAST_MEMORY_MB, *MEMORY_SIZES_MB.end());
    let threads = (2 * found.threads as u64)
        .next_power_of_two()
        .max(u64::from(declared.threads));
    sandbox.threads = threads.clamp(LEAST_THREADS, *THREAD_COUNTS.end());
    Ok(Tried {
        settings: subject.ai,
        sha256: subject.library.sha256(),
        trial: found,
        is_traced,
        not_found,
    })
}

/// Lets the AI play, and grants what it looks for in its own folder, or the entire folder if the
/// kernel does not allow tracing.
///
/// # Errors
/// The system has no memory for the report.
pub(super) async fn find_files(
    subject: &mut Subject,
    folder: Option<&Path>,
    progress: &dyn Fn(&str),
) -> Result<GrantSearch, Failure> {
    without_covered(&mut subject.ai.sandbox.read);
    let mut round = 0;
    loop {
        round += 1;
        let trace = Arc::new(Trace::new()?);
        let traced = Subject {
            program: subject.program.clone().traced(Arc::clone(&trace)),
            ..subject.clone()
        };
        let result = try_out(&traced, TrialLength::Short, progress).await;
        if result.as_ref().is_ok_and(|trial| !trial.stops) {
            progress(&format!(
                "it does not stop: trying it with {UNTIMED_SEARCH} = {UNTIMED_SEARCH_MS} …"
            ));
            let value = OptionValue::Integer(UNTIMED_SEARCH_MS);
            let setting = OptionSetting {
                name: UNTIMED_SEARCH.into(),
                value,
            };
            subject.settings.push(setting.clone());
            subject.ai.options.push(setting);
            continue;
        }
        let Some(denied) = trace.denied()? else {
            grant(folder.map(Path::to_owned), folder, &mut subject.ai);
            return Ok(GrantSearch {
                is_traced: false,
                others: Vec::new(),
                not_found: Vec::new(),
                result: try_out(subject, TrialLength::Short, progress).await,
            });
        };
        let (own, others) = split(lacking(&denied, &subject.ai), folder);
        let programs = own_programs(&others, folder);
        if own.is_empty() && programs.is_empty() || round == MAX_ROUNDS {
            let not_found = not_found(&denied, &subject.ai, folder);
            return Ok(GrantSearch {
                is_traced: true,
                others,
                not_found,
                result,
            });
        }
        for path in &own {
            progress(&format!("it reads {}", path.display()));
        }
        grant(own, folder, &mut subject.ai);
        let sandbox = &mut subject.ai.sandbox;
        for (path, program) in programs {
            progress(&format!("it starts {}", path.display()));
            if !sandbox.exec.contains(&program) {
                sandbox.exec.push(program);
            }
            sandbox.links.push(path);
        }
    }
}

/// Lets the AI play, and reports what a long trial is waiting for.
async fn try_out(
    subject: &Subject,
    length: TrialLength,
    progress: &dyn Fn(&str),
) -> Result<Trial, TrialError> {
    let (step, started) = (Cell::new(""), Instant::now());
    let waits_for = |next| step.set(next);
    let mut trial = pin!(trial(subject, length, &waits_for));
    loop {
        if let Ok(result) = timeout(PATIENCE, &mut trial).await {
            return result;
        }
        progress(&format!(
            "waiting for {} … {} s",
            step.get(),
            started.elapsed().as_secs()
        ));
    }
}

/// Returns the paths that exist but are not granted: the real paths of files and folders, and
/// programs as written.
fn lacking(denied: &[Denied], ai: &AiSettings) -> Vec<Denied> {
    let may_start = |path: &Path| ai.sandbox.exec.iter().any(|program| program.file == path);
    let may_read = |path: &Path| {
        ai.sandbox
            .read
            .iter()
            .any(|granted| path.starts_with(granted))
    };
    let (mut seen, mut found) = (HashSet::new(), Vec::new());
    for Denied {
        path,
        is_relative,
        is_program,
    } in denied
    {
        let Some(path) = &absolute(path, ai) else {
            continue;
        };
        let Ok(real) = canonicalize(path) else {
            continue;
        };
        let is_asked_for = !NOT_ASKED_FOR.iter().any(|folder| real.starts_with(folder));
        // A shell looks for a program before it starts it.
        let is_program = *is_program || is_in_path(path);
        let is_granted = may_start(&real) || !is_program && may_read(&real);
        if is_asked_for && !is_granted && seen.insert((real.clone(), is_program)) {
            let path = if is_program { path.clone() } else { real };
            found.push(Denied {
                path,
                is_relative: *is_relative,
                is_program,
            });
        }
    }
    found
}

/// Resolves a path in the AI's working directory. Returns `None` for a relative path if the AI has
/// no working directory.
fn absolute(path: &Path, ai: &AiSettings) -> Option<PathBuf> {
    let directory = ai.sandbox.working_directory.as_deref();
    if path.is_absolute() {
        Some(path.to_owned())
    } else {
        Some(directory?.join(path))
    }
}

/// Returns the missing paths that are relative or in the AI's own folder.
fn not_found(denied: &[Denied], ai: &AiSettings, folder: Option<&Path>) -> Vec<PathBuf> {
    let is_script = ai
        .sandbox
        .working_directory
        .as_deref()
        .is_some_and(|directory| {
            !ai.sandbox
                .exec
                .iter()
                .any(|program| program.file.starts_with(directory))
        });
    let mut found = Vec::new();
    for Denied {
        path, is_relative, ..
    } in denied.iter().filter(|denied| !denied.is_program)
    {
        // Interpreters look for modules by absolute paths.
        let is_own = !is_script && folder.is_some_and(|folder| path.starts_with(folder));
        if !is_relative && !is_own {
            continue;
        }
        let is_sought_in_many_places = path.components().any(|component| {
            let name = component.as_os_str().to_string_lossy();
            name.contains(".so") || NOT_MISSED.contains(&&*name)
        });
        let Some(path) = absolute(path, ai).filter(|_| !is_sought_in_many_places) else {
            continue;
        };
        // The library that drives engines checks whether the command is a single path.
        let is_command = ai
            .command()
            .is_some_and(|command| Path::new(command) == path);
        let is_missing = !is_command
            && metadata(&path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
        if is_missing && !found.contains(&path) {
            found.push(path);
        }
    }
    found
}

fn is_in_path(path: &Path) -> bool {
    PATH.iter()
        .any(|folder| path.parent() == Some(Path::new(folder)))
        && inspect(path).is_ok()
}

/// Returns the programs that a script may start, with the paths that it uses: programs in its own
/// folder, and programs with which it finds that folder.
fn own_programs(lacking: &[Denied], folder: Option<&Path>) -> Vec<(PathBuf, Executable)> {
    let is_own = |path: &Path| {
        let real = canonicalize(path).unwrap_or_default();
        let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
        let finds_it = is_in_path(path) && FIND_THE_FOLDER.contains(&name);
        finds_it || folder.is_some_and(|folder| real.starts_with(folder))
    };
    let programs = lacking
        .iter()
        .filter(|denied| denied.is_program && is_own(&denied.path));
    programs
        .filter_map(|denied| Some((denied.path.clone(), inspect(&denied.path).ok()?)))
        .collect()
}

/// Splits off the files of the AI's own folder.
fn split(lacking: Vec<Denied>, folder: Option<&Path>) -> (Vec<PathBuf>, Vec<Denied>) {
    let is_own = |denied: &Denied| {
        folder.is_some_and(|own| denied.path.starts_with(own) && !denied.is_program)
    };
    let (own, others): (Vec<_>, Vec<_>) = lacking.into_iter().partition(is_own);
    (own.into_iter().map(|denied| denied.path).collect(), others)
}

fn grant(own: impl IntoIterator<Item = PathBuf>, folder: Option<&Path>, ai: &mut AiSettings) {
    let read = &mut ai.sandbox.read;
    read.extend(own);
    let is_own = |path: &PathBuf| folder.is_some_and(|folder| path.starts_with(folder));
    if let Some(folder) = folder
        && read.iter().filter(|path| is_own(path)).count() > MAX_FILES
    {
        read.push(folder.to_owned());
    }
    without_covered(read);
}

/// Removes paths that another path already grants.
fn without_covered(read: &mut Vec<PathBuf>) {
    let all = read.clone();
    read.sort();
    read.dedup();
    read.retain(|path| {
        !all.iter()
            .any(|other| other != path && path.starts_with(other))
    });
}

/// What a command suggests for an AI that lacks memory, instead of a key in `[ai.ID]`.
pub(super) const MEMORY_FLAG: &str = "--memory-mb N gives it more memory";

/// Returns whether an error names the key that gives an AI more memory.
pub(super) fn lacks_memory(reason: &str) -> bool {
    reason.contains("memory_mb")
}

fn failed(
    TrialError { step, reason }: &TrialError,
    others: &[Denied],
    not_found: &[PathBuf],
    is_traced: bool,
) -> Failure {
    let step = step.map(|step| format!("{step}: ")).unwrap_or_default();
    let mut text = format!("it does not play: {step}{reason}");
    for (flag, path) in others.iter().filter_map(hint).take(MAX_SHOWN) {
        let path = path.to_string_lossy();
        let quoted = shlex::try_quote(&path).unwrap_or_default();
        let _ = write!(text, "\n  it looked for {path}: {flag} {quoted} grants it");
    }
    for path in not_found.iter().take(MAX_SHOWN) {
        let _ = write!(
            text,
            "\n  it looked for {}, which does not exist",
            path.display()
        );
    }
    if lacks_memory(reason) {
        let _ = write!(text, "\n  {MEMORY_FLAG}");
    }
    if reason.contains("Read-only file system") {
        text +=
            "\n  an AI may not write files: let it log to standard error, which the server shows";
    }
    if !is_traced {
        text += "\n  the kernel does not allow tracing it: grant what it needs with --allow-read \
            PATH and --allow-exec PATH";
    }
    Failure::Other(anyhow::anyhow!(visible(&text)))
}

/// Returns the flag that grants a path; `None` if the grant would not help or would cover
/// everything.
fn hint(
    Denied {
        path, is_program, ..
    }: &Denied,
) -> Option<(&'static str, &Path)> {
    if *is_program {
        return Some(("--allow-exec", path));
    }
    let is_everything = path.parent().is_none();
    (!is_everything && is_readable(path)).then_some(("--allow-read", path))
}

/// Returns whether a worker could read a path. If root runs the server, workers run as another
/// user.
fn is_readable(path: &Path) -> bool {
    const READ: u32 = 0o004;
    let is_readable_by_all = || metadata(path).is_ok_and(|found| found.mode() & READ != 0);
    access(path, Access::READ_OK).is_ok() && (!geteuid().is_root() || is_readable_by_all())
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt as _};

    use super::*;

    fn denied(path: &str, is_program: bool) -> Denied {
        Denied {
            path: path.into(),
            is_relative: false,
            is_program,
        }
    }

    #[test]
    fn grants_only_files_in_its_own_folder() {
        let lacking = vec![
            denied("/e/net", false),
            denied("/e/tool", true),
            denied("/e2/x", false),
        ];
        let (own, others) = split(lacking.clone(), Some(Path::new("/e")));
        assert_eq!(own, [PathBuf::from("/e/net")]);
        assert_eq!(others, lacking[1..]);
        assert_eq!(split(lacking.clone(), None), (Vec::new(), lacking));
    }

    #[test]
    fn a_hint_helps_and_does_not_grant_everything() {
        let folder = tempfile::tempdir().unwrap();
        let ai = AiSettings::of_library("x", PathBuf::new());
        let file = folder.path().canonicalize().unwrap().join("a b");
        fs::write(&file, "").unwrap();
        let set_mode = |mode| fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        set_mode(0o644);
        let looked_for: Vec<_> = ["/", "/bin/cat", "/usr/bin/cat"]
            .into_iter()
            .chain(file.to_str())
            .map(|path| denied(path, false))
            .collect();
        let found = lacking(&looked_for, &ai);
        let hints = |found: &[Denied]| {
            let error = TrialError {
                step: None,
                reason: "no".to_owned(),
            };
            let text = failed(&error, found, &[], true).to_string();
            text.lines()
                .skip(1)
                .filter_map(|line| Some(line.split_once(": ")?.1.to_owned()))
                .collect::<Vec<_>>()
        };
        let quoted = format!("--allow-read '{}' grants it", file.display());
        assert_eq!(
            hints(&found),
            ["--allow-exec /bin/cat grants it".to_owned(), quoted]
        );
        if geteuid().is_root() {
            set_mode(0o600);
            assert_eq!(hints(&found).len(), 1);
        }
    }

    #[test]
    fn grants_the_folder_instead_of_many_files() {
        let mut ai = AiSettings::of_library("x", PathBuf::new());
        let files = |count: usize| (0..count).map(|number| PathBuf::from(format!("/e/{number}")));
        grant(files(MAX_FILES), Some(Path::new("/e")), &mut ai);
        assert_eq!(ai.sandbox.read.len(), MAX_FILES);
        grant(["/e/sub/file".into()], Some(Path::new("/e")), &mut ai);
        assert_eq!(ai.sandbox.read, [PathBuf::from("/e")]);
    }
}
