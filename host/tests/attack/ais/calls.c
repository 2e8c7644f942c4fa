/* Makes every system call that is denied to a sandboxed AI, from the constructor and again in a search. A call is rejected
 * if it fails with EPERM or ENOSYS. Any other outcome means that the kernel has read its arguments. */
#include "hostile.h"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

/* The calls for computing, threads, reading and the socket. All others must be rejected with any arguments. */
static const int allowed[] = {
    SYS_brk, SYS_madvise, SYS_membarrier, SYS_mlock, SYS_mmap, SYS_mprotect, SYS_mremap, SYS_munlock,
    SYS_munmap, SYS_clone3, SYS_exit, SYS_exit_group, SYS_futex, 449 /* futex_waitv */, SYS_get_robust_list, SYS_getcpu,
    SYS_getpid, SYS_getppid, SYS_gettid, SYS_rseq, SYS_sched_get_priority_max, SYS_sched_get_priority_min,
    SYS_sched_getaffinity, SYS_sched_getparam, SYS_sched_getscheduler, SYS_sched_yield, SYS_set_robust_list,
    SYS_set_tid_address, SYS_restart_syscall, SYS_rt_sigaction, SYS_rt_sigpending, SYS_rt_sigprocmask,
    SYS_rt_sigreturn, SYS_rt_sigsuspend, SYS_rt_sigtimedwait, SYS_sigaltstack, SYS_clock_getres, SYS_clock_gettime,
    SYS_clock_nanosleep, SYS_getitimer, SYS_gettimeofday, SYS_nanosleep, SYS_setitimer, SYS_timer_create,
    SYS_timer_delete, SYS_timer_getoverrun, SYS_timer_gettime, SYS_timer_settime, SYS_timerfd_create,
    SYS_timerfd_gettime, SYS_timerfd_settime, SYS_times, SYS_close, SYS_close_range, SYS_dup, SYS_dup3,
    SYS_epoll_create1, SYS_epoll_ctl, SYS_epoll_pwait, SYS_epoll_pwait2, SYS_eventfd2, SYS_faccessat, SYS_faccessat2,
    SYS_fadvise64, SYS_fstat, SYS_getcwd, SYS_getdents64, SYS_lseek, SYS_newfstatat, SYS_openat,
    SYS_pipe2, SYS_ppoll, SYS_pread64, SYS_preadv, SYS_preadv2, SYS_pselect6, SYS_pwrite64, SYS_pwritev,
    SYS_pwritev2, SYS_read, SYS_readlinkat, SYS_readv, SYS_statx, SYS_write, SYS_writev,
    SYS_getsockname, SYS_recvfrom, SYS_sendto, SYS_capget, SYS_getegid, SYS_geteuid, SYS_getgid,
    SYS_getgroups, SYS_getpgid, SYS_getrandom, SYS_getrlimit, SYS_getsid, SYS_getuid,
    SYS_uname, SYS_access, SYS_alarm, SYS_arch_prctl, SYS_dup2, SYS_epoll_create, SYS_epoll_wait, SYS_eventfd,
    SYS_getdents, SYS_getpgrp, SYS_lstat, SYS_open, SYS_pause, SYS_pipe, SYS_poll, SYS_readlink, SYS_select, SYS_stat,
    SYS_time,
};

/* Calls made by uprobes pass every filter. The kernel kills a process that makes them directly. */
static const int uretprobe = 335, uprobe = 336;

static bool is_allowed(int number) {
    if (number == uretprobe || number == uprobe) return true;
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
        if (allowed[i] == number) return true;
    return false;
}

static const int past_the_last = 600;
static const int x32 = 0x40000000;

