//! The system calls that a process may use to compute, read files and use open descriptors. All
//! others fail, so the process can't create sockets or processes, signal or trace another process,
//! change the owner or mode of a file, change a limit, or allocate memory that is not counted. An
//! AI with granted programs may also start processes, which inherit the filters.

use std::collections::BTreeMap;

use rustix::process::getpid;
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition,
    SeccompFilter, SeccompRule, TargetArch, apply_filter, apply_filter_all_threads,
};

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// Allowed with any arguments.
const ALLOWED: &[i64] = &[
    // Memory.
    libc::SYS_brk,
    libc::SYS_membarrier,
    libc::SYS_mlock,
    libc::SYS_mprotect,
    libc::SYS_mremap,
    libc::SYS_munlock,
    libc::SYS_munmap,
    // Threads of this process.
    libc::SYS_clone3,
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_futex,
    libc::SYS_futex_waitv,
    libc::SYS_get_robust_list,
    libc::SYS_getcpu,
    libc::SYS_getpid,
    libc::SYS_getppid,
    libc::SYS_gettid,
    libc::SYS_rseq,
    libc::SYS_sched_get_priority_max,
    libc::SYS_sched_get_priority_min,
    libc::SYS_sched_getaffinity,
    libc::SYS_sched_getparam,
    libc::SYS_sched_getscheduler,
    libc::SYS_sched_yield,
    libc::SYS_set_robust_list,
    libc::SYS_set_tid_address,
    // Signals delivered to it.
    libc::SYS_restart_syscall,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigpending,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_rt_sigsuspend,
    libc::SYS_rt_sigtimedwait,
    libc::SYS_sigaltstack,
    // Time.
    libc::SYS_clock_getres,
    libc::SYS_clock_gettime,
    libc::SYS_clock_nanosleep,
    libc::SYS_getitimer,
    libc::SYS_gettimeofday,
    libc::SYS_nanosleep,
    libc::SYS_setitimer,
    // POSIX timers are not allowed: with them, a process can kill itself so that another process
    // seems to have done it.
    libc::SYS_timerfd_create,
    libc::SYS_timerfd_gettime,
    libc::SYS_timerfd_settime,
    libc::SYS_times,
    // Files and descriptors. Landlock restricts the files.
    libc::SYS_close,
    libc::SYS_close_range,
    libc::SYS_dup,
    libc::SYS_dup3,
    libc::SYS_epoll_create1,
    libc::SYS_epoll_ctl,
    libc::SYS_epoll_pwait,
    libc::SYS_epoll_pwait2,
    libc::SYS_eventfd2,
    libc::SYS_faccessat,
    libc::SYS_faccessat2,
    libc::SYS_fstat,
    libc::SYS_getcwd,
    libc::SYS_getdents64,
    libc::SYS_lseek,
    libc::SYS_newfstatat,
    libc::SYS_openat,
    libc::SYS_pipe2,
    libc::SYS_ppoll,
    libc::SYS_pread64,
    libc::SYS_preadv,
    libc::SYS_pselect6,
    libc::SYS_pwrite64,
    libc::SYS_pwritev,
    libc::SYS_pwritev2,
    libc::SYS_read,
    libc::SYS_readlinkat,
    libc::SYS_readv,
    libc::SYS_write,
    libc::SYS_writev,
    // The open socket to the host. Its options are not allowed, because they identify the process
    // at the other end.
    libc::SYS_getsockname,
    // Properties of the process.
    libc::SYS_capget,
    libc::SYS_getegid,
    libc::SYS_geteuid,
    libc::SYS_getgid,
    libc::SYS_getgroups,
    libc::SYS_getpgid,
    libc::SYS_getrandom,
    libc::SYS_getrlimit,
    libc::SYS_getsid,
    libc::SYS_getuid,
    libc::SYS_uname,
];

/// System calls for further restriction, allowed until the AI's library is opened. Each Landlock
/// ruleset uses kernel memory that no limit counts.
const UNTIL_OPENED: [i64; 7] = [
    libc::SYS_capset,
    libc::SYS_chroot,
    libc::SYS_fchdir,
    libc::SYS_landlock_add_rule,
    libc::SYS_landlock_create_ruleset,
    libc::SYS_landlock_restrict_self,
    libc::SYS_seccomp,
];

