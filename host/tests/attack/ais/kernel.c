/* Allocates kernel memory outside the address space, and records the amount of each kind. */
#include "hostile.h"

#include <sys/syscall.h>

struct ports {
    uint64_t allowed_access, port;
};

/* Creates Landlock rulesets with a rule for each port. 240 of them take 1.1 GB, but four are enough for the test. */
static long landlock_rules(void) {
    long rules = 0;
    uint64_t ruleset[2] = {0, 3}; /* binds and connects */
    for (int made = 0; made < 4; made++) {
        long descriptor = syscall(SYS_landlock_create_ruleset, ruleset, sizeof ruleset, 0);
        if (descriptor < 0) break;
        for (uint64_t port = 0; port < 65536; port++) {
            struct ports rule = {3, port};
            if (syscall(SYS_landlock_add_rule, descriptor, 2, &rule, 0) != 0) break;
            rules++;
        }
    }
    return rules;
}

static long pending_signals(void) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    long count = 0;
    while (count < 900000 && syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGRTMIN) == 0) count++;
    return count;
}

static long timers(void) {
    long count = 0;
    struct sigevent none = {.sigev_notify = SIGEV_NONE};
    timer_t timer;
    while (count < 900000 && timer_create(CLOCK_MONOTONIC, &none, &timer) == 0) count++;
    return count;
}

/* Touches pages so far apart that each needs its own page tables. */
static long page_tables(void) {
    long count = 0;
    for (uintptr_t place = 0x100000000000; count < 60000; place += (uintptr_t)1 << 30, count++) {
        volatile char *page = mmap((void *)place, 4096, PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
        if (page == MAP_FAILED) break;
        (void)*page;
    }
    return count;
}

static long pipe_kilobytes(void) {
    long bytes = 0;
    static char full[65536];
    int ends[2];
    while (pipe2(ends, O_NONBLOCK) == 0) {
        for (long wrote; (wrote = write(ends[1], full, sizeof full)) > 0;) bytes += wrote;
    }
    return bytes >> 10;
}

static long descriptors(void) {
    long count = 0;
    while (count < 900000 && dup(1) >= 0) count++;
    return count;
}

static long locked_kilobytes(void) {
    const long most = 64 << 20;
    char *pages = mmap(NULL, (size_t)most, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    long count = 0;
    while (pages != MAP_FAILED && count < most && mlock(pages + count, 1 << 16) == 0) count += 1 << 16;
    return count >> 10;
}

static void *rest(void *nothing) {
    pause();
    return nothing;
}

static long threads(void) {
    long count = 0;
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 1 << 15);
    while (count < 100000 && pthread_create(&thread, &attributes, rest, NULL) == 0) count++;
    return count;
}

static void try_all(const rookery_position *position, const rookery_host *host) {
    (void)position, (void)host;
    if (is("landlock")) record("count", landlock_rules());
    if (is("signals")) record("count", pending_signals());
    if (is("timers")) record("count", timers());
    if (is("page tables")) record("count", page_tables());
    if (is("pipes")) record("count", pipe_kilobytes());
    if (is("descriptors")) record("count", descriptors());
    if (is("locked")) record("count", locked_kilobytes());
    if (is("threads")) record("count", threads());
}

HOSTILE("kernel", NULL);