/* Allowed calls with arguments that must be rejected. */
struct call {
    const char *name;
    long number, arguments[6];
};
static char buffer[4096];
#define BUFFER ((long)buffer)
static struct call with_arguments[] = {
    {"fork by clone", SYS_clone, {SIGCHLD}},
    {"clone: another process, same memory", SYS_clone, {CLONE_VM | SIGCHLD}},
    {"clone: user namespace", SYS_clone, {CLONE_NEWUSER | SIGCHLD}},
    {"clone: thread in a namespace", SYS_clone, {CLONE_NEWNET | CLONE_THREAD | CLONE_SIGHAND | CLONE_VM}},
    {"clone: high bits", SYS_clone, {0x100000000 | SIGCHLD}},
    {"tgkill: the server", SYS_tgkill, {-1, -1, 0}},
    {"prlimit: own limit", SYS_prlimit64, {0, RLIMIT_NOFILE, BUFFER, 0}},
    {"prlimit: the server's limit", SYS_prlimit64, {-1, RLIMIT_NOFILE, 0, BUFFER}},
    {"sched_setaffinity: the server", SYS_sched_setaffinity, {-1, 8, BUFFER}},
    {"sendto: an address", SYS_sendto, {3, BUFFER, 1, MSG_DONTWAIT, BUFFER, 2}},
    {"sendto: MSG_OOB", SYS_sendto, {3, BUFFER, 0, MSG_OOB | MSG_DONTWAIT, 0, 0}},
    {"sendto: MSG_ZEROCOPY", SYS_sendto, {3, BUFFER, 0, MSG_ZEROCOPY | MSG_DONTWAIT, 0, 0}},
    {"recvfrom: MSG_OOB", SYS_recvfrom, {3, BUFFER, 0, MSG_OOB | MSG_DONTWAIT, 0, 0}},
    {"recvfrom: MSG_ERRQUEUE", SYS_recvfrom, {3, BUFFER, 0, MSG_ERRQUEUE | MSG_DONTWAIT, 0, 0}},
    {"fcntl: F_SETOWN", SYS_fcntl, {3, F_SETOWN, -1}},
    {"fcntl: F_SETSIG", SYS_fcntl, {3, F_SETSIG, SIGKILL}},
    {"fcntl: F_NOTIFY", SYS_fcntl, {3, F_NOTIFY, -1}},
    {"fcntl: F_SETLEASE", SYS_fcntl, {3, F_SETLEASE, F_WRLCK}},
    {"fcntl: F_SETPIPE_SZ", SYS_fcntl, {1, F_SETPIPE_SZ, 1 << 20}},
    {"fcntl: F_ADD_SEALS", SYS_fcntl, {4, F_ADD_SEALS, 0}},
    {"fcntl: F_SETLK", SYS_fcntl, {4, F_SETLK, BUFFER}},
    {"fcntl: F_OFD_SETLK", SYS_fcntl, {4, F_OFD_SETLK, BUFFER}},
    {"fcntl: high bits", SYS_fcntl, {3, 0x100000000 | F_SETOWN, -1}},
    {"fadvise64: DONTNEED", SYS_fadvise64, {4, 0, 0, POSIX_FADV_DONTNEED}},
    {"fadvise64: WILLNEED", SYS_fadvise64, {4, 0, 0, POSIX_FADV_WILLNEED}},
    {"fadvise64: high bits", SYS_fadvise64, {4, 0, 0, 0x100000000 | POSIX_FADV_DONTNEED}},
    {"madvise: COLD", SYS_madvise, {0, 0, 20}},
    {"madvise: PAGEOUT", SYS_madvise, {0, 0, 21}},
    {"madvise: MERGEABLE", SYS_madvise, {0, 0, 12}},
    {"madvise: COLLAPSE", SYS_madvise, {0, 0, 25}},
    {"mmap: MAP_HUGETLB", SYS_mmap, {0, 1 << 21, 0, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0}},
    {"statx: STATX_MNT_ID_UNIQUE", SYS_statx, {AT_FDCWD, (long)"/", 0, 0x4000, BUFFER}},
    {"preadv2: RWF_NOWAIT", SYS_preadv2, {4, BUFFER, 0, 0, 0, 8}},
    {"preadv2: RWF_DONTCACHE", SYS_preadv2, {4, BUFFER, 0, 0, 0, 0x80}},
    {"ioctl: TIOCSTI", SYS_ioctl, {0, 0x5412, BUFFER}},
    {"ioctl: TIOCSCTTY", SYS_ioctl, {0, 0x540e, 0}},
    {"ioctl: TIOCLINUX", SYS_ioctl, {0, 0x541c, BUFFER}},
    {"ioctl: FIOASYNC", SYS_ioctl, {3, 0x5452, BUFFER}},
    {"ioctl: SIOCGIFCONF", SYS_ioctl, {3, 0x8912, BUFFER}},
    {"ioctl: high bits", SYS_ioctl, {0, 0x100005412, BUFFER}},
    {"prctl: PR_SET_PDEATHSIG", SYS_prctl, {PR_SET_PDEATHSIG, 0}},
    {"prctl: PR_SET_DUMPABLE", SYS_prctl, {PR_SET_DUMPABLE, 1}},
    {"prctl: PR_SET_MM", SYS_prctl, {PR_SET_MM, 0}},
    {"prctl: PR_SET_PTRACER", SYS_prctl, {PR_SET_PTRACER, -1}},
    {"prctl: PR_SET_CHILD_SUBREAPER", SYS_prctl, {PR_SET_CHILD_SUBREAPER, 1}},
    {"prctl: PR_SET_SECCOMP", SYS_prctl, {PR_SET_SECCOMP, 2, 0}},
    {"prctl: PR_SET_KEEPCAPS", SYS_prctl, {PR_SET_KEEPCAPS, 0}},
    {"prctl: PR_SCHED_CORE", SYS_prctl, {62, 0, 0, 0, BUFFER}},
    {"prctl: high bits", SYS_prctl, {0x100000000 | PR_SET_PDEATHSIG, 0}},
};

static bool is_rejected(long number, const long *a) {
    errno = 0;
    long result = syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    if (result == -1) return errno == EPERM || errno == ENOSYS;
    /* A forked process ends here. */
    bool forks = number == SYS_clone || number == SYS_fork || number == SYS_vfork;
    if (forks && result == 0) _exit(0);
    return false;
}

static void record_passed(const char *when, const char *name) {
    char text[64];
    snprintf(text, sizeof text, "%s: %s", when, name);
    record(text, 1);
}

static void make_calls(const char *when) {
    static const long nonsense[6] = {-1, -1, -1, -1, -1, -1};
    int tried = 0;
    for (int number = 0; number < past_the_last; number++) {
        if (is_allowed(number)) continue;
        tried++;
        char text[32];
        snprintf(text, sizeof text, "call %d", number);
        if (!is_rejected(number, nonsense)) record_passed(when, text);
    }
    static const long none[6];
    tried++;
    if (!is_rejected(x32 | SYS_getpid, none)) record_passed(when, "a call of x32");
    for (size_t i = 0; i < sizeof with_arguments / sizeof *with_arguments; i++) {
        tried++;
        if (!is_rejected(with_arguments[i].number, with_arguments[i].arguments))
            record_passed(when, with_arguments[i].name);
    }
    char text[64];
    snprintf(text, sizeof text, "%s tried", when);
    record(text, tried);
}

__attribute__((constructor)) static void constructor(void) { make_calls("constructor"); }

static void try_all(const rookery_position *position, const rookery_host *host) {
    (void)position, (void)host;
    if (is("32 bits")) {
        /* Calls getpid as 32-bit programs do. */
        long result;
        __asm__ volatile("int $0x80" : "=a"(result) : "a"(20L) : "memory");
        record("32 bits", result);
        return;
    }
    make_calls("search");
}

HOSTILE("calls", NULL);