/// Calls that other architectures lack.
#[cfg(target_arch = "x86_64")]
const ALLOWED_HERE: &[i64] = &[
    libc::SYS_access,
    libc::SYS_alarm,
    libc::SYS_arch_prctl,
    libc::SYS_dup2,
    libc::SYS_epoll_create,
    libc::SYS_epoll_wait,
    libc::SYS_eventfd,
    libc::SYS_getdents,
    libc::SYS_getpgrp,
    libc::SYS_lstat,
    libc::SYS_open,
    libc::SYS_pause,
    libc::SYS_pipe,
    libc::SYS_poll,
    libc::SYS_readlink,
    libc::SYS_select,
    libc::SYS_stat,
    libc::SYS_time,
];
#[cfg(not(target_arch = "x86_64"))]
const ALLOWED_HERE: &[i64] = &[];

/// System calls for starting programs (which Landlock restricts), for waiting for them, and for
/// what runtimes query when they start. `getrusage` reveals which pages of files were in memory,
/// and `sysinfo` reveals the machine's load and free memory.
const FOR_PROGRAMS: &[i64] = &[
    libc::SYS_chdir,
    libc::SYS_execve,
    libc::SYS_execveat,
    libc::SYS_getrusage,
    libc::SYS_setpgid,
    libc::SYS_setsid,
    libc::SYS_sysinfo,
    libc::SYS_wait4,
    libc::SYS_waitid,
];
#[cfg(target_arch = "x86_64")]
const FOR_PROGRAMS_HERE: &[i64] = &[libc::SYS_fork, libc::SYS_vfork];
#[cfg(not(target_arch = "x86_64"))]
const FOR_PROGRAMS_HERE: &[i64] = &[];

/// The allowed advice on files: none that changes which pages of a file are in memory, because
/// another client's worker could see that.
const FILE_ADVICE: [i32; 3] = [
    libc::POSIX_FADV_NORMAL,
    libc::POSIX_FADV_RANDOM,
    libc::POSIX_FADV_SEQUENTIAL,
];
/// The allowed advice on memory: none that takes pages of a file out of memory, joins them, or
/// shares equal pages with other processes.
const MEMORY_ADVICE: [i32; 18] = [
    libc::MADV_NORMAL,
    libc::MADV_RANDOM,
    libc::MADV_SEQUENTIAL,
    libc::MADV_WILLNEED,
    libc::MADV_DONTNEED,
    libc::MADV_FREE,
    libc::MADV_DONTFORK,
    libc::MADV_DOFORK,
    libc::MADV_HUGEPAGE,
    libc::MADV_NOHUGEPAGE,
    libc::MADV_DONTDUMP,
    libc::MADV_DODUMP,
    libc::MADV_WIPEONFORK,
    libc::MADV_KEEPONFORK,
    libc::MADV_POPULATE_READ,
    libc::MADV_POPULATE_WRITE,
    MADV_GUARD_INSTALL,
    MADV_GUARD_REMOVE,
];
/// Guard pages, as defined in the kernel since 6.13. libc uses them when it allocates stacks.
const MADV_GUARD_INSTALL: i32 = 102;
const MADV_GUARD_REMOVE: i32 = 103;
/// Pages from a machine-wide pool, which no limit counts.
const POOLED_PAGES: i32 = libc::MAP_HUGETLB;
/// Attributes of the file itself, without its unique mount number, which the kernel keeps
/// increasing.
const FILE_PROPERTIES: i32 =
    (libc::STATX_BASIC_STATS | libc::STATX_BTIME | libc::STATX_MNT_ID) as i32;
/// The allowed descriptor commands: none that sends signals to the owner of a descriptor, which may
/// be another process.
const DESCRIPTOR_COMMANDS: [i32; 6] = [
    libc::F_DUPFD,
    libc::F_DUPFD_CLOEXEC,
    libc::F_GETFD,
    libc::F_GETFL,
    libc::F_SETFD,
    libc::F_SETFL,
];
const DEVICE_COMMANDS: [u64; 5] = [
    libc::TCGETS,
    libc::FIONREAD,
    libc::FIONBIO,
    libc::FIOCLEX,
    libc::FIONCLEX,
];
/// The allowed process options, which exclude the parent-death signal.
const PROCESS_OPTIONS: [i32; 4] = [
    libc::PR_GET_NAME,
    libc::PR_SET_NAME,
    libc::PR_SET_NO_NEW_PRIVS,
    libc::PR_SET_VMA,
];
/// The allowed flags for a byte stream: no out-of-band data, no error queue.
const SEND_FLAGS: i32 = libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL;
const RECEIVE_FLAGS: i32 = libc::MSG_DONTWAIT | libc::MSG_PEEK | libc::MSG_WAITALL;
/// The flags that make `clone` create namespaces.
const NEW_NAMESPACES: i32 = libc::CLONE_NEWCGROUP
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWUSER
    | libc::CLONE_NEWUTS;

