//! `[ai.ID]`.

use std::{
    collections::BTreeMap,
    marker::PhantomData,
    path::{Path, PathBuf},
    time::Duration,
};

use ai_api::{Limits, OptionSetting};
use library::{file_access::is_folder, sha256::Sha256Sum};
use protocol::SandboxSettings;
use toml::Spanned;

use crate::{
    ai_options::OptionTable,
    file_pins::FilePins,
    issue::Issues,
    kinds::{choice, number, path, text, texts},
    library_path::{Libraries, absolute},
    limit::{DEFAULT_LIMIT, DEFAULT_TABLE, LimitTable, SetLimit, check_movetime},
    rollout::CandidateSettings,
    section::{Flatten, IntoField as _, Section as _, TableName, section},
    source::{SHOWN_VALUE, shortened},
    table::Table,
};

/// Long enough for the longest wait for a processor on a busy machine, and for an AI that checks
/// for a stop only every few milliseconds.
const DEFAULT_STOP_GRACE: Duration = Duration::from_millis(250);
const STOP_GRACE: &str = "the smaller of 250 and half of `move_timeout_ms`";

section! {
    /// `[ai.ID]`: one AI.
    #[derive(Clone, Debug, PartialEq)]
    pub struct AiSettings {
        /// The id that clients use.
        id: String = TableName,
        /// The library of the AI.
        library: PathBuf = path(
            "a NAME, looked up as libNAME.so in plugins.directories, or a path, relative to this \
             file, that contains a `/` or ends in `.so`",
        ).required().example("\"ai_basic1\""),
        /// Only the library with this hash is loaded.
        sha256: Option<Sha256Sum> =
            text("the SHA-256 of the library that may be loaded, 64 hexadecimal digits; `rookery \
                ais pin` prints it")
                .optional("any library")
                .example("\"9c56cc51b374c3ba189210d5b6d4bf57790d351c96c47c02190ecf1e430635ab\""),
        /// The hashes of the AI's programs, scripts and other files, which must match when it
        /// starts. With `policy = "pinned"`, list every file that `allow_exec`, `allow_read`,
        /// `command` and other options name.
        files_sha256: BTreeMap<PathBuf, Sha256Sum> = FilePins,
        /// The number of worker processes, each with its own tables and one search at a time. All
        /// but the first start when requests wait.
        workers: Option<usize> = number(1..=256)
            .optional("as many as the processors and memory allow")
            .example("4"),
        /// The maximum time for one answer. After that, the request fails and the worker is
        /// replaced.
        move_timeout_ms: u64 = number(1..=3_600_000).or(10_000),
        /// The AI is asked to stop this long before `move_timeout_ms`. The maximum is half of it.
        stop_grace_ms: Option<u64> =
            number(1..=1_800_000).optional(STOP_GRACE).example("250"),
        /// How long a worker may take to load the library and create its instance.
        start_timeout_ms: u64 = number(1..=3_600_000).or(30_000),
        /// How long the AI may take to prepare for a new game, in addition to `move_timeout_ms`.
        new_game_timeout_ms: u64 = number(1..=3_600_000).or(5000),
        /// The maximum number of waiting requests. If the queue is full, the client with the most
        /// requests loses its newest one.
        queue_capacity: usize = number(1..=100_000).or(64),
        /// Whether clients share workers (`none`) or not (`client`). With `client`, a worker
        /// restarts before it serves another client, and after each request without a key.
        isolate: Isolation = choice().or(Isolation::None),
        /// The AI that answers while this one is unavailable. The reply names this one in
        /// `ai.fallback_for`.
        fallback: Option<String> =
            text("the ID of another AI that has no `fallback`")
                .optional("none")
                .example("\"quick\""),
        /// The limit of a search whose request sets none. If `options` sets the AI's `level`, there
        /// is no default.
        limit: Option<SetLimit> = LimitTable {
            absent: DEFAULT_TABLE,
            example: None,
            may_bind: true,
        },
        rollout: CandidateSettings = Flatten(PhantomData),
        sandbox: SandboxSettings = Flatten(PhantomData),
        /// The options that a request may set: none for files or secrets, and text only with
        /// `sandbox = "required"` and without `allow_read` and `allow_exec`. Leave out options that
        /// take memory or threads, or whose effect outlasts a game.
        overridable_options: Vec<String> =
            texts("a list of names of the AI's options, such as [\"level\"]").or(Vec::new()),
        /// The AI's options, which `rookery ais` lists.
        options: Vec<OptionSetting> = OptionTable {
            allowed: "a table, as in [ai.ID.options]",
            default: "the AI's own",
        },
    }
}

/// Which requests share an AI's processes.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, strum::VariantArray, strum::IntoStaticStr, strum::EnumString,
)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum Isolation {
    /// All requests.
    None,
    /// Requests from one client with a key. A request without a key does not share its process.
    Client,
}

