/* Looks for traces of the machine and of the server that a worker could see: files by name, open descriptors, the environment
 * and data from an earlier worker. */
#include "hostile.h"

#include <dirent.h>
#include <sys/statfs.h>

extern char **environ;

static const char *const paths[] = {
    "/", "/etc", "/etc/passwd", "/etc/shadow", "/root", "/home", "/tmp", "/var/log", "/proc/self/status", "/proc/1/status",
    "/proc/self/exe", "/proc/self/environ", "/proc/meminfo", "/sys/kernel", "/dev/mem", "/dev/shm", "/run", "/boot",
    "/usr/bin/env", "..", "../..",
};

static int visible(const char *path) {
    struct stat status;
    struct statfs file_system;
    struct statx more;
    char link[256];
    int ways = 0;
    ways += stat(path, &status) == 0;
    ways += lstat(path, &status) == 0;
    ways += access(path, F_OK) == 0;
    ways += statx(AT_FDCWD, path, 0, STATX_BASIC_STATS, &more) == 0;
    ways += statfs(path, &file_system) == 0;
    ways += readlink(path, link, sizeof link) > 0;
    ways += open(path, O_PATH) >= 0;
    ways += open(path, O_RDONLY | O_NONBLOCK) >= 0;
    return ways;
}

static void look_at_paths(const char *when, bool all) {
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        /* The root directory is empty and reveals nothing. */
        if (!all && (paths[i][1] == 0 || paths[i][0] == '.')) continue;
        int ways = visible(paths[i]);
        char text[64];
        snprintf(text, sizeof text, "%s: %s", when, paths[i]);
        if (ways > 0) record(text, ways);
    }
}

/* Reads system libraries, which the loader needs but an AI does not. */
static void read_libraries(const char *when) {
    static const char *const libraries[] = {"/etc/ld.so.cache", "/lib/x86_64-linux-gnu/libc.so.6", "/usr/lib/os-release"};
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        char text[64];
        snprintf(text, sizeof text, "%s: %s", when, libraries[i]);
        int descriptor = open(libraries[i], O_RDONLY);
        if (descriptor >= 0) record(text, close(descriptor) + 1);
    }
}

/* A copy of the library's descriptor. The host closes the original. */
static int kept_library = -1;

/* Records descriptors other than the standard streams, the two sockets and the library. */
static void look_at_descriptors(void) {
    close(kept_library);
    struct stat own[6], status;
    for (int descriptor = 0; descriptor < 6; descriptor++)
        if (fstat(descriptor, &own[descriptor]) != 0) own[descriptor].st_ino = 0;
    for (int descriptor = 6; descriptor < 1024; descriptor++) {
        if (fstat(descriptor, &status) != 0) continue;
        bool known = (fcntl(descriptor, F_GETFL) & O_PATH) != 0;
        for (int one = 0; one < 6; one++)
            known |= own[one].st_dev == status.st_dev && own[one].st_ino == status.st_ino && S_ISSOCK(status.st_mode);
        char text[64];
        snprintf(text, sizeof text, "descriptor %d mode %o", descriptor, status.st_mode);
        if (!known) record(text, 1);
    }
    for (int descriptor = 4; descriptor < 1024; descriptor++) {
        if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) continue;
        if (write(descriptor, "x", 1) >= 0 || mmap(NULL, 4096, PROT_WRITE, MAP_SHARED, descriptor, 0) != MAP_FAILED)
            record("a file can be written to", descriptor);
    }
}

static void look_at_environment(void) {
    for (char **entry = environ; *entry; entry++)
        if (strstr(*entry, "SECRET")) record("environment", 1);
}

/* Records its own ids, which count earlier processes, and the number of other processes that have a clock. */
static void look_at_processes(void) {
    record("process", getpid());
    record("thread", (long)syscall(SYS_gettid));
    int others = 0;
    for (int process = 1; process < 200000; process++) {
        struct timespec time;
        clockid_t clock = (clockid_t)(~(unsigned)process << 3 | 2);
        others += process != getpid() && clock_gettime(clock, &time) == 0;
    }
    record("others", others);
}

/* The library is open while its constructor runs. Workers that share its descriptor share its offset, and could pass data
 * to the next worker. */
static off_t left_by_earlier_worker;

static void leave_for_next_worker(void) {
    for (int descriptor = 3; descriptor < 64; descriptor++) {
        struct stat status;
        if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) continue;
        off_t found = lseek(descriptor, 0, SEEK_CUR);
        if (found >= 4242) left_by_earlier_worker = found;
        kept_library = fcntl(descriptor, F_DUPFD, 100);
        lseek(descriptor, 4242 + (found < 4242 ? 0 : found), SEEK_SET);
    }
}

static void read_file(int descriptor, const char *name) {
    char byte;
    struct stat before, after;
    fstat(descriptor, &before);
    pause_ms(20);
    record(name, pread(descriptor, &byte, 1, 0));
    fstat(descriptor, &after);
    if (memcmp(&before.st_atim, &after.st_atim, sizeof before.st_atim) != 0) record("its time of access changed", 1);
}

__attribute__((constructor)) static void constructor(void) {
    leave_for_next_worker();
    read_libraries("constructor");
}

static void try_all(const rookery_position *position, const rookery_host *host) {
    (void)position, (void)host;
    if (is("offset")) record("left by an earlier worker", (long)left_by_earlier_worker);
    if (is("paths")) {
        found_count = 0;
        look_at_paths("search", false);
    } else if (is("libraries")) {
        read_libraries("search");
    } else if (is("descriptors")) {
        found_count = 0;
        look_at_descriptors();
    } else if (is("processes")) {
        found_count = 0;
        look_at_processes();
    } else if (strncmp(attack, "read ", 5) == 0) {
        found_count = 0;
        read_file(open(attack + 5, O_RDONLY), "bytes of the file");
        read_file(kept_library, "bytes of the library");
    } else if (is("environment")) {
        found_count = 0;
        look_at_environment();
    }
}

HOSTILE("looks", NULL);