/// Whether the process may start programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Programs {
    None,
    /// In a PID namespace, in which it may signal all processes.
    InNamespace,
    /// Among all other processes.
    Anywhere,
}

/// Adds the filters, for this thread and all threads that it starts. [`restrict_further`] must
/// follow.
pub(super) fn restrict(programs: Programs) -> Result<(), String> {
    let allowed = filters(programs).map_err(|error| not_made(&error))?;
    allowed
        .iter()
        .try_for_each(|filter| apply_filter(filter))
        .map_err(|error| not_applied(&error))
}

/// Denies the calls in [`UNTIL_OPENED`], including the one that adds filters, to every thread of
/// this process.
pub(super) fn restrict_further() -> Result<(), String> {
    let forbidden = UNTIL_OPENED
        .into_iter()
        .map(|call| (call, Vec::new()))
        .collect();
    let filter =
        filter(forbidden, SeccompAction::Allow, denied()).map_err(|error| not_made(&error))?;
    apply_filter_all_threads(&filter).map_err(|error| not_applied(&error))
}

fn not_made(error: &BackendError) -> String {
    format!("the system call filter can't be built: {error}")
}

fn not_applied(error: &seccompiler::Error) -> String {
    format!("the system call filter failed: {error}; the kernel must have CONFIG_SECCOMP_FILTER")
}

fn filters(programs: Programs) -> Result<[BpfProgram; 2], BackendError> {
    // `clone3` and `openat2` take their flags in memory, which a filter can't read. `clone3` can
    // create namespaces, and `openat2` reveals which names a process has looked up before. If the
    // calls do not exist, libc uses `clone` and `openat`.
    let unread = Rules::from([
        (libc::SYS_clone3, Vec::new()),
        (libc::SYS_openat2, Vec::new()),
    ]);
    let absent = filter(
        unread,
        SeccompAction::Allow,
        SeccompAction::Errno(libc::ENOSYS as u32),
    )?;
    Ok([
        absent,
        filter(rules(programs)?, denied(), SeccompAction::Allow)?,
    ])
}

fn filter(
    rules: Rules,
    others: SeccompAction,
    matched: SeccompAction,
) -> Result<BpfProgram, BackendError> {
    let machine: TargetArch = std::env::consts::ARCH.try_into()?;
    SeccompFilter::new(rules, others, matched, machine)?.try_into()
}

const fn denied() -> SeccompAction {
    SeccompAction::Errno(libc::EPERM as u32)
}