impl AiSettings {
    /// Returns the default settings for a library. Does not access the file.
    pub fn of_library(id: &str, library: PathBuf) -> Self {
        Self {
            id: id.to_owned(),
            library,
            ..Self::defaults()
        }
    }

    /// Returns the default settings for the library in a file, or `None` if the file does not exist
    /// or its path is not UTF-8.
    pub fn of_file(id: &str, file: &Path) -> Option<Self> {
        let libraries = Libraries {
            folder: Path::new("."),
            directories: &[],
        };
        let library = libraries.find(file.to_str()?).ok()?;
        Some(Self::of_library(id, library))
    }

    /// Returns whether both settings run the AI the same way, whatever their candidates and shares.
    pub fn runs_as(&self, other: &Self) -> bool {
        let rollout = other.rollout.clone();
        Self {
            rollout,
            ..self.clone()
        } == *other
    }

    /// Returns how long before the end of a job's time the host asks the AI to stop.
    /// [`thinking_time`] limits this to half of the job's time.
    pub fn stop_grace(&self) -> Duration {
        self.stop_grace_ms
            .map_or(DEFAULT_STOP_GRACE, Duration::from_millis)
    }

    /// Returns the limit for a search whose request sets none. An AI with a configured level ends
    /// the search itself.
    pub fn default_limit(&self) -> Limits {
        self.default_limit_with(&[])
    }

    /// Returns the limit for a search whose request sets these options but no limit.
    pub fn default_limit_with(&self, requested: &[OptionSetting]) -> Limits {
        let mut options = self.options.iter().chain(requested);
        match self.limit {
            Some(limit) => limit.limits,
            None if options.any(|option| option.name == LEVEL) => {
                Limits::movetime_ms(self.thinking_time().as_millis() as u64)
            }
            None => DEFAULT_LIMIT,
        }
    }

    /// Returns the limits for a search that asks for `asked`. A configured limit may override them.
    pub fn hold_limit(&self, asked: Limits) -> Limits {
        self.limit.map_or(asked, |limit| limit.hold(asked))
    }

    /// Returns the time after which the host stops a search.
    pub fn thinking_time(&self) -> Duration {
        thinking_time(
            Duration::from_millis(self.move_timeout_ms),
            self.stop_grace(),
        )
    }
}

/// An AI with this option ends its searches itself.
const LEVEL: &str = "level";

/// Returns how much of a job's time passes before the host asks the AI to stop.
pub fn thinking_time(job_time: Duration, stop_grace: Duration) -> Duration {
    job_time
        .saturating_sub(stop_grace.min(job_time / 2))
        .max(Duration::from_millis(1))
}

/// Reads one `[ai.ID]` and looks up its library.
pub(crate) fn read_ai(
    table: &Table<'_>,
    directories: &[PathBuf],
    issues: &mut Issues<'_>,
) -> AiSettings {
    let mut ai = AiSettings::read_table(table, issues);
    if let Some(name) = table.text("library") {
        match (Libraries {
            folder: table.document.folder,
            directories,
        })
        .find(name)
        {
            Ok(library) => ai.library = library,
            Err(missing) => {
                let (id, name) = (&ai.id, shortened(name, SHOWN_VALUE));
                let message = format!("the library \"{name}\" of the AI `{id}` was not found");
                let issue = issues.missing(&table.span_of("library"), &message);
                missing.explain(issue.allow(&AiSettings::allowed("library")));
            }
        }
    }
    ai.sandbox.working_directory = match ai.sandbox.working_directory.take() {
        Some(directory) => {
            let directory = absolute(table.document.folder, directory);
            if !is_folder(&directory) {
                let (path, shown) = (table.path_of("working_directory"), directory.display());
                issues
                    .at(
                        &table.span_of("working_directory"),
                        &format!("`{path}` names {shown}, which is not a directory"),
                    )
                    .allow(&AiSettings::allowed("working_directory"));
            }
            Some(directory)
        }
        None => ai.engine_folder(),
    };
    let is_right = |value: &Spanned<_>| !issues.any_at(&value.span());
    if !table.get("move_timeout_ms").is_none_or(is_right) {
        return ai;
    }
    let timeout = (&*table.path_of("move_timeout_ms"), ai.move_timeout_ms);
    check_movetime(ai.limit, table, timeout, issues);
    if let Some(grace) = ai
        .stop_grace_ms
        .filter(|&grace| grace > ai.move_timeout_ms / 2)
    {
        let message = format!(
            "`{}` is {grace}, but `{}` is {}",
            table.path_of("stop_grace_ms"),
            table.path_of("move_timeout_ms"),
            ai.move_timeout_ms,
        );
        issues
            .at(&table.span_of("stop_grace_ms"), &message)
            .allow("at most half of `move_timeout_ms`; the AI thinks for the rest of the time");
    }
    ai
}