fn rules(programs: Programs) -> Result<Rules, BackendError> {
    let allowed = ALLOWED.iter().chain(ALLOWED_HERE).chain(&UNTIL_OPENED);
    let mut rules: Rules = allowed.map(|&call| (call, Vec::new())).collect();
    // `clone` may create threads and, if programs are granted, processes.
    let (mask, expected) = match programs {
        Programs::None => (libc::CLONE_THREAD | NEW_NAMESPACES, libc::CLONE_THREAD),
        Programs::InNamespace | Programs::Anywhere => (NEW_NAMESPACES, 0),
    };
    let flags = SeccompCmpOp::MaskedEq(mask as u64);
    let clones = SeccompCondition::new(0, SeccompCmpArgLen::Qword, flags, expected as u64)?;
    rules.insert(libc::SYS_clone, all_of(vec![clones])?);
    // `abort` sends a signal to its own process.
    let own_id = getpid().as_raw_nonzero().get();
    rules.insert(
        libc::SYS_tgkill,
        all_of([vec![equal(0, own_id)?], not_external(2)?].concat())?,
    );
    if programs != Programs::None {
        rules.extend(
            FOR_PROGRAMS
                .iter()
                .chain(FOR_PROGRAMS_HERE)
                .map(|&call| (call, Vec::new())),
        );
    }
    if programs == Programs::InNamespace {
        rules.extend(signals_in_namespace(own_id)?);
    }
    // Only for its own process (0), and without a new limit (null).
    rules.insert(libc::SYS_prlimit64, all_of(vec![equal(0, 0)?, null(2)?])?);
    rules.insert(libc::SYS_sched_setaffinity, one_of(0, [0])?);
    // Only without an address.
    rules.insert(
        libc::SYS_sendto,
        all_of(vec![null(4)?, no_flags_except(3, SEND_FLAGS)?])?,
    );
    rules.insert(
        libc::SYS_recvfrom,
        all_of(vec![no_flags_except(3, RECEIVE_FLAGS)?])?,
    );
    rules.insert(libc::SYS_fadvise64, one_of(3, FILE_ADVICE)?);
    rules.insert(libc::SYS_madvise, one_of(2, MEMORY_ADVICE)?);
    rules.insert(
        libc::SYS_mmap,
        all_of(vec![no_flags_except(3, !POOLED_PAGES)?])?,
    );
    rules.insert(
        libc::SYS_statx,
        all_of(vec![no_flags_except(3, FILE_PROPERTIES)?])?,
    );
    // Only without flags, because one of them shows whether a page is in memory.
    rules.insert(libc::SYS_preadv2, all_of(vec![equal(5, 0)?])?);
    rules.insert(libc::SYS_fcntl, one_of(1, DESCRIPTOR_COMMANDS)?);
    rules.insert(
        libc::SYS_ioctl,
        one_of(1, DEVICE_COMMANDS.map(|command| command as i32))?,
    );
    rules.insert(libc::SYS_prctl, one_of(0, PROCESS_OPTIONS)?);
    Ok(rules)
}

/// Allows signals within a PID namespace, because they do not reach processes outside.
fn signals_in_namespace(own_id: i32) -> Result<Rules, BackendError> {
    // 0 means the sender's group, -1 all processes, any other negative number a group.
    let by_kill = [own_id, -own_id, 0, -1]
        .into_iter()
        .map(|process| differs(0, process))
        .collect::<Result<_, _>>()?;
    let either = |to_others, signal| {
        Ok(vec![
            SeccompRule::new(to_others)?,
            SeccompRule::new(not_external(signal)?)?,
        ])
    };
    Ok(Rules::from([
        (libc::SYS_kill, either(by_kill, 1)?),
        (libc::SYS_tgkill, either(vec![differs(0, own_id)?], 2)?),
        // The filter can't determine which process a thread belongs to.
        (libc::SYS_tkill, all_of(not_external(1)?)?),
    ]))
}

/// Matches unless the signal is one of [`EXTERNAL_SIGNALS`](protocol::EXTERNAL_SIGNALS).
fn not_external(argument: u8) -> Result<Vec<SeccompCondition>, BackendError> {
    protocol::EXTERNAL_SIGNALS
        .into_iter()
        .map(|signal| differs(argument, signal))
        .collect()
}

/// Allows a call that matches all conditions.
fn all_of(conditions: Vec<SeccompCondition>) -> Result<Vec<SeccompRule>, BackendError> {
    Ok(vec![SeccompRule::new(conditions)?])
}

fn null(argument: u8) -> Result<SeccompCondition, BackendError> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Qword, SeccompCmpOp::Eq, 0)
}

fn equal(argument: u8, value: i32) -> Result<SeccompCondition, BackendError> {
    SeccompCondition::new(
        argument,
        SeccompCmpArgLen::Dword,
        SeccompCmpOp::Eq,
        value.cast_unsigned().into(),
    )
}

fn differs(argument: u8, value: i32) -> Result<SeccompCondition, BackendError> {
    SeccompCondition::new(
        argument,
        SeccompCmpArgLen::Dword,
        SeccompCmpOp::Ne,
        value.cast_unsigned().into(),
    )
}

/// Matches if an argument has no flags other than these.
fn no_flags_except(argument: u8, flags: i32) -> Result<SeccompCondition, BackendError> {
    let others = SeccompCmpOp::MaskedEq(u64::from(!flags.cast_unsigned()));
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, others, 0)
}

/// Matches if an argument, which the kernel reads as 32 bits, is one of these.
fn one_of(
    argument: u8,
    values: impl IntoIterator<Item = i32>,
) -> Result<Vec<SeccompRule>, BackendError> {
    values
        .into_iter()
        .map(|value| SeccompRule::new(vec![equal(argument, value)?]))
        .collect()
}
